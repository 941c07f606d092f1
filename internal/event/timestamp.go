package event

// The times an event may have: the years 0001 to 9999 in UTC, in milliseconds
// since 1970-01-01 UTC.
const (
	minMillis = -62_135_596_800_000
	maxMillis = 253_402_300_799_999
)

func inRange(ms int64) bool { return minMillis <= ms && ms <= maxMillis }

// Offsets of the fixed part of an RFC 3339 time, YYYY-MM-DDTHH:MM:SS, and the
// shortest whole text, which adds a Z.
const (
	secondEnd  = len("0000-00-00T00:00:00")
	minTimeLen = secondEnd + 1
)

// parseTime reads an RFC 3339 time with a zone and returns its milliseconds
// since 1970-01-01 UTC, rounded down. It is stricter than time.Parse: every
// field has its full width, the fraction begins with a point, the offset is a
// real one and a leap second is refused.
func parseTime(s []byte) (ms int64, ok bool) {
	if len(s) < minTimeLen || !hasTimeShape(s) {
		return 0, false
	}
	year := twoDigits(s, 0)*100 + twoDigits(s, 2)
	month, day := twoDigits(s, 5), twoDigits(s, 8)
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	hour, minute, second := twoDigits(s, 11), twoDigits(s, 14), twoDigits(s, 17)
	if hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	fraction, zone, ok := parseFraction(s[secondEnd:])
	if !ok {
		return 0, false
	}
	offset, ok := parseOffset(zone)
	if !ok {
		return 0, false
	}
	minutes := (daysSinceEpoch(year, month, day)*24+int64(hour))*60 + int64(minute) - offset
	// The fraction counts forward from the second on both sides of 1970, so
	// cutting its digits off is rounding down.
	ms = (minutes*60+int64(second))*1000 + fraction
	return ms, inRange(ms)
}

// hasTimeShape reports whether the fixed part has digits and separators where
// they belong. s must be at least secondEnd long.
func hasTimeShape(s []byte) bool {
	if s[4] != '-' || s[7] != '-' || s[13] != ':' || s[16] != ':' || (s[10] != 'T' && s[10] != 't') {
		return false
	}
	for _, at := range [...]int{0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18} {
		if !isDigit(s[at]) {
			return false
		}
	}
	return true
}

// parseFraction reads the optional fraction of a second in milliseconds and
// returns what follows it. Digits beyond the third are checked, then dropped.
func parseFraction(s []byte) (ms int64, rest []byte, ok bool) {
	if s[0] != '.' {
		return 0, s, true
	}
	i, scale := 1, int64(100)
	for i < len(s) && isDigit(s[i]) {
		ms += int64(s[i]-'0') * scale
		scale /= 10
		i++
	}
	return ms, s[i:], i > 1
}

// parseOffset reads the zone, which must be all of s, as minutes east of UTC.
// The -00:00 of RFC 3339 (zone unknown) is read as UTC.
func parseOffset(s []byte) (minutes int64, ok bool) {
	if len(s) == 1 {
		return 0, s[0] == 'Z' || s[0] == 'z'
	}
	if len(s) != len("+00:00") || s[3] != ':' ||
		!isDigit(s[1]) || !isDigit(s[2]) || !isDigit(s[4]) || !isDigit(s[5]) {
		return 0, false
	}
	hour, minute := twoDigits(s, 1), twoDigits(s, 4)
	if hour > 23 || minute > 59 {
		return 0, false
	}
	minutes = int64(hour*60 + minute)
	switch s[0] {
	case '+':
		return minutes, true
	case '-':
		return -minutes, true
	}
	return 0, false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func twoDigits(s []byte, at int) int { return int(s[at]-'0')*10 + int(s[at+1]-'0') }

func isLeap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if isLeap(year) {
			return 29
		}
		return 28
	}
	return 31
}

// daysSinceEpoch counts the days from 1970-01-01 to a date of the Gregorian
// calendar; year must be 0 or later. The year is taken to begin in March, so
// that the leap day is its last day and months need no table.
func daysSinceEpoch(year, month, day int) int64 {
	if month > 2 {
		month -= 3
	} else {
		month += 9
		year--
	}
	// One cycle of 400 years is added, so that January of year 0 still divides
	// as a positive number.
	year += 400
	dayOfYear := (153*month+2)/5 + day - 1
	days := year*365 + year/4 - year/100 + year/400 + dayOfYear
	// 719468 days lie between 0000-03-01 and 1970-01-01; 146097 are one cycle.
	return int64(days - 719468 - 146097)
}
