package event

import "bytes"

// learner takes the shape from one record. It looks at no more than it has to:
// the record must be one that the strict decoder has accepted.
type learner struct {
	value []byte
	shape *shape

	at       int // how much has been read
	valueEnd int // where the last scalar ended, and the next literal begins
	// open are the objects and arrays around this place, and next is what the value
	// that comes is for.
	open []container
	next *node

	where   part
	items   int // items begun
	scalars int // scalars of this item so far
	itemAt  int // where this item began
	itemEnd int // where the last item ended
	// opening and closing are the first item's bytes before its first and after
	// its last scalar; gap is what is between the first two items.
	opening, closing, gap []byte
}

// container is an object or array; its node is nil if it means nothing.
type container struct {
	node  *node
	index int // of the element that comes next, in an array
	array bool
}

// part is where in the record the learner is.
type part uint8

const (
	inHead part = iota
	inItems
	inTail
)

// learn makes s the shape of the record in value. It reports false when the
// record has none: when a name is escaped, when its items are not all alike or are in
// arrays in arrays, or when it is too big.
func (s *shape) learn(plan *node, value []byte) bool {
	s.clear()
	l := learner{value: value, shape: s, next: plan, open: s.open[:0]}
	defer func() { s.open = l.open }()
	for {
		var ok bool
		switch c := value[l.at]; {
		case c == '{' || c == '[':
			ok = l.begin(c)
		case c == '}' || c == ']':
			ok = l.end()
		case c == ',':
			ok = l.comma()
		case c == ':' || isSpace(c):
			l.at++
			ok = true
		case c == '"':
			ok = l.text()
		default:
			end := l.at
			for end < len(value) && !endsLiteral(value[end]) {
				end++
			}
			ok = l.scalar(end)
		}
		if !ok {
			return false
		}
		if len(l.open) == 0 && !isSpace(value[l.at-1]) {
			return l.finish()
		}
	}
}

// begin reads the beginning of an object or array.
func (l *learner) begin(c byte) bool {
	n := l.next
	if n != nil && n.item && n.element {
		l.beginItem()
	}
	l.open = append(l.open, container{node: n, array: c == '['})
	l.next = nil
	l.at++
	if n != nil && n.every != nil {
		if l.where != inHead {
			return false
		}
		l.where = inItems
	}
	if c == '[' {
		l.element()
	}
	return true
}

// element makes ready for the next element of the array around this place.
func (l *learner) element() {
	around := &l.open[len(l.open)-1]
	if around.node != nil {
		l.next = around.node.elementAt(around.index)
	}
	around.index++
}

func (l *learner) comma() bool {
	l.at++
	l.next = nil
	if l.open[len(l.open)-1].array {
		l.element()
	}
	return true
}

func (l *learner) beginItem() {
	l.items++
	l.scalars, l.itemAt = 0, l.at
}

// end reads the end of an object or array.
func (l *learner) end() bool {
	n := l.open[len(l.open)-1].node
	l.open = l.open[:len(l.open)-1]
	l.next = nil
	l.at++
	switch {
	case n == nil:
	case n.every != nil:
		l.where = inTail
	case n.item && n.element:
		return l.endItem()
	}
	return true
}

// endItem compares the end of an item with that of the first.
func (l *learner) endItem() bool {
	l.itemEnd = l.at
	closing := l.value[l.valueEnd:l.at]
	if l.items == 1 {
		l.closing = closing
	}
	return l.scalars == len(l.shape.item) && bytes.Equal(closing, l.closing)
}

// text reads a string: a name when a colon follows, and a scalar otherwise. A
// name with an escape is not learned, since nobody writes one on purpose.
func (l *learner) text() bool {
	end := l.at + 1
	for l.value[end] != '"' {
		if l.value[end] == '\\' {
			end++
		}
		end++
	}
	end++
	after := end
	for after < len(l.value) && isSpace(l.value[after]) {
		after++
	}
	if after == len(l.value) || l.value[after] != ':' {
		return l.scalar(end)
	}
	name := l.value[l.at+1 : end-1]
	l.at = end
	if around := l.open[len(l.open)-1].node; around != nil {
		l.next = around.member(name)
	}
	return bytes.IndexByte(name, '\\') < 0
}

// scalar reads the scalar that ends at end.
func (l *learner) scalar(end int) bool {
	s := l.shape
	alone := l.next != nil && l.next.item && l.next.element // the item is a scalar
	if alone {
		l.beginItem()
	}
	var ok bool
	switch l.where {
	case inHead:
		s.head, ok = l.add(s.head)
	case inTail:
		s.tail, ok = l.add(s.tail)
	case inItems:
		ok = l.itemScalar()
	}
	l.at, l.valueEnd = end, end
	l.next = nil
	if alone {
		return ok && l.endItem()
	}
	return ok
}

// itemScalar is scalar for one within the items. The first item gives the
// shape, which all others must have; the kinds of their scalars follow from the
// names. Even what is before their first and after
// their last scalar must be the same: of two items that differ in names there,
// one's beginning and the other's end could have a name in common.
func (l *learner) itemScalar() bool {
	s, index := l.shape, l.scalars
	l.scalars++
	opening, gap := l.value[l.itemAt:l.at], l.value[l.itemEnd:l.itemAt]
	if l.items == 1 {
		if index == 0 {
			l.opening = opening
		}
		var ok bool
		s.item, ok = l.add(s.item)
		return ok
	}
	if index == 0 {
		if l.items == 2 {
			l.gap = gap
		}
		return bytes.Equal(opening, l.opening) && bytes.Equal(gap, l.gap)
	}
	return index < len(s.item) && bytes.Equal(s.item[index].literal.text, l.value[l.valueEnd:l.at])
}

// add appends the step to the scalar that begins here.
func (l *learner) add(steps []step) ([]step, bool) {
	s := l.shape
	literal, ok := s.keep(l.value[l.valueEnd:l.at])
	ok = ok && len(s.head)+len(s.item)+len(s.tail) < maxSteps
	added := step{literal: literal}
	if l.next != nil {
		added.kind = l.next.kind()
		if added.kind == kindName {
			added.part = l.next.parts[0]
		}
	}
	return append(steps, added), ok && added.kind != kindSeveral
}

// kind is how a scalar at the node is read. One on the way to something is a null, which
// only the strict decoder knows what to do with.
func (n *node) kind() kind {
	switch {
	case n.target == toTime:
		return kindTime
	case n.target == toSpareTime:
		return kindSpareTime
	case n.target == toQuantity:
		return kindQuantity
	case n.target == toOperation:
		return kindOperation
	case n.target == toName && len(n.parts) == 1:
		return kindName
	}
	return kindSeveral
}

// finish adds what comes after the last scalar and between two items. A record
// with a single item does not show the latter, but a comma alone is right
// between any two.
func (l *learner) finish() bool {
	if len(l.shape.head)+len(l.shape.item) == 0 || l.items > 0 && len(l.shape.item) == 0 {
		return false // nothing to read in it, or in its items
	}
	ok, fits := true, true
	if len(l.shape.item) > 0 {
		gap := l.gap
		if l.items == 1 {
			gap = []byte{','}
		}
		l.shape.between, ok = l.shape.keep(l.closing, gap, l.opening)
	}
	l.shape.end, fits = l.shape.keep(l.value[l.valueEnd:l.at])
	return ok && fits
}
