package event

import "math"

// parseInteger reads a JSON integer literal such as 12 or -3. It reports false
// for any other value and for one outside int64. raw must be a JSON value.
func parseInteger(raw []byte) (int64, bool) {
	digits, negative := raw, raw[0] == '-'
	if negative {
		digits = raw[1:]
	}
	limit := uint64(math.MaxInt64)
	if negative {
		limit++
	}
	var n uint64
	for _, c := range digits {
		if !isDigit(c) {
			return 0, false
		}
		// limit/10 is tested first, so that n*10 plus a digit fits a uint64.
		if n > limit/10 {
			return 0, false
		}
		if n = n*10 + uint64(c-'0'); n > limit {
			return 0, false
		}
	}
	if negative {
		return -int64(n), true // for 2^63 this is the smallest int64 itself
	}
	return int64(n), true
}

// isInteger reports whether the JSON value raw is an integer literal of any
// size.
func isInteger(raw []byte) bool {
	if raw[0] == '-' {
		raw = raw[1:]
	}
	for _, c := range raw {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

// endsLiteral reports whether c can follow a number, true, false or null.
func endsLiteral(c byte) bool { return isSpace(c) || c == ',' || c == '}' || c == ']' }

// valueAhead returns where the value begins that the library has just refused to read,
// or -1 when there is none. Before it are the colon behind a name, or before an element
// of an array perhaps a comma.
func (d *Decoder) valueAhead(element bool) int {
	at := d.skipSpace(d.position())
	switch {
	case at < len(d.value) && d.value[at] == ':' && !element, at < len(d.value) && d.value[at] == ',' && element:
		at = d.skipSpace(at + 1)
	case !element:
		return -1
	}
	if at == len(d.value) {
		return -1
	}
	return at
}

func (d *Decoder) skipSpace(at int) int {
	for at < len(d.value) && isSpace(d.value[at]) {
		at++
	}
	return at
}

// containerAhead names the container that the value about to be read opens, and
// returns "" for any other value. Opening one is a fault of its own, ahead of
// whatever is broken inside it.
func (d *Decoder) containerAhead(element bool) string {
	if at := d.valueAhead(element); at >= 0 {
		switch d.value[at] {
		case '{':
			return "an object"
		case '[':
			return "an array"
		}
	}
	return ""
}

func (d *Decoder) stringAhead(element bool) bool {
	at := d.valueAhead(element)
	return at >= 0 && d.value[at] == '"'
}

// isBadText reports whether text, at which the library has refused a string,
// begins with bytes that are not UTF-8 or with a lone surrogate. A \u escape
// whose four digits are in order is refused for no other reason.
func isBadText(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	if text[0] >= 0x80 {
		return true
	}
	if len(text) < len(`\uD800`) || text[0] != '\\' || text[1] != 'u' {
		return false
	}
	for _, c := range text[2:6] {
		if lower := c | 0x20; !isDigit(c) && (lower < 'a' || lower > 'f') {
			return false
		}
	}
	return true
}

// IsNumber says whether text is a number as JSON writes it, of few digits.
func IsNumber(text string) bool { return isDecimal([]byte(text)) }

// IsQuantity says whether text is a whole number within the default limits of quantities.
func IsQuantity(text string) bool {
	n, end := readDigits([]byte(text), 0, quantityDigits)
	return end == len(text) && n >= 1 && n <= DefaultMaxQuantity
}
