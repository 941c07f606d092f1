package event

import (
	"encoding/binary"
	"math/bits"
)

// The functions here read a value that is written in the usual way, from bytes
// of which nothing is known. They return where it ends, or -1 for anything
// else, however good: that is for the strict decoder to judge. What follows the
// value is for the caller to check.

// literalEnd reads the given bytes.
func literalEnd(value []byte, at int, literal string) int {
	end := at + len(literal)
	if end > len(value) || string(value[at:end]) != literal {
		return -1
	}
	return end
}

// scalarEnd reads a string, number, true, false or null.
func scalarEnd(value []byte, at int) int {
	if at >= len(value) {
		return -1
	}
	switch value[at] {
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return numberEnd(value, at)
	case '"':
		if end := textEnd(value, at+1); end >= 0 {
			return end + 1
		}
		return -1
	case 't':
		return literalEnd(value, at, "true")
	case 'f':
		return literalEnd(value, at, "false")
	case 'n':
		return literalEnd(value, at, "null")
	case '-':
		at++
	}
	return numberEnd(value, at)
}

// numberEnd reads a number without a sign or an exponent.
func numberEnd(value []byte, at int) int {
	end := digitsEnd(value, at)
	if end == at || value[at] == '0' && end > at+1 {
		return -1
	}
	if end == len(value) || value[end] != '.' {
		return end
	}
	point := end
	if end = digitsEnd(value, point+1); end == point+1 {
		return -1
	}
	return end
}

func digitsEnd(value []byte, at int) int {
	for len(value)-at >= 8 {
		if n := digits(binary.LittleEndian.Uint64(value[at:])); n < 8 {
			return at + n
		}
		at += 8
	}
	for at < len(value) && isDigit(value[at]) {
		at++
	}
	return at
}

// digits is how many of the first bytes of word are digits: those from 0x30 to 0x3F that
// still are when 6 is added. What an addition carries is behind a byte that is none.
func digits(word uint64) int {
	const high = 0xF0 * ones
	other := (word&high ^ '0'*ones) | ((word+6*ones)&high ^ '0'*ones)
	return bits.TrailingZeros64(other) / 8
}

// Most digits of a number that is read: a quantity's are as many as an event
// can sensibly have, and 18 always fit an int64.
const (
	quantityDigits = 7
	timeDigits     = 18
)

// readDigits reads a whole number of at most so many digits, which has no sign
// and no leading zero.
func readDigits(value []byte, at, most int) (n int64, end int) {
	end = at
	for end < len(value) && isDigit(value[end]) {
		if end-at == most {
			return 0, -1
		}
		n = n*10 + int64(value[end]-'0')
		end++
	}
	if end == at || value[at] == '0' && end > at+1 {
		return 0, -1
	}
	return n, end
}
