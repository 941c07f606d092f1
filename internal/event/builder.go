package event

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Builder puts together one event from what a reader of some format has found in a
// record, by the mapping's rules for names, quantities and times. It reuses its memory
// and is not safe for concurrent use.
//
// For every record a reader calls Begin, then for every item BeginItem, Name and Quantity
// as they come, and EndItem, and Time anywhere between; then End. The first error that
// any of them returns decides the record's fate.
type Builder struct {
	m      *Mapping
	record *Record
	lone   bool // one part of a name, which is in the item, and no list

	event Event
	items []Item
	// arena holds names that had to be put together. Growing leaves earlier names in
	// the old array, which they keep alive.
	arena []byte

	parts    [][]byte // of the item's name
	quantity int64    // of the item; 0 until it is known
	indexes  []int    // of the item, for Path
	pending  bool     // the record is the item, and has ended

	time, spare clock // the document's time, and its envelope's
}

// NewBuilder returns a builder of its own for the mapping, which others may share.
func (m *Mapping) NewBuilder() *Builder {
	own := *m
	if m.times.zone != nil {
		zone := *m.times.zone // it remembers
		own.times.zone = &zone
	}
	return &Builder{
		m: &own, parts: make([][]byte, len(m.Names)),
		lone: len(m.Names) == 1 && m.Names[0].From == FromItem && m.Split == "",
	}
}

// Mapping is the mapping the builder goes by.
func (b *Builder) Mapping() *Mapping { return b.m }

// Begin makes the builder ready for a record, which must not change until End.
func (b *Builder) Begin(r *Record) {
	b.record = r
	b.items, b.arena, b.indexes = b.items[:0], b.arena[:0], b.indexes[:0]
	b.time.found, b.spare.found = false, false
	b.pending = false
}

// Release forgets the last record and its event.
func (b *Builder) Release() {
	b.record = nil
	clear(b.items[:cap(b.items)])
	b.items = b.items[:0]
	clear(b.parts)
}

// BeginItem begins the next item, which is at the places given by Place.
func (b *Builder) BeginItem() *Error {
	if b.lone {
		b.parts[0] = nil // without the call that clearing any number of them is
	} else {
		clear(b.parts)
	}
	b.quantity = 0
	if len(b.items) == b.m.scope.items {
		return b.tooMany()
	}
	return nil
}

func (b *Builder) tooMany() *Error {
	return refuse(TooLarge, b.itemsPath(), fmt.Sprintf("has more than %d items", b.m.scope.items))
}

// Len is the number of items so far.
func (b *Builder) Len() int { return len(b.items) }

// Name gives one part of the item's name, which must be valid UTF-8 and not change until
// End.
func (b *Builder) Name(part int, text []byte) *Error {
	if fault := b.checkName(part, text); fault != nil {
		return fault
	}
	b.parts[part] = text
	return nil
}

func (b *Builder) checkName(part int, text []byte) *Error {
	switch {
	case len(text) == 0:
		return refuse(InvalidName, b.namePath(part), "is empty")
	case len(text) > b.m.scope.name && b.m.Split == "":
		return refuse(InvalidName, b.namePath(part),
			fmt.Sprintf("has %d bytes, over the limit of %d", len(text), b.m.scope.name))
	}
	return nil
}

// Quantity gives the item's quantity.
func (b *Builder) Quantity(n int64) *Error {
	if n < 1 || n > b.m.scope.quantity {
		return refuse(InvalidQuantity, b.quantityPath(), fmt.Sprintf("%d is not between 1 and %d", n, b.m.scope.quantity))
	}
	b.quantity = n
	return nil
}

// QuantityText gives the item's quantity as it is written in a format that has only
// texts: a whole number without a sign.
func (b *Builder) QuantityText(text []byte) *Error {
	n, end := readDigits(text, 0, timeDigits)
	if end != len(text) || len(text) == 0 {
		return refuse(InvalidQuantity, b.quantityPath(), excerpt(strconv.Quote(string(text)))+" is not a whole number")
	}
	return b.Quantity(n)
}

// EndItem ends the item: it needs all parts of its name, and its quantity if that is not
// always 1. When the record itself is the item, End says what is missing, after the time.
func (b *Builder) EndItem() *Error {
	if len(b.m.Items) == 0 {
		b.pending = true
		return nil
	}
	return b.finishItem()
}

func (b *Builder) finishItem() *Error {
	if b.m.Quantity == nil {
		b.quantity = 1
	}
	for i := range b.parts {
		if b.parts[i] == nil {
			if fault := b.outsidePart(i); fault != nil {
				return fault
			}
		}
	}
	if b.quantity == 0 {
		return refuse(InvalidQuantity, b.quantityPath(), "is missing")
	}
	if b.lone {
		b.items = append(b.items, Item{Name: b.parts[0], Quantity: b.quantity})
		return nil
	}
	name := b.join()
	if b.m.Split != "" {
		return b.split(name)
	}
	if len(name) > b.m.scope.name {
		return refuse(InvalidName, b.namePath(0), fmt.Sprintf("makes a name of %d bytes, over the limit of %d", len(name), b.m.scope.name))
	}
	b.items = append(b.items, Item{Name: name, Quantity: b.quantity})
	return nil
}

// outsidePart finds a part of the name that is not in the document.
func (b *Builder) outsidePart(part int) *Error {
	source := &b.m.Names[part]
	var text []byte
	switch source.From {
	case FromKey:
		text = b.record.Key
	case FromHeader:
		text, _ = b.record.header(source.Header)
	}
	if text == nil {
		return refuse(InvalidName, b.namePath(part), "is missing")
	}
	if !utf8.Valid(text) {
		return refuse(InvalidName, b.namePath(part), "is not valid UTF-8")
	}
	return b.Name(part, text)
}

// join puts the parts of a name together.
func (b *Builder) join() []byte {
	if len(b.parts) == 1 {
		return b.parts[0]
	}
	start := len(b.arena)
	for i, part := range b.parts {
		if i > 0 {
			b.arena = append(b.arena, b.m.Separator...)
		}
		b.arena = append(b.arena, part...)
	}
	return b.arena[start:len(b.arena):len(b.arena)]
}

// End returns the event, or why there is none.
func (b *Builder) End() (*Event, *Error) {
	ms, local, fault := b.when()
	if fault == nil && b.pending {
		fault = b.finishItem()
	}
	if fault != nil {
		return nil, fault
	}
	b.event = Event{Time: ms, Local: local, Items: b.items}
	return &b.event, nil
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

// Refuse is the refusal of the value at a spot; detail says in a few words what is wrong.
func (b *Builder) Refuse(s Spot, detail string) *Error {
	return refuse(s.n.reason, b.pathOf(s.n), detail)
}

// Empty is the refusal of an array of items, at the given spot, that is empty.
func (b *Builder) Empty(s Spot) *Error {
	return refuse(Malformed, string(appendPath(nil, s.n.path, nil)), "is empty")
}
