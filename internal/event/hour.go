package event

import "encoding/binary"

// hourEnd is the length of a time's text up to its minutes.
const hourEnd = len("0000-00-00T00:")

// hour is the hour of the last time that was read, since the next one is nearly
// always in the same. Then only minutes, seconds and their fraction are to be
// read.
type hour struct {
	// first and last are the first and the last eight bytes of the text up to
	// hourEnd. They overlap.
	first, last uint64
	zone        []byte // as written, with the quote behind it
	millis      int64  // when it began
}

// read reads the text of a time of the given form, which begins at at, and
// its closing quote. It returns -1 for its end when the form would refuse it.
func (h *hour) read(f *timeForm, value []byte, at int) (ms int64, local Local, end int) {
	if ms, end = h.readSame(value, at); end >= 0 {
		return ms, Exact, end
	}
	end = textEnd(value, at)
	if end < 0 {
		return 0, Exact, -1
	}
	ms, local, fault := f.text(value[at:end])
	if fault != "" {
		return 0, Exact, -1
	}
	h.remember(f, value[at:end+1], ms, local)
	return ms, local, end + 1
}

// readSame is read for a time in the same hour and zone as the last.
func (h *hour) readSame(value []byte, at int) (ms int64, end int) {
	// Without a zone there was no last time.
	if len(h.zone) == 0 || len(value)-at <= secondEnd {
		return 0, -1
	}
	text := value[at:]
	if binary.LittleEndian.Uint64(text) != h.first || binary.LittleEndian.Uint64(text[hourEnd-8:]) != h.last {
		return 0, -1
	}
	minute, second := sixty(text[14], text[15]), sixty(text[17], text[18])
	if minute < 0 || second < 0 || text[16] != ':' {
		return 0, -1
	}
	fraction, zone := threeDigits(text)
	if zone == 0 {
		var ok bool
		var rest []byte
		if fraction, rest, ok = parseFraction(text[secondEnd:]); !ok {
			return 0, -1
		}
		zone = len(text) - len(rest)
	}
	end = at + zone + len(h.zone)
	if end > len(value) || string(value[at+zone:end]) != string(h.zone) {
		return 0, -1
	}
	ms = h.millis + (minute*60+second)*1000 + fraction
	if !inRange(ms) {
		return 0, -1
	}
	return ms, end
}

// threeDigits reads the fraction of a second behind secondEnd if it has just three digits,
// as most have, and returns where it ends; 0: it has not.
func threeDigits(text []byte) (ms int64, end int) {
	if len(text) < secondEnd+8 || digits(binary.LittleEndian.Uint64(text[secondEnd:])>>8) != 3 || text[secondEnd] != '.' {
		return 0, 0
	}
	return int64(text[secondEnd+1]-'0')*100 + int64(text[secondEnd+2]-'0')*10 + int64(text[secondEnd+3]-'0'), secondEnd + 4
}

// sixty returns the number of two digits, and -1 unless it is one from 0 to 59.
func sixty(tens, units byte) int64 {
	tens, units = tens-'0', units-'0'
	if tens > 5 || units > 9 {
		return -1
	}
	return int64(tens*10 + units)
}

// remember keeps the hour of a time that was read as ms, if its text has the full form.
// The text includes the closing quote. In places where clocks are set no hour is like
// another: it is kept only if all of it is as far from UTC.
func (h *hour) remember(f *timeForm, text []byte, ms int64, local Local) {
	if len(text) <= secondEnd || text[13] != ':' || text[16] != ':' || local != Exact {
		return
	}
	minute, second := sixty(text[14], text[15]), sixty(text[17], text[18])
	fraction, zone, ok := parseFraction(text[secondEnd:])
	if !ok || len(zone) == 0 || minute < 0 || second < 0 {
		return
	}
	began := ms - (minute*60+second)*1000 - fraction
	if len(zone) == 1 && !f.zone.steady(began) {
		return
	}
	h.first = binary.LittleEndian.Uint64(text)
	h.last = binary.LittleEndian.Uint64(text[hourEnd-8:])
	h.zone = append(h.zone[:0], zone...)
	h.millis = began
}
