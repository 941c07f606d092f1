package event

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// kind says how a value is read.
type kind uint8

const (
	kindSkipped   kind = iota // any scalar: checked and left alone
	kindTime                  // a time in one of its forms, or null
	kindName                  // a string or, unless the mapping is Plain, another scalar but null
	kindQuantity              // a whole number
	kindSpareTime             // the time of an envelope
	kindOperation             // the kind of a change
	kindSeveral               // for more than one purpose: left to the strict decoder
)

// Limits of a shape. A record that needs more is left to the strict decoder.
const (
	maxSteps    = 64
	maxSkeleton = 2048
)

// literal is bytes that must be found as they are.
type literal struct {
	text []byte // part of the shape's skeleton
	// first and last are the first and the last eight bytes of a text of 8 to
	// 16 bytes, which they cover. Most are of that size.
	first, last uint64
}

func literalOf(text []byte) literal {
	l := literal{text: text}
	if 8 <= len(text) && len(text) <= 16 {
		l.first = binary.LittleEndian.Uint64(text)
		l.last = binary.LittleEndian.Uint64(text[len(text)-8:])
	}
	return l
}

// end returns where the literal ends that is to begin at at, and -1 when
// something else is there.
func (l *literal) end(value []byte, at int) int {
	end := at + len(l.text)
	if end > len(value) {
		return -1
	}
	// No literal's first word is zero: it begins with a quote, a brace, white
	// space or the like.
	if l.first != 0 {
		if binary.LittleEndian.Uint64(value[at:]) != l.first || binary.LittleEndian.Uint64(value[end-8:]) != l.last {
			return -1
		}
		return end
	}
	if string(value[at:end]) != string(l.text) {
		return -1
	}
	return end
}

// step is one value of a document and the bytes between it and the value before.
type step struct {
	literal literal
	kind    kind
	part    int // of the name
}

// shape is the skeleton that the records of one producer have in common: every
// byte that is not part of a scalar. It is learned from a record that the
// strict decoder has accepted, so a record of the same shape has proper syntax
// and the same, distinct names; only its scalars are left to be checked.
//
//	{"id":1,"items":[{"drink":"tea","quantity":1},{"drink":"milk","quantity":2}]}
//	~~~~~~ ~~~~~~~~~~~~~~~~~~~     ~~~~~~~~~~~~ ~~~~~~~~~~~      ~~~~~~~~~~~~ ~~~
//	head   item[0]                 item[1]      between                       end
//
// A document that is one item itself is all head.
type shape struct {
	head []step // before the items
	item []step // of one item; the literal of the first is that of the first item
	tail []step // after the items
	// between stands in for the literal of item[0] in every item but the first.
	between literal
	end     literal

	skeleton []byte      // all literals, in the order they were learned
	open     []container // memory of the learner
	proven   bool        // whether another record had the shape
}

// clear empties the shape and keeps its memory.
func (s *shape) clear() {
	if s.skeleton == nil {
		// Literals point into it, so it must never grow.
		s.skeleton = make([]byte, 0, maxSkeleton)
	}
	*s = shape{head: s.head[:0], item: s.item[:0], tail: s.tail[:0], skeleton: s.skeleton[:0], open: s.open}
}

// keep copies the parts of a literal, one behind the other, into the skeleton.
// It reports false when they do not fit.
func (s *shape) keep(parts ...[]byte) (literal, bool) {
	start := len(s.skeleton)
	for _, part := range parts {
		if len(part) > cap(s.skeleton)-len(s.skeleton) {
			return literal{}, false
		}
		s.skeleton = append(s.skeleton, part...)
	}
	return literalOf(s.skeleton[start:]), true
}

// pairs says that an item is a name and a quantity, in this order.
func (s *shape) pairs() bool {
	return len(s.item) == 2 && s.item[0].kind == kindName && s.item[1].kind == kindQuantity
}

// equal reports whether the same records have the two shapes. The kinds of the
// values follow from the names in the literals.
func (s *shape) equal(other *shape) bool {
	same := func(a, b step) bool { return bytes.Equal(a.literal.text, b.literal.text) }
	return slices.EqualFunc(s.head, other.head, same) &&
		slices.EqualFunc(s.item, other.item, same) &&
		slices.EqualFunc(s.tail, other.tail, same) &&
		bytes.Equal(s.between.text, other.between.text) && bytes.Equal(s.end.text, other.end.text)
}
