package avro

import (
	"fmt"

	"windowed/internal/event"
)

// Program reads values of one schema. It reuses its memory, so that an ordinary value
// costs no allocation, and is not safe for concurrent use.
type Program struct {
	*event.Builder
	root *typ

	src       []byte
	at        int // the next byte of src
	depth     int
	arrays    int  // on the way to the items
	listed    bool // the array of items was found
	operation bool // the kind of a change event was found
}

// maxDepth is how deep values may be nested.
const maxDepth = 1000

// Release forgets the last record and its event.
func (p *Program) Release() {
	p.src = nil
	p.Builder.Release()
}

// Decode reads a record whose value, without its header, is payload. The event is valid
// until the next record and only while the record is left unchanged.
func (p *Program) Decode(r *event.Record, payload []byte) (*event.Event, *event.Error) {
	p.Begin(r)
	p.src, p.at, p.depth, p.arrays = payload, 0, 0, 0
	p.listed, p.operation = false, false
	if fault := p.walk(p.root); fault != nil {
		return nil, fault
	}
	if p.at < len(p.src) {
		return nil, malformed("the value is followed by %d more bytes", len(p.src)-p.at)
	}
	return p.Finish(p.listed, p.operation)
}

func malformed(format string, args ...any) *event.Error {
	return &event.Error{Reason: event.Malformed, Detail: fmt.Sprintf(format, args...)}
}

// short is the fault of a value that ends too early, or has a number that is none.
func (p *Program) short(t *typ) *event.Error {
	if p.at >= len(p.src) {
		return malformed("the value ends before its end, in a value of type %s", kindNames[t.kind])
	}
	return malformed("there is no value of type %s at byte %d", kindNames[t.kind], p.at)
}

// walk reads a value and does with it what its spot says.
func (p *Program) walk(t *typ) *event.Error {
	switch {
	case !t.wanted:
		return p.skip(t)
	case t.kind == unionKind:
		return p.walkUnion(t)
	case !t.spot.IsItem():
		return p.walkKind(t)
	case t.kind == nullKind && p.Mapping().Envelope == event.Debezium:
		return nil // a row that was deleted: the kind of the change says so
	}
	if fault := p.BeginItem(); fault != nil {
		return fault
	}
	if fault := p.walkKind(t); fault != nil {
		return fault
	}
	return p.EndItem()
}

func (p *Program) walkUnion(t *typ) *event.Error {
	at, ok := p.int32()
	if !ok {
		return p.short(t)
	}
	if at < 0 || int(at) >= len(t.branches) {
		return malformed("there is no branch %d in a union of %d at byte %d", at, len(t.branches), p.at)
	}
	if p.depth++; p.depth > maxDepth {
		return tooDeep()
	}
	fault := p.step(t.branches[at])
	p.depth--
	return fault
}

func tooDeep() *event.Error { return malformed("is nested more than %d deep", maxDepth) }

func (p *Program) walkKind(t *typ) *event.Error {
	switch {
	case t.spot.IsValue():
		return p.take(t)
	case t.spot.IsArray():
		if t.kind == arrayKind {
			return p.walkArray(t)
		}
		return p.other(t, "an array")
	case t.kind == recordKind:
		return p.walkRecord(t)
	case t.kind == mapKind:
		return p.walkMap(t)
	}
	return p.other(t, "a record")
}

// other refuses a value of another kind than is wanted; null on the way to something
// means that it is missing.
func (p *Program) other(t *typ, want string) *event.Error {
	if t.kind == nullKind && !t.spot.IsItem() && !t.spot.IsList() && !t.spot.IsRoot() {
		return nil
	}
	return p.Refuse(t.spot, "has type "+kindNames[t.kind]+" and is not "+want)
}

func (p *Program) walkRecord(t *typ) *event.Error {
	if p.depth++; p.depth > maxDepth {
		return tooDeep()
	}
	for _, f := range t.fields {
		if fault := p.step(f); fault != nil {
			return fault
		}
	}
	p.depth--
	for i := range t.defaults {
		if fault := p.assume(&t.defaults[i]); fault != nil {
			return fault
		}
	}
	return nil
}

// step is walk, by a shorter way for what most fields are and for numbers and lengths of
// one byte or few.
func (p *Program) step(t *typ) *event.Error {
	rest := p.src[p.at:]
	switch t.step {
	case passLong, passInt:
		for i := 0; i < min(len(rest), 4); i++ {
			if rest[i] < 0x80 {
				p.at += i + 1
				return nil
			}
		}
	case passText, takeName:
		if len(rest) == 0 || rest[0]&0x81 != 0 {
			break
		}
		end := int(rest[0]>>1) + 1
		if end > len(rest) {
			break
		}
		p.at += end
		if t.step == takeName {
			return p.NameText(t.part, rest[1:end:end])
		}
		return nil
	case passChunk:
		if t.size <= len(rest) {
			p.at += t.size
			return nil
		}
	case takeQuantity:
		if len(rest) > 0 && rest[0]&0x81 == 0 {
			p.at++
			return p.Quantity(int64(rest[0] >> 1))
		}
	case takeMillis:
		if ms, ok := p.long(); ok {
			p.TimeMillis(ms)
			return nil
		}
		return p.short(t)
	}
	return p.walk(t)
}

// assume reads a default in place of a field that the writer does not know.
func (p *Program) assume(m *missing) *event.Error {
	src, at := p.src, p.at
	p.src, p.at = m.bytes, 0
	fault := p.walk(m.typ)
	p.src, p.at = src, at
	return fault
}

// block reads how many elements follow, 0 at the end. A negative number comes with the
// size of the block, which nobody here needs.
func (p *Program) block(t *typ) (int64, *event.Error) {
	n, ok := p.long()
	if ok && n < 0 {
		n = -n
		_, ok = p.long()
	}
	if !ok {
		return 0, p.short(t)
	}
	if n < 0 {
		return 0, malformed("a block of the type %s has no length at byte %d", kindNames[t.kind], p.at)
	}
	return n, nil
}

// maxEmpty is how many elements that take no bytes an array may have.
const maxEmpty = 4 << 10

// fits refuses a block with more elements than there can be; before is how many there
// were.
func (p *Program) fits(t *typ, n, before int64) *event.Error {
	if t.kind == arrayKind && t.items.empty {
		if n > maxEmpty-before {
			return malformed("an array has more than %d elements that take no bytes", maxEmpty)
		}
		return nil
	}
	if n > int64(len(p.src)-p.at) {
		return malformed("a block of the type %s has %d elements in %d bytes", kindNames[t.kind], n, len(p.src)-p.at)
	}
	return nil
}

// element is walk, by a shorter way for what most elements are.
func (p *Program) element(t *typ) *event.Error {
	if !t.item {
		return p.walk(t)
	}
	if fault := p.BeginItem(); fault != nil {
		return fault
	}
	if fault := p.walkRecord(t); fault != nil {
		return fault
	}
	return p.EndItem()
}

// walkArray reads an array. One on the way to the items keeps its places for messages.
func (p *Program) walkArray(t *typ) *event.Error {
	every := len(t.places) == 0
	depth := p.arrays
	if every {
		p.arrays++
	}
	if p.depth++; p.depth > maxDepth {
		return tooDeep()
	}
	p.listed = p.listed || t.spot.IsList()
	count := int64(0)
	for {
		n, fault := p.block(t)
		if fault == nil && n > 0 {
			fault = p.fits(t, n, count)
		}
		if fault != nil {
			return fault
		}
		if n == 0 {
			break
		}
		for range n {
			element := t.items
			if every {
				p.Place(depth, int(count))
			} else if count < int64(len(t.places)) {
				element = t.places[count]
			}
			if fault := p.element(element); fault != nil {
				return fault
			}
			count++
		}
	}
	p.depth--
	if every {
		p.arrays = depth
		if count > 0 {
			p.Leave(depth)
		}
	}
	if t.spot.IsList() && p.Len() == 0 {
		return p.Empty(t.spot)
	}
	return nil
}

// walkMap reads a map of which some keys are wanted.
func (p *Program) walkMap(t *typ) *event.Error {
	if p.depth++; p.depth > maxDepth {
		return tooDeep()
	}
	var seen uint64
	for {
		n, fault := p.block(t)
		if fault == nil && n > 0 {
			fault = p.fits(t, n, 0)
		}
		if fault != nil {
			return fault
		}
		if n == 0 {
			p.depth--
			return nil
		}
		for range n {
			name, ok := p.bytes()
			if !ok {
				return p.short(t)
			}
			value := t.items
			for i := range t.keys {
				if t.keys[i].name != string(name) {
					continue
				}
				if value = t.keys[i].typ; seen>>i&1 != 0 {
					return p.Refuse(value.spot, "is there twice")
				}
				seen |= 1 << i
			}
			if fault := p.walk(value); fault != nil {
				return fault
			}
		}
	}
}
