package event

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// The functions here take values of formats that have numbers and booleans, which are
// given names by their JSON text.

// NameInt gives one part of the item's name, which is a number.
func (b *Builder) NameInt(part int, n int64) *Error {
	at := len(b.arena)
	b.arena = strconv.AppendInt(b.arena, n, 10)
	return b.nameFrom(part, at)
}

// NameUint is NameInt for numbers without a sign.
func (b *Builder) NameUint(part int, n uint64) *Error {
	at := len(b.arena)
	b.arena = strconv.AppendUint(b.arena, n, 10)
	return b.nameFrom(part, at)
}

// NameBool gives one part of the item's name, which is true or false.
func (b *Builder) NameBool(part int, v bool) *Error {
	at := len(b.arena)
	b.arena = strconv.AppendBool(b.arena, v)
	return b.nameFrom(part, at)
}

// NameFloat gives one part of the item's name, which is a number of 32 or 64 bits.
func (b *Builder) NameFloat(part int, f float64, bits int) *Error {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return refuse(InvalidName, b.namePath(part), strconv.FormatFloat(f, 'g', -1, bits)+" is not a number that JSON has")
	}
	form := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		form = 'e'
	}
	at := len(b.arena)
	b.arena = strconv.AppendFloat(b.arena, f, form, -1, bits)
	return b.nameFrom(part, at)
}

// NameText is Name for a text that may not be valid UTF-8, which no name can be.
func (b *Builder) NameText(part int, text []byte) *Error {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			if !utf8.Valid(text) {
				return refuse(InvalidName, b.namePath(part), "is not valid UTF-8")
			}
			break
		}
	}
	return b.Name(part, text)
}

// NameString gives one part of the item's name.
func (b *Builder) NameString(part int, text string) *Error {
	at := len(b.arena)
	b.arena = append(b.arena, text...)
	return b.nameFrom(part, at)
}

// nameFrom gives the name that the arena ends with.
func (b *Builder) nameFrom(part, at int) *Error {
	return b.Name(part, b.arena[at:len(b.arena):len(b.arena)])
}

// QuantityFloat gives the item's quantity, which must be whole.
func (b *Builder) QuantityFloat(f float64) *Error {
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return refuse(InvalidQuantity, b.quantityPath(), strconv.FormatFloat(f, 'g', -1, 64)+" is not a whole number")
	}
	return b.Quantity(int64(f))
}
