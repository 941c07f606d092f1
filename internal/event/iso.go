package event

import "bytes"

// parseISO reads a time as people and programs write it with ISO 8601 in mind: RFC 3339,
// but with a space or nothing behind the date, without seconds, with a comma before the
// fraction, with a zone such as +02, +0200 or UTC, after a space too, or with none. Then
// it is the time of the given place.
func parseISO(s []byte, place *zone) (ms int64, local Local, ok bool) {
	const dateEnd = len("0000-00-00")
	if len(s) < dateEnd {
		return 0, Exact, false
	}
	day, ok := parseDate(s[:dateEnd])
	if !ok {
		return 0, Exact, false
	}
	clock, rest := day*86400, s[dateEnd:]
	var fraction int64
	if len(rest) > 0 && (rest[0] == 'T' || rest[0] == 't' || rest[0] == ' ') {
		var seconds int64
		if seconds, fraction, rest, ok = parseClock(rest[1:]); !ok {
			return 0, Exact, false
		}
		clock += seconds
	} else if len(rest) > 0 {
		return 0, Exact, false
	}
	if len(rest) == 0 {
		clock, local = place.seconds(clock)
		return clock*1000 + fraction, local, true
	}
	offset, ok := parseZone(bytes.TrimPrefix(rest, []byte{' '}))
	return (clock-offset*60)*1000 + fraction, Exact, ok
}

// parseDate reads YYYY-MM-DD as days since 1970-01-01.
func parseDate(s []byte) (days int64, ok bool) {
	if s[4] != '-' || s[7] != '-' || !digitsAt(s, 0, 1, 2, 3, 5, 6, 8, 9) {
		return 0, false
	}
	year, month, day := twoDigits(s, 0)*100+twoDigits(s, 2), twoDigits(s, 5), twoDigits(s, 8)
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	return daysSinceEpoch(year, month, day), true
}

// parseClock reads HH:MM, or HH:MM:SS with or without a fraction.
func parseClock(s []byte) (seconds, millis int64, rest []byte, ok bool) {
	if len(s) < len("00:00") || s[2] != ':' || !digitsAt(s, 0, 1, 3, 4) {
		return 0, 0, nil, false
	}
	hour, minute := twoDigits(s, 0), twoDigits(s, 3)
	seconds, rest = int64(hour*3600+minute*60), s[len("00:00"):]
	ok = hour <= 23 && minute <= 59
	if len(rest) < len(":00") || rest[0] != ':' {
		return seconds, 0, rest, ok
	}
	if !digitsAt(rest, 1, 2) || twoDigits(rest, 1) > 59 {
		return 0, 0, nil, false
	}
	seconds, rest = seconds+int64(twoDigits(rest, 1)), rest[len(":00"):]
	if len(rest) == 0 || rest[0] != '.' && rest[0] != ',' {
		return seconds, 0, rest, ok
	}
	digits := digitsEnd(rest, 1)
	for at, scale := 1, int64(100); at < digits; at, scale = at+1, scale/10 {
		millis += int64(rest[at]-'0') * scale
	}
	return seconds, millis, rest[digits:], ok && digits > 1
}

// parseZone reads a zone, which must be all of s, as minutes east of UTC.
func parseZone(s []byte) (minutes int64, ok bool) {
	switch {
	case string(s) == "UTC":
		return 0, true
	case len(s) == len("+00") && digitsAt(s, 1, 2):
		s = append(s[:3:3], ":00"...)
	case len(s) == len("+0000") && digitsAt(s, 1, 2, 3, 4):
		s = []byte{s[0], s[1], s[2], ':', s[3], s[4]}
	case len(s) == 0:
		return 0, false
	}
	return parseOffset(s)
}

func digitsAt(s []byte, places ...int) bool {
	for _, at := range places {
		if !isDigit(s[at]) {
			return false
		}
	}
	return true
}
