package protobuf

import (
	"google.golang.org/protobuf/encoding/protowire"

	"windowed/internal/event"
)

// program reads messages of one type.
type program struct {
	*event.Builder
	root part

	slots  []slot // of the messages being read, the innermost last
	merged []byte // messages that came in pieces; growing leaves the earlier ones alone
	arrays int    // on the way to the items
	listed bool   // the array of items was found
}

// slot is what was found of one field. The last value counts, as the format has it.
type slot struct {
	found       bool
	value       value
	first, last int // of a list or map: where its values are
}

// value is a value as it was read.
type value struct {
	bits uint64 // of a number
	raw  []byte // of a text or message
}

func (p *program) decode(r *event.Record, message []byte) (*event.Event, *event.Error) {
	p.Begin(r)
	p.slots, p.merged, p.arrays, p.listed = p.slots[:0], p.merged[:0], 0, false
	if fault := p.single(&p.root, nil, value{raw: message}); fault != nil {
		return nil, fault
	}
	return p.Finish(p.listed, false)
}

// single takes one value, which may be an item.
func (p *program) single(at *part, f *field, v value) *event.Error {
	if !at.spot.IsItem() {
		return p.value(at, f, v)
	}
	if fault := p.BeginItem(); fault != nil {
		return fault
	}
	if fault := p.value(at, f, v); fault != nil {
		return fault
	}
	return p.EndItem()
}

// value takes one value; f is its field, of which the document itself has none.
func (p *program) value(at *part, f *field, v value) *event.Error {
	switch {
	case at.spot.IsArray():
		return p.Refuse(at.spot, "is not a repeated field")
	case at.special == timestamp:
		return p.giveTimestamp(at.spot, v.raw)
	case at.message != nil:
		return p.walk(at.message, v.raw)
	case f.FieldDescriptor.Message() != nil:
		return p.Refuse(at.spot, "is a message and is not a value")
	case !at.spot.IsValue():
		return p.Refuse(at.spot, "has type "+f.kind.String()+" and is not a message")
	}
	return p.give(at.spot, f, v)
}

// walk reads a message: first what is there, then, in the order of the numbers, what is
// wanted of it.
func (p *program) walk(m *message, b []byte) *event.Error {
	base := len(p.slots)
	for range m.fields {
		p.slots = append(p.slots, slot{})
	}
	if fault := p.scan(m, base, b); fault != nil {
		return fault
	}
	for i := range m.fields {
		f := &m.fields[i]
		if !f.want.Wanted() {
			continue
		}
		if fault := p.emit(f, p.slots[base+i], b); fault != nil {
			return fault
		}
	}
	p.slots = p.slots[:base]
	return nil
}

// find returns where the message has a field, -1 if nobody wants it.
func (m *message) find(number protowire.Number) int {
	if int(number) < len(m.index) {
		return int(m.index[number]) - 1
	}
	if number < lowNumbers {
		return -1
	}
	for i := range m.fields {
		if m.fields[i].number == number {
			return i
		}
	}
	return -1
}

func (p *program) scan(m *message, base int, b []byte) *event.Error {
	for at := 0; at < len(b); {
		start := at
		number, typ, n := protowire.ConsumeTag(b[at:])
		if n < 0 {
			return broken(n, at)
		}
		at += n
		i := m.find(number)
		if i < 0 {
			if n = protowire.ConsumeFieldValue(number, typ, b[at:]); n < 0 {
				return broken(n, at)
			}
			at += n
			continue
		}
		f := &m.fields[i]
		v, n := consume(number, typ, b[at:])
		if n < 0 {
			return broken(n, at)
		}
		at += n
		if typ != f.wire && !(f.packs && typ == protowire.BytesType) {
			continue // not this field, as the format has it
		}
		p.keep(m, base, i, v, start, at)
	}
	return nil
}

// keep takes note of a value of field i of a message, which lies between start and end.
func (p *program) keep(m *message, base, i int, v value, start, end int) {
	f, s := &m.fields[i], &p.slots[base+i]
	if f.oneof >= 0 {
		for j := range m.fields {
			if j != i && m.fields[j].oneof == f.oneof {
				p.slots[base+j] = slot{}
			}
		}
	}
	switch {
	case f.list || f.mapped:
		if !s.found {
			s.first = start
		}
		s.last = end
	case s.found && f.FieldDescriptor.Message() != nil:
		// Pieces of a message are one message.
		from := len(p.merged)
		p.merged = append(append(p.merged, s.value.raw...), v.raw...)
		s.value.raw = p.merged[from:len(p.merged):len(p.merged)]
	default:
		s.value = v
	}
	s.found = true
}

// consume reads the value behind a tag.
func consume(number protowire.Number, typ protowire.Type, b []byte) (v value, n int) {
	switch typ {
	case protowire.VarintType:
		v.bits, n = protowire.ConsumeVarint(b)
	case protowire.Fixed32Type:
		var bits uint32
		bits, n = protowire.ConsumeFixed32(b)
		v.bits = uint64(bits)
	case protowire.Fixed64Type:
		v.bits, n = protowire.ConsumeFixed64(b)
	case protowire.BytesType:
		v.raw, n = protowire.ConsumeBytes(b)
	case protowire.StartGroupType:
		v.raw, n = protowire.ConsumeGroup(number, b)
	default:
		n = protowire.ConsumeFieldValue(number, typ, b)
	}
	return v, n
}

func broken(n, at int) *event.Error {
	return malformed("%v at byte %d of a message", protowire.ParseError(n), at)
}

// emit hands on what was found of a field.
func (p *program) emit(f *field, s slot, b []byte) *event.Error {
	switch {
	case f.mapped:
		return p.emitMap(f, s, b)
	case f.list && f.want.IsArray():
		return p.emitList(f, s, b)
	case f.list && s.found:
		return p.Refuse(f.want, "is a repeated field and not one value")
	case s.found:
		return p.value(&f.part, f, s.value)
	case f.list || f.FieldDescriptor.Message() != nil:
		return nil // missing
	case f.want.IsArray() || !f.want.IsValue():
		return p.absent(f)
	case !f.HasPresence():
		return p.giveZero(f)
	case f.HasDefault():
		return p.giveDefault(f)
	}
	return nil
}

// absent judges a value that is not there where something in it is wanted.
func (p *program) absent(f *field) *event.Error {
	if f.HasPresence() {
		return nil
	}
	return p.value(&f.part, f, value{})
}

// emitList hands on the elements of a list. One on the way to the items keeps its places
// for messages.
func (p *program) emitList(f *field, s slot, b []byte) *event.Error {
	depth := p.arrays
	every := len(f.places) == 0
	if every {
		p.arrays++
	}
	p.listed = p.listed || f.want.IsList()
	count := 0
	for at := s.first; at < s.last; {
		number, typ, n := protowire.ConsumeTag(b[at:])
		at += n
		v, n := consume(number, typ, b[at:])
		at += n
		switch {
		case number != f.number:
		case typ == f.wire:
			if fault := p.element(f, v, depth, &count); fault != nil {
				return fault
			}
		case f.packs && typ == protowire.BytesType:
			for rest := v.raw; len(rest) > 0; rest = rest[n:] {
				if v, n = consume(number, f.wire, rest); n < 0 {
					return broken(n, at)
				}
				if fault := p.element(f, v, depth, &count); fault != nil {
					return fault
				}
			}
		}
	}
	if every {
		p.arrays = depth
		if count > 0 {
			p.Leave(depth)
		}
	}
	if f.want.IsList() && p.Len() == 0 {
		return p.Empty(f.want)
	}
	return nil
}

func (p *program) element(f *field, v value, depth int, count *int) *event.Error {
	at := &f.part
	if len(f.places) == 0 {
		p.Place(depth, *count)
	} else if *count < len(f.places) {
		at = &f.places[*count]
	}
	*count++
	if !at.spot.Wanted() {
		return nil
	}
	return p.single(at, f, v)
}

// emitMap hands on the values of the wanted keys; the last of a key counts.
func (p *program) emitMap(f *field, s slot, b []byte) *event.Error {
	if f.want.IsArray() || f.want.IsValue() {
		if !s.found {
			return nil
		}
		return p.Refuse(f.want, "is a map")
	}
	for i := range f.keys {
		k := &f.keys[i]
		last, found := value{}, false
		for at := s.first; at < s.last; {
			number, typ, n := protowire.ConsumeTag(b[at:])
			at += n
			entry, n := consume(number, typ, b[at:])
			at += n
			if number != f.number || typ != protowire.BytesType {
				continue
			}
			v, same, fault := p.entry(f, k, entry.raw)
			if fault != nil {
				return fault
			}
			if same {
				last, found = v, true
			}
		}
		if !found {
			continue
		}
		if fault := p.value(&k.value.part, k.value, last); fault != nil {
			return fault
		}
	}
	return nil
}

// entry reads an entry of a map, and says whether it has the wanted key.
func (p *program) entry(f *field, k *key, b []byte) (v value, same bool, fault *event.Error) {
	keyKind := f.MapKey().Kind()
	var name value
	for at := 0; at < len(b); {
		number, typ, n := protowire.ConsumeTag(b[at:])
		if n < 0 {
			return v, false, broken(n, at)
		}
		at += n
		found, n := consume(number, typ, b[at:])
		if n < 0 {
			return v, false, broken(n, at)
		}
		at += n
		switch {
		case number == 1 && typ == wireOf(keyKind):
			name = found
		case number == 2 && typ == f.value.wire && v.raw != nil && f.value.FieldDescriptor.Message() != nil:
			v.raw = append(append([]byte(nil), v.raw...), found.raw...)
		case number == 2 && typ == f.value.wire:
			v = found
		}
	}
	return v, keyText(keyKind, name) == k.name, nil
}
