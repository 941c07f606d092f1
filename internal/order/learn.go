package order

import "bytes"

// names are the member names that mean something.
type names struct {
	items, drink, quantity string
	time                   string // "" for none
}

func namesOf(c Config) names {
	return names{items: nameItems, drink: nameDrink, quantity: nameQuantity, time: c.TimeField}
}

// learner takes the shape from one order. It looks at no more than it has to:
// the order must be one that the strict decoder has accepted.
type learner struct {
	names names
	value []byte
	shape *shape

	at       int    // how much has been read
	valueEnd int    // where the last scalar ended, and the next literal begins
	name     []byte // the last member name read
	depth    int    // how many objects and arrays are open

	where   part
	items   int // items begun
	scalars int // scalars of this item so far
	itemAt  int // where this item began
	itemEnd int // where the last item ended
	// opening and closing are the first item's bytes before its first and after
	// its last scalar; gap is what is between the first two items.
	opening, closing, gap []byte
}

// part is where in the order the learner is.
type part uint8

const (
	inHead part = iota
	inItems
	inTail
)

// The depths at which names mean something.
const (
	topDepth  = 1
	itemDepth = 3
)

// learn makes s the shape of the order in value. It reports false when the
// order has none: when a name is escaped, when its items are not all alike, or
// when it is too big.
func (s *shape) learn(names names, value []byte) bool {
	s.clear()
	l := learner{names: names, value: value, shape: s}
	for {
		var ok bool
		switch c := value[l.at]; {
		case c == '{' || c == '[':
			ok = l.open(c)
		case c == '}' || c == ']':
			ok = l.close()
			if l.depth == 0 {
				return ok && l.finish()
			}
		case c == ',' || c == ':' || isSpace(c):
			l.at++
			ok = true
		case c == '"':
			ok = l.text()
		default:
			end := l.at
			for !endsLiteral(value[end]) {
				end++
			}
			ok = l.scalar(end)
		}
		if !ok {
			return false
		}
	}
}

// open reads the beginning of an object or array.
func (l *learner) open(c byte) bool {
	switch {
	case c == '[' && l.depth == topDepth && string(l.name) == l.names.items:
		l.where = inItems
	case l.where == inItems && l.depth == itemDepth-1:
		l.items++
		l.scalars, l.itemAt = 0, l.at
	}
	l.depth++
	l.at++
	return true
}

// close reads the end of an object or array.
func (l *learner) close() bool {
	l.depth--
	l.at++
	if l.where != inItems {
		return true
	}
	switch l.depth {
	case topDepth:
		l.where = inTail
	case itemDepth - 1:
		l.itemEnd = l.at
		closing := l.value[l.valueEnd:l.at]
		if l.items == 1 {
			l.closing = closing
		}
		return l.scalars == len(l.shape.item) && bytes.Equal(closing, l.closing)
	}
	return true
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
	for isSpace(l.value[after]) {
		after++
	}
	if l.value[after] != ':' {
		return l.scalar(end)
	}
	l.name = l.value[l.at+1 : end-1]
	l.at = end
	return bytes.IndexByte(l.name, '\\') < 0
}

// scalar reads the scalar that ends at end.
func (l *learner) scalar(end int) bool {
	s := l.shape
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
	return append(steps, step{literal, l.kind()}), ok
}

// kind tells by its place and name what the scalar here is.
func (l *learner) kind() kind {
	switch {
	case l.depth == topDepth && l.names.time != "" && string(l.name) == l.names.time:
		return kindTime
	case l.where != inItems || l.depth != itemDepth:
	case string(l.name) == l.names.drink:
		return kindDrink
	case string(l.name) == l.names.quantity:
		return kindQuantity
	}
	return kindSkipped
}

// finish adds what comes after the last scalar and between two items. An order
// with a single item does not show the latter, but a comma alone is right
// between any two.
func (l *learner) finish() bool {
	gap := l.gap
	if l.items == 1 {
		gap = []byte{','}
	}
	var ok, fits bool
	l.shape.between, ok = l.shape.keep(l.closing, gap, l.opening)
	l.shape.end, fits = l.shape.keep(l.value[l.valueEnd:l.at])
	return ok && fits
}
