package event

// maxDigits is the most digits of a decimal number that is read as a time.
const maxDigits = 48

// decimal is a number as digits and where the point is: 12.5 is 125 and 2.
type decimal struct {
	digits   [maxDigits]byte
	n, point int
	negative bool
}

// isDecimal reports whether s is a number as JSON writes it.
func isDecimal(s []byte) bool {
	var d decimal
	return d.read(s)
}

// read reads a JSON number; it reports false for anything else, for more than maxDigits
// digits and for an exponent of more than two.
func (d *decimal) read(s []byte) bool {
	if len(s) > 0 && s[0] == '-' {
		d.negative, s = true, s[1:]
	}
	end := digitsEnd(s, 0)
	if end == 0 || end > 1 && s[0] == '0' || !d.add(s[:end]) {
		return false
	}
	d.point, s = end, s[end:]
	if len(s) > 0 && s[0] == '.' {
		end = digitsEnd(s, 1)
		if end == 1 || !d.add(s[1:end]) {
			return false
		}
		s = s[end:]
	}
	if len(s) == 0 {
		return true
	}
	return s[0]|0x20 == 'e' && d.shift(s[1:])
}

func (d *decimal) add(digits []byte) bool {
	if d.n+len(digits) > maxDigits {
		return false
	}
	d.n += copy(d.digits[d.n:], digits)
	return true
}

// shift moves the point by an exponent.
func (d *decimal) shift(exponent []byte) bool {
	sign := 1
	if len(exponent) > 0 && (exponent[0] == '-' || exponent[0] == '+') {
		if exponent[0] == '-' {
			sign = -1
		}
		exponent = exponent[1:]
	}
	if len(exponent) == 0 || len(exponent) > 2 || digitsEnd(exponent, 0) != len(exponent) {
		return false
	}
	by := 0
	for _, c := range exponent {
		by = by*10 + int(c-'0')
	}
	d.point += sign * by
	return true
}

// floor is the number times ten to the given power, rounded down. It reports false when
// that is too large by far for a time.
func (d *decimal) floor(power int) (int64, bool) {
	whole := d.point + power
	var n int64
	inexact := false
	for at := range max(d.n, whole) {
		var digit byte = '0'
		if at < d.n {
			digit = d.digits[at]
		}
		switch {
		case at >= whole:
			inexact = inexact || digit != '0'
		case n > 1<<58:
			return 0, false
		default:
			n = n*10 + int64(digit-'0')
		}
	}
	if !d.negative {
		return n, true
	}
	if inexact {
		n++
	}
	return -n, true
}

// decimalMillis reads a JSON number of the given unit as milliseconds, rounded down.
func decimalMillis(raw []byte, unit Unit) (int64, bool) {
	var d decimal
	if !d.read(raw) {
		return 0, false
	}
	ms, ok := d.floor(unit.power())
	return ms, ok && inRange(ms)
}
