package event

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"windowed/internal/fault"
)

// Decoder decodes JSON records one after another and reuses its memory, so
// that an ordinary one costs no allocation. It is not safe for concurrent use.
type Decoder struct {
	Builder
	plans [2]*node // the second for CloudEvents in structured form

	json   jsontext.Decoder
	source bytes.Buffer // what json reads: always the whole of value
	value  []byte       // the record value being decoded
	plan   *node        // of the record being decoded
	depth  int          // of arrays on the way to the items
	listed bool         // whether the array of items was found
	// operation says that a change event's kind was found.
	operation bool
	imaged    bool // and what is new
	// scratch holds one unescaped member name or time.
	scratch []byte

	shapes           shapes   // of the records lately accepted
	structuredShapes shapes   // of those read by the second plan
	hour             hour     // of the last time read by match
	last             struct { // time read by match, if its layout is configured
		text  []byte
		ms    int64
		local Local
	}

	plainRecord Record // of Decode
}

// NewDecoder returns a decoder with the given configuration, of which it says what is
// wrong with it.
func NewDecoder(config Config) (*Decoder, error) {
	m, err := NewMapping(config)
	if err != nil {
		return nil, err
	}
	return m.NewDecoder()
}

// NewDecoder returns a decoder by the mapping. It fails when two of its paths exclude
// each other.
func (m *Mapping) NewDecoder() (*Decoder, error) {
	d := &Decoder{Builder: *m.NewBuilder()}
	var err error
	if d.plans[0], d.plans[1], err = m.plans(); err != nil {
		return nil, err
	}
	return d, nil
}

// Decode decodes a record that has a value and a timestamp only; see DecodeRecord.
func (d *Decoder) Decode(value []byte, recordTime int64) (*Event, *Error) {
	d.plainRecord = Record{Value: value, Timestamp: recordTime}
	return d.DecodeRecord(&d.plainRecord)
}

// DecodeRecord decodes one record. Its timestamp is used when the document has no time.
//
// It returns either an event or an error, never both and never part of an
// event. A nil value is refused as NullValue, whereas an empty one is malformed.
// The event is valid until the next record and only while the record is left
// unchanged; it is not written to.
func (d *Decoder) DecodeRecord(r *Record) (*Event, *Error) {
	if r.Value == nil || len(r.Value) > d.m.scope.record {
		return nil, d.m.CheckSize(r.Value)
	}
	d.Begin(r)
	shapes := d.choose(r)
	if d.matchKnown(shapes, r) {
		return &d.event, nil
	}
	d.Begin(r)
	d.choose(r)
	event, refused := d.decodeStrict(r)
	if refused != nil && len(d.items) > 0 && fault.Planted(fault.HalfOrder) {
		return &Event{Time: r.Timestamp, Items: d.items}, nil
	}
	if refused == nil {
		shapes.learn(d.plan, r.Value)
	}
	return event, refused
}

// Release implements Reader.
func (d *Decoder) Release() {
	d.Builder.Release()
	d.plainRecord = Record{}
	if d.value != nil {
		d.value, d.source = nil, bytes.Buffer{}
		d.json.Reset(&d.source)
	}
}

// choose picks the plan by the record's headers.
func (d *Decoder) choose(r *Record) *shapes {
	d.plan = d.plans[0]
	if d.plans[1] == nil {
		return &d.shapes
	}
	return d.chooseEvent(r)
}

// chooseEvent is choose for CloudEvents: which form it has is in the headers.
func (d *Decoder) chooseEvent(r *Record) *shapes {
	if _, binary := r.header(specVersionHeader); !binary {
		d.plan = d.plans[1]
		return &d.structuredShapes
	}
	if text, ok := r.header(timeHeader); ok {
		d.spare.text(&envelopeTimes, text)
	}
	return &d.shapes
}

// envelopeTimes is how envelopes write their time.
var envelopeTimes = timeForm{form: formRFC3339, zone: &zone{utc: true}}

// decodeStrict decodes a value that is neither nil nor too large. It alone
// decides what is refused, and why.
func (d *Decoder) decodeStrict(r *Record) (*Event, *Error) {
	d.value = r.Value
	// The library parses a bytes.Buffer in place, so positions it reports are
	// positions in value and no byte is copied.
	d.source = *bytes.NewBuffer(d.value)
	d.json.Reset(&d.source)
	d.depth, d.listed, d.operation, d.imaged = 0, false, false, false
	if fault := d.read(d.plan); fault != nil {
		return nil, fault
	}
	if fault := d.checkFound(); fault != nil {
		return nil, fault
	}
	if fault := d.checkEnd(); fault != nil {
		return nil, fault
	}
	return d.End()
}

// checkFound refuses a document without items, or without what its envelope must have.
func (d *Decoder) checkFound() *Error {
	switch {
	case d.m.Envelope == Debezium && !d.operation:
		return refuse(Malformed, "op", "is missing")
	case len(d.items) > 0 || d.listed || d.pending:
		return nil
	case d.plan == d.plans[1] && len(d.m.Items) == 0:
		return refuse(Malformed, "data", "is missing")
	}
	return refuse(Malformed, d.itemsPath(), "is missing")
}

// read reads a value and does with it what the node says; nil: nothing.
func (d *Decoder) read(n *node) *Error {
	if n == nil {
		if _, err := d.json.ReadValue(); err != nil {
			return syntaxFault(err)
		}
		return nil
	}
	if n.image {
		if d.imaged {
			return refuse(Malformed, "after", "is there twice: alone and in payload")
		}
		d.imaged = true
	}
	if !n.item {
		return d.readKind(n)
	}
	if fault := d.BeginItem(); fault != nil {
		if n.members != nil && d.json.PeekKind() != '{' {
			return d.readKind(n) // one too many, and not even an item
		}
		return fault
	}
	if fault := d.readKind(n); fault != nil {
		return fault
	}
	return d.EndItem()
}

func (d *Decoder) readKind(n *node) *Error {
	switch {
	case n.target != 0:
		return d.readTarget(n)
	case n.every != nil || n.places != nil:
		return d.readArray(n)
	}
	return d.readObject(n)
}

// open reads the beginning of an object or array. It reports false for a null on the way
// to something: then that is missing.
func (d *Decoder) open(n *node, bracket byte, kind string) (bool, *Error) {
	last, fault := d.readToken()
	switch {
	case fault != nil:
		return false, fault
	case last == bracket:
		return true, nil
	case n.root:
		return false, refuse(Malformed, "", "the value is not "+kind)
	case last == 'l' && (n.image || !n.item && !n.list):
		return false, nil
	}
	return false, refuse(n.reason, d.pathOf(n), "is not "+kind)
}

func (d *Decoder) readObject(n *node) *Error {
	if ok, fault := d.open(n, '{', "an object"); fault != nil || !ok {
		return fault
	}
	for {
		name, fault := d.readName()
		if fault != nil || name == nil {
			return fault
		}
		if fault = d.read(n.member(name)); fault != nil {
			return fault
		}
	}
}

// readArray reads an array. One on the way to the items keeps its places for messages.
func (d *Decoder) readArray(n *node) *Error {
	if ok, fault := d.open(n, '[', "an array"); fault != nil || !ok {
		return fault
	}
	if n.every != nil {
		d.indexes = append(d.indexes, 0)
		d.depth++
		defer func() { d.depth-- }()
	}
	d.listed = d.listed || n.list
	for index := 0; d.json.PeekKind() != ']'; index++ {
		if n.every != nil {
			d.indexes = append(d.indexes[:d.depth-1], index)
		}
		if fault := d.read(n.elementAt(index)); fault != nil {
			return fault
		}
	}
	if n.every != nil {
		d.indexes = d.indexes[:d.depth-1]
	}
	if n.list && len(d.items) == 0 {
		return refuse(Malformed, string(appendPath(nil, n.path, nil)), "is empty")
	}
	_, fault := d.readToken()
	return fault
}

// checkEnd refuses anything but white space after the document.
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
// a bracket or brace for itself, '"' for a string, 'l' for null, and a digit or
// another letter for anything else.
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
