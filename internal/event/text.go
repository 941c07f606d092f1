package event

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// One byte, repeated over a word.
const (
	ones        = 0x0101010101010101
	highBits    = 0x80 * ones
	spaces      = ' ' * ones
	quotes      = '"' * ones
	backslashes = '\\' * ones
)

// specials sets the high bit of the first byte of word that ends plain text: a
// quote, a backslash, a control character, or one that is not ASCII, which at
// least two of the three differences leave with its high bit. Bytes before the
// first are clear. Those after it may be wrong, since subtracting borrows from
// them.
func specials(word uint64) uint64 {
	return (((word ^ quotes) - ones) | ((word ^ backslashes) - ones) | (word - spaces)) & highBits
}

// textEnd returns where the closing quote is of the string whose text begins at
// at, and -1 when there is none or the text has an escape, a control character
// or bytes that are not UTF-8.
func textEnd(value []byte, at int) int {
	start := at
	for len(value)-at >= 16 {
		// Both words are looked at before anything is decided: most texts end in
		// one of them, and nobody can guess in which.
		stop, more := specials(binary.LittleEndian.Uint64(value[at:])), specials(binary.LittleEndian.Uint64(value[at+8:]))
		if stop|more == 0 {
			at += 16
			continue
		}
		skip := 0
		if stop == 0 {
			stop, skip = more, 8
		}
		at += skip + bits.TrailingZeros64(stop)/8
		if value[at] == '"' {
			return at
		}
		break
	}
	return otherTextEnd(value, start, at)
}

// otherTextEnd is textEnd for what is left when there is more than ASCII or
// fewer than eight bytes. The text from start to at is known to be plain.
func otherTextEnd(value []byte, start, at int) int {
	for ; at < len(value); at++ {
		switch c := value[at]; {
		case c == '"' && utf8.Valid(value[start:at]):
			return at
		case c == '"' || c == '\\' || c < ' ':
			return -1
		}
	}
	return -1
}
