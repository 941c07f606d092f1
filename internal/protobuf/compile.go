package protobuf

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"windowed/internal/event"
)

// message is a type of messages at one place of a document.
type message struct {
	fields []field // what is wanted, or excludes what is, by number
	index  []int16 // in fields, plus one, of the low numbers
	rivals bool    // some fields exclude each other
}

// field is one that is wanted, or that is in a oneof with one that is.
type field struct {
	protoreflect.FieldDescriptor
	number protowire.Number
	kind   protoreflect.Kind
	wire   protowire.Type
	want   event.Spot // of the whole field
	list   bool
	mapped bool
	packs  bool // several values may come in one
	oneof  int  // -1: in none that matters

	part          // the value, or each element of a list
	places []part // of a list of which some elements are wanted: up to the last
	keys   []key  // of a map
	value  *field // of a map: the entry's value
}

// part is a value and what is wanted of it.
type part struct {
	spot    event.Spot
	special special
	message *message // of one that is no special one
}

type key struct {
	name  string
	value *field
}

// special are messages that mean one value.
type special uint8

const (
	ordinary special = iota
	timestamp
	wrapper
)

var wrappers = []protoreflect.FullName{
	"google.protobuf.StringValue", "google.protobuf.Int32Value", "google.protobuf.Int64Value", "google.protobuf.UInt32Value",
	"google.protobuf.UInt64Value", "google.protobuf.FloatValue", "google.protobuf.DoubleValue", "google.protobuf.BoolValue",
}

// lowNumbers are found by an index.
const lowNumbers = 64

// compile makes the message of a descriptor and a spot. Messages may contain themselves:
// paths end.
func compile(d protoreflect.MessageDescriptor, spot event.Spot) *message {
	m := new(message)
	oneofs := make(map[protoreflect.Name]int)
	for i := range d.Fields().Len() {
		fd := d.Fields().Get(i)
		wanted, ok := find(spot, fd)
		if !ok {
			continue
		}
		f := compileField(fd, wanted)
		if of := fd.ContainingOneof(); of != nil && !of.IsSynthetic() {
			if _, known := oneofs[of.Name()]; !known {
				oneofs[of.Name()] = len(oneofs)
			}
			m.rivals, f.oneof = true, oneofs[of.Name()]
		}
		m.fields = append(m.fields, f)
	}
	m.addRivals(d, oneofs)
	slices.SortFunc(m.fields, func(a, b field) int { return int(a.number) - int(b.number) })
	for i := range m.fields {
		if n := int(m.fields[i].number); n < lowNumbers {
			m.index = append(m.index, make([]int16, max(0, n+1-len(m.index)))...)
			m.index[n] = int16(i + 1)
		}
	}
	return m
}

// addRivals adds the fields that nobody wants, but that end a wanted one of their oneof.
func (m *message) addRivals(d protoreflect.MessageDescriptor, oneofs map[protoreflect.Name]int) {
	for i := range d.Fields().Len() {
		fd := d.Fields().Get(i)
		of := fd.ContainingOneof()
		if of == nil || slices.ContainsFunc(m.fields, func(f field) bool { return f.number == fd.Number() }) {
			continue
		}
		if at, known := oneofs[of.Name()]; known {
			f := compileField(fd, event.Spot{})
			f.oneof = at
			m.fields = append(m.fields, f)
		}
	}
}

// find finds what is wanted of a field: paths have its name, or that in JSON.
func find(spot event.Spot, fd protoreflect.FieldDescriptor) (event.Spot, bool) {
	for name, wanted := range spot.Members() {
		if name == string(fd.Name()) || name == fd.JSONName() {
			return wanted, true
		}
	}
	return event.Spot{}, false
}

func compileField(fd protoreflect.FieldDescriptor, spot event.Spot) field {
	f := field{
		FieldDescriptor: fd, number: fd.Number(), kind: fd.Kind(), wire: wireOf(fd.Kind()), want: spot,
		list: fd.IsList(), mapped: fd.IsMap(), oneof: -1,
	}
	f.packs = f.list && f.wire != protowire.BytesType && f.wire != protowire.StartGroupType
	switch {
	case !spot.Wanted():
	case f.mapped && !spot.IsArray() && !spot.IsValue():
		value := compileField(fd.MapValue(), event.Spot{})
		f.value = &value
		for name, wanted := range spot.Members() {
			value := compileField(fd.MapValue(), wanted)
			f.keys = append(f.keys, key{name, &value})
		}
	case f.list && spot.IsArray():
		each, last := spot.Elements()
		f.part = f.at(each)
		for i := range last + 1 {
			f.places = append(f.places, f.at(spot.At(i)))
		}
	case !f.list && !f.mapped:
		f.part = f.at(spot)
	}
	return f
}

// at compiles the value of a field, or of an element of it, at a spot.
func (f *field) at(spot event.Spot) part {
	d := f.Message()
	switch {
	case !spot.Wanted() || d == nil:
		return part{spot: spot}
	case spot.IsValue() && d.FullName() == "google.protobuf.Timestamp":
		return part{spot: spot, special: timestamp}
	case spot.IsValue() && slices.Contains(wrappers, d.FullName()):
		value := compileField(d.Fields().ByNumber(1), spot)
		return part{spot: spot, special: wrapper, message: &message{fields: []field{value}, index: []int16{0, 1}}}
	case spot.IsValue() || spot.IsArray():
		return part{spot: spot}
	}
	return part{spot: spot, message: compile(d, spot)}
}

// wireOf is how values of a kind are written when they are not packed.
func wireOf(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	}
	return protowire.VarintType
}
