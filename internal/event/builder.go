package event

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Record is what of a record an order is read from. Its slices stay the caller's.
type Record struct {
	Key       []byte
	Value     []byte // nil is a tombstone
	Headers   []Header
	Timestamp int64 // ms since 1970-01-01 UTC; negative is none
}

// Header is a header of a record.
type Header struct {
	Key   string
	Value []byte
}

// header returns the first header of the given name.
func (r *Record) header(name string) ([]byte, bool) {
	for i := range r.Headers {
		if r.Headers[i].Key == name {
			return r.Headers[i].Value, true
		}
	}
	return nil, false
}

// Builder puts together one order from what a reader of some format has found in a
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

// clock is a time that has been found.
type clock struct {
	ms    int64
	local Local
	found bool
	fault string // what is wrong with it; "" is nothing
}

// newBuilder returns a builder by the given mapping, which it has to itself.
func newBuilder(m *Mapping) *Builder {
	return &Builder{
		m: m, parts: make([][]byte, len(m.Names)),
		lone: len(m.Names) == 1 && m.Names[0].From == FromItem && m.Split == "",
	}
}

// Mapping is the mapping the builder goes by.
func (b *Builder) Mapping() *Mapping { return b.m }

// Begin makes the builder ready for a record, which must not change until End.
func (b *Builder) Begin(r *Record) {
	b.record = r
	b.items, b.arena, b.indexes = b.items[:0], b.arena[:0], b.indexes[:0]
	b.time, b.spare = clock{}, clock{}
	b.pending = false
}

// BeginItem begins the next item. index are its places in the arrays on the way to it,
// for messages.
func (b *Builder) BeginItem(index ...int) *Error {
	b.indexes = append(b.indexes[:0], index...)
	return b.beginItem()
}

func (b *Builder) beginItem() *Error {
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

// Time gives a time that is written as a text.
func (b *Builder) Time(text []byte) { b.time.text(&b.m.times, text) }

// TimeNumber gives a time that is written as a number in the way of JSON.
func (b *Builder) TimeNumber(raw []byte) { b.time.number(&b.m.times, raw) }

// TimeInteger gives a time as a number of the configured unit.
func (b *Builder) TimeInteger(n int64) {
	var digits [20]byte
	b.TimeNumber(strconv.AppendInt(digits[:0], n, 10))
}

// TimeMillis gives a time that says itself in milliseconds what it is.
func (b *Builder) TimeMillis(ms int64) {
	b.time = clock{ms: ms, found: true}
	if !inRange(ms) {
		b.time.fault = "is outside the years 0001 to 9999"
	}
}

// TimeFault gives a time that is none: detail says why.
func (b *Builder) TimeFault(detail string) { b.time = clock{found: true, fault: detail} }

func (c *clock) text(f *timeForm, text []byte) {
	c.found = true
	c.ms, c.local, c.fault = f.text(text)
}

func (c *clock) number(f *timeForm, raw []byte) {
	c.found, c.local = true, Exact
	c.ms, c.fault = f.number(raw)
}

// End returns the order, or why there is none.
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

// when is the order's time: the document's, or else its envelope's, or the record's.
func (b *Builder) when() (ms int64, local Local, fault *Error) {
	c, path := &b.time, b.m.Time
	if !c.found && b.spare.found {
		c, path = &b.spare, Path{{Name: "time"}}
	}
	if !c.found {
		ms, fault = checkRecordTime(b.record.Timestamp)
		return ms, Exact, fault
	}
	if c.fault != "" {
		return 0, Exact, refuse(Malformed, string(appendPath(nil, path, nil)), c.fault)
	}
	return c.ms, c.local, nil
}

func checkRecordTime(ms int64) (int64, *Error) {
	if ms < 0 {
		return 0, refuse(NoTimestamp, "", "neither the order nor the record has a timestamp")
	}
	if !inRange(ms) {
		return 0, refuse(Malformed, "", fmt.Sprintf("the record's timestamp %d is past the year 9999", ms))
	}
	return ms, nil
}
