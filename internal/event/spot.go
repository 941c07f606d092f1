package event

import "iter"

// Spot is a place in documents of some format and what the mapping wants of the value
// there: for readers of formats whose schema is known before the first record, which walk
// the schema and the spots side by side. The zero Spot wants nothing.
type Spot struct{ n *node }

// Root is the document itself. It fails when two of the mapping's paths exclude each
// other. CloudEvents in structured form are not among its spots.
func (m *Mapping) Root() (Spot, error) {
	plain, _, err := m.plans()
	return Spot{plain}, err
}

// Wanted says whether the value, or anything in it, is wanted.
func (s Spot) Wanted() bool { return s.n != nil }

// Members are the members that are wanted of an object, in the order of the configuration.
func (s Spot) Members() iter.Seq2[string, Spot] {
	return func(yield func(string, Spot) bool) {
		for i := range s.n.members {
			if !yield(s.n.members[i].name, Spot{s.n.members[i].node}) {
				return
			}
		}
	}
}

// Elements are the elements that are wanted of an array: each, or those at some places,
// of which last is the highest.
func (s Spot) Elements() (each Spot, last int) {
	last = -1
	for i := range s.n.places {
		last = max(last, s.n.places[i].index)
	}
	return Spot{s.n.every}, last
}

// At is the element at a place, if it is wanted.
func (s Spot) At(index int) Spot { return Spot{s.n.elementAt(index)} }

// IsRoot says that the value is the document.
func (s Spot) IsRoot() bool { return s.n.root }

// IsItem says that the value is an item.
func (s Spot) IsItem() bool { return s.n.item }

// IsList says that the value is the outermost array of items, which must not be empty.
func (s Spot) IsList() bool { return s.n.list }

// IsArray says that the value must be an array.
func (s Spot) IsArray() bool { return s.n.every != nil || s.n.places != nil }

// IsValue says that the value itself is wanted, not something in it.
func (s Spot) IsValue() bool { return s.n.target != 0 }

// IsTime says that the value is the time.
func (s Spot) IsTime() bool { return s.n.target&toTime != 0 }

// IsQuantity says that the value is the item's quantity.
func (s Spot) IsQuantity() bool { return s.n.target&toQuantity != 0 }

// IsOperation says that the value is the kind of a change event.
func (s Spot) IsOperation() bool { return s.n.target&toOperation != 0 }

// Parts are the parts of the item's name that the value is.
func (s Spot) Parts() []int { return s.n.parts }

// NewBuilder returns a builder of its own for the mapping, which others may share.
func (m *Mapping) NewBuilder() *Builder {
	own := *m
	if m.times.zone != nil {
		zone := *m.times.zone // it remembers
		own.times.zone = &zone
	}
	return newBuilder(&own)
}

// CheckSize refuses a value that is not even looked at: none, or one that is too large.
func (m *Mapping) CheckSize(value []byte) *Error { return m.checkSize(value) }

// Place takes note that element index is being read of the array that is so deep among
// the arrays on the way to the items, for messages and for StartItem.
func (b *Builder) Place(depth, index int) { b.indexes = append(b.indexes[:depth], index) }

// Leave ends the array that Place has begun.
func (b *Builder) Leave(depth int) { b.indexes = b.indexes[:depth] }

// StartItem is BeginItem at the places of Place.
func (b *Builder) StartItem() *Error { return b.beginItem() }

// Len is the number of items so far.
func (b *Builder) Len() int { return len(b.items) }

// Refuse is the refusal of the value at a spot; detail says in a few words what is wrong.
func (b *Builder) Refuse(s Spot, detail string) *Error {
	return refuse(s.n.reason, b.pathOf(s.n), detail)
}

func (b *Builder) pathOf(n *node) string {
	switch {
	case n.inItem:
		return b.pathInItem(n.path)
	case n.item:
		return b.pathInItem(nil)
	}
	return string(appendPath(nil, n.path, b.indexes))
}

// Empty is the refusal of an array of items, at the given spot, that is empty.
func (b *Builder) Empty(s Spot) *Error {
	return refuse(Malformed, string(appendPath(nil, s.n.path, nil)), "is empty")
}

// Finish is End for a document that may lack what it must have: listed says that the
// array of items was found, operation that the kind of a change event was.
func (b *Builder) Finish(listed, operation bool) (*Event, *Error) {
	switch {
	case b.m.Envelope == Debezium && !operation:
		return nil, refuse(Malformed, "op", "is missing")
	case len(b.items) == 0 && !listed && !b.pending:
		return nil, refuse(Malformed, b.itemsPath(), "is missing")
	}
	return b.End()
}

// Operation gives the kind of a change event: only what is new can be counted.
func (b *Builder) Operation(kind []byte) *Error {
	switch string(kind) {
	case "c", "r":
		return nil
	case "u", "d", "t":
		return refuse(Update, "op", `"`+string(kind)+`" changes or removes what was there, and counts only grow`)
	}
	return refuse(Malformed, "op", excerpt(`"`+string(kind)+`"`)+" is not the kind of a change")
}

// TimeLocal gives a time that is a reading of the clock without a zone, as if it were
// UTC: it is that of the configured zone.
func (b *Builder) TimeLocal(ms int64) {
	if !inRange(ms) {
		b.TimeMillis(ms)
		return
	}
	seconds, local := b.m.times.zone.seconds(floorDiv(ms, 1000))
	b.TimeMillis(seconds*1000 + ms - floorDiv(ms, 1000)*1000)
	b.time.local = local
}
