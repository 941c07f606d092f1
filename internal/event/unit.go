package event

import "fmt"

// Unit is the unit of a time that is written as an integer. The zero value is
// Milliseconds.
type Unit uint8

// The units a time can be written in.
const (
	Milliseconds Unit = iota
	Seconds
	Microseconds
	Nanoseconds
)

var unitTexts = [...]string{
	Milliseconds: "ms",
	Seconds:      "s",
	Microseconds: "us",
	Nanoseconds:  "ns",
}

// String returns the unit's short name: "ms", "s", "us" or "ns".
func (u Unit) String() string {
	if int(u) >= len(unitTexts) {
		return "unknown"
	}
	return unitTexts[u]
}

// ParseUnit returns the unit with the given short name: "ms", "s", "us" or
// "ns".
func ParseUnit(text string) (Unit, error) {
	for u, t := range unitTexts {
		if t == text {
			return Unit(u), nil
		}
	}
	return Milliseconds, fmt.Errorf("event: %q is no time unit (want ms, s, us or ns)", text)
}

// millis converts n from the unit to milliseconds, rounding down. It reports
// false when the result is outside the years 0001 to 9999.
func (u Unit) millis(n int64) (int64, bool) {
	switch u {
	case Seconds:
		// Bounded before multiplying, so that the product cannot overflow.
		if n < minMillis/1000 || n > maxMillis/1000 {
			return 0, false
		}
		n *= 1000
	case Microseconds:
		n = floorDiv(n, 1000)
	case Nanoseconds:
		n = floorDiv(n, 1_000_000)
	}
	return n, inRange(n)
}

// power is the power of ten by which a number of the unit is multiplied to be one of
// milliseconds.
func (u Unit) power() int {
	return [...]int{Milliseconds: 0, Seconds: 3, Microseconds: -3, Nanoseconds: -6}[u]
}

// Times that were most likely meant. Before the first and after the last a unit is
// doubted; another unit is suggested when with it the time is from suggestFrom on.
const (
	plausibleFrom = 31_536_000_000    // 1971
	plausibleTo   = 4_102_444_800_000 // 2100
	suggestFrom   = 946_684_800_000   // 2000
)

// mistaken returns the unit that was meant by a number that u makes ms, or no time at
// all (ok is false). It reports false when u may be right or none fits better.
func (u Unit) mistaken(raw []byte, ms int64, ok bool) (Unit, bool) {
	if ok && plausibleFrom <= ms && ms < plausibleTo {
		return u, false
	}
	for _, other := range [...]Unit{Seconds, Milliseconds, Microseconds, Nanoseconds} {
		if other == u {
			continue
		}
		if ms, ok := decimalMillis(raw, other); ok && suggestFrom <= ms && ms < plausibleTo {
			return other, true
		}
	}
	return u, false
}

// floorDiv divides rounding towards minus infinity; by must be positive.
func floorDiv(n, by int64) int64 {
	q := n / by
	if n%by < 0 {
		q--
	}
	return q
}
