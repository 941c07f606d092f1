package order

import (
	"bytes"
	"fmt"
)

// orderTime returns the order's time in milliseconds: the time member, or the
// record's timestamp when that is absent or null. A time that is present but
// cannot be read never falls back on the record's.
func (d *Decoder) orderTime(recordTime int64) (int64, *Error) {
	raw := d.value[d.timeStart:d.timeEnd]
	if len(raw) == 0 || raw[0] == 'n' {
		return checkRecordTime(recordTime)
	}
	path := d.config.TimeField
	switch {
	case raw[0] == '"':
		text := raw[1 : len(raw)-1]
		if bytes.IndexByte(raw, '\\') >= 0 {
			d.scratch = unquote(d.scratch[:0], raw)
			text = d.scratch
		}
		if ms, ok := parseTime(text); ok {
			return ms, nil
		}
		return 0, refuse(Malformed, nameText(path), excerpt(raw)+" is not an RFC 3339 time with a zone")
	case raw[0] == '-' || isDigit(raw[0]):
		n, ok := parseInteger(raw)
		if ok {
			n, ok = d.config.TimeUnit.millis(n)
		}
		if ok {
			return n, nil
		}
		return 0, refuse(Malformed, nameText(path),
			fmt.Sprintf("%s is not a whole number of %s within the years 0001 to 9999", excerpt(raw), d.config.TimeUnit))
	}
	return 0, refuse(Malformed, nameText(path), "is neither a string nor a number")
}

func checkRecordTime(ms int64) (int64, *Error) {
	if ms < 0 {
		return 0, refuse(NoTimestamp, "", "neither the order nor the record has a timestamp")
	}
	if !inRange(ms) {
		return 0, refuse(Malformed, "", fmt.Sprintf("the record's timestamp %d is past the year 9999", ms))
	}
	return ms, nil
}
