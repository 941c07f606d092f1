package order

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"windowed/internal/fault"
)

// The names of the members that are read, besides the time.
const (
	nameItems    = "items"
	nameDrink    = "drink"
	nameQuantity = "quantity"
)

// Decoder decodes order records one after another and reuses its memory, so
// that an ordinary order costs no allocation. It is not safe for concurrent use.
type Decoder struct {
	config Config

	json   jsontext.Decoder
	source bytes.Buffer // what json reads: always the whole of value
	value  []byte       // the record value being decoded

	order Order
	items []Item
	// arena holds the drink names that had to be unescaped. Growing leaves
	// earlier names in the old array, which they keep alive.
	arena []byte
	// scratch holds one unescaped member name or time.
	scratch []byte

	// timeStart and timeEnd are where value holds the order's time, as written;
	// equal when it has none.
	timeStart, timeEnd int

	shapes shapes // of the orders lately accepted
	hour   hour   // of the last time read by match
	// time is the order's time as match has read it, and timed whether it was
	// the order that had one.
	time  int64
	timed bool
}

// NewDecoder returns a decoder with the given configuration. It fails when the
// time field is the items member or is not UTF-8, when the unit is unknown, and
// when a limit is negative.
func NewDecoder(config Config) (*Decoder, error) {
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	return &Decoder{config: config}, nil
}

// Decode decodes the value of one record. The record's own timestamp, in
// milliseconds since 1970-01-01 UTC, is used when the order has no time; a
// negative one means that the record has none either.
//
// It returns either an order or an error, never both and never part of an
// order. A nil value is refused as NullValue, whereas an empty one is malformed.
// The order is valid until the next Decode and only while value is left
// unchanged; value itself is not written to.
func (d *Decoder) Decode(value []byte, recordTime int64) (*Order, *Error) {
	if value == nil {
		return nil, refuse(NullValue, "", "the record has no value")
	}
	if len(value) > d.config.MaxRecord {
		return nil, refuse(TooLarge, "",
			fmt.Sprintf("the value has %d bytes, over the limit of %d", len(value), d.config.MaxRecord))
	}
	if d.matchKnown(value, recordTime) {
		d.order = Order{Time: d.time, Items: d.items}
		return &d.order, nil
	}
	order, refused := d.decodeStrict(value, recordTime)
	if refused != nil && len(d.items) > 0 && fault.Planted(fault.HalfOrder) {
		return &Order{Time: recordTime, Items: d.items}, nil
	}
	if refused == nil {
		d.shapes.learn(namesOf(d.config), value)
	}
	return order, refused
}

// decodeStrict decodes a value that is neither nil nor too large. It alone
// decides what is refused, and why.
func (d *Decoder) decodeStrict(value []byte, recordTime int64) (*Order, *Error) {
	d.begin(value)
	if fault := d.readDocument(); fault != nil {
		return nil, fault
	}
	ms, fault := d.orderTime(recordTime)
	if fault != nil {
		return nil, fault
	}
	d.order = Order{Time: ms, Items: d.items}
	return &d.order, nil
}

// begin makes the decoder ready to read value from its start. The library
// parses a bytes.Buffer in place, so positions it reports are positions in
// value and no byte is copied.
func (d *Decoder) begin(value []byte) {
	d.value = value
	d.source = *bytes.NewBuffer(value)
	d.json.Reset(&d.source)
	d.items, d.arena = d.items[:0], d.arena[:0]
	d.timeStart, d.timeEnd = 0, 0
}

// readDocument reads the whole value: one object and nothing else.
func (d *Decoder) readDocument() *Error {
	last, fault := d.readToken()
	if fault != nil {
		return fault
	}
	if last != '{' {
		return refuse(Malformed, "", "the value is not an object")
	}
	hasItems := false
	for {
		name, fault := d.readName()
		if fault != nil {
			return fault
		}
		if name == nil {
			break
		}
		if string(name) == nameItems {
			hasItems = true
			fault = d.readItems()
		} else {
			fault = d.readMember(name)
		}
		if fault != nil {
			return fault
		}
	}
	if !hasItems {
		return refuse(Malformed, nameItems, "is missing")
	}
	return d.checkEnd()
}

// readMember reads the value of a top-level member other than the items. Of the
// time only the place is kept: it is judged after the whole document.
func (d *Decoder) readMember(name []byte) *Error {
	raw, err := d.json.ReadValue()
	if err != nil {
		return syntaxFault(err)
	}
	if string(name) == d.config.TimeField && d.config.TimeField != "" {
		d.timeEnd = d.position()
		d.timeStart = d.timeEnd - len(raw)
	}
	return nil
}

// checkEnd refuses anything but white space after the object.
func (d *Decoder) checkEnd() *Error {
	for at := d.position(); at < len(d.value); at++ {
		if !isSpace(d.value[at]) {
			return refuse(Malformed, "", fmt.Sprintf("the object is followed by more at byte %d", at))
		}
	}
	return nil
}

// position returns how much of the value has been read.
func (d *Decoder) position() int { return int(d.json.InputOffset()) }

// readToken reads one token and returns its last byte, which tells what it is:
// a bracket or brace for itself, '"' for a string, and a digit or a letter for
// anything else.
func (d *Decoder) readToken() (last byte, fault *Error) {
	if _, err := d.json.ReadToken(); err != nil {
		return 0, syntaxFault(err)
	}
	return d.value[d.position()-1], nil
}

// readName reads the next member name of an object and returns it unescaped, or
// returns nil at the object's end. The name is valid until the next readName.
func (d *Decoder) readName() ([]byte, *Error) {
	start := d.position()
	last, fault := d.readToken()
	if fault != nil || last == '}' {
		return nil, fault
	}
	// The library does not give out a token's bytes without making a string.
	// Only white space and a comma can precede the name.
	for d.value[start] != '"' {
		start++
	}
	quoted := d.value[start:d.position()]
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1], nil
	}
	d.scratch = unquote(d.scratch[:0], quoted)
	return d.scratch, nil
}

// unquote appends the text of a JSON string that the library has accepted.
func unquote(dst, quoted []byte) []byte {
	// The only errors are those of a string that is not well-formed.
	dst, _ = jsontext.AppendUnquote(dst, quoted)
	return dst
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
