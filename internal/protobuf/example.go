package protobuf

import (
	"encoding/binary"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Examples are payloads of every message of the file, by its name, with something in every
// field: numbers are 1, texts are text, and a oneof holds its first. They say whether a
// schema has what a mapping wants.
func (s *Schema) Examples(text string) (names []string, payloads [][]byte, err error) {
	for i := range s.file.Messages().Len() {
		d := s.file.Messages().Get(i)
		m := dynamicpb.NewMessage(d)
		fillExample(m, text, 0)
		raw, err := proto.Marshal(m)
		if err != nil {
			return nil, nil, err
		}
		head := binary.AppendVarint(binary.AppendVarint(nil, 1), int64(i))
		names, payloads = append(names, string(d.Name())), append(payloads, append(head, raw...))
	}
	return names, payloads, nil
}

// maxExample is how deep an example goes: messages may contain themselves.
const maxExample = 12

func fillExample(m protoreflect.Message, text string, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if of := f.ContainingOneof(); of != nil && m.WhichOneof(of) != nil || f.IsMap() || depth == maxExample && f.Message() != nil {
			continue
		}
		switch {
		case f.Message() != nil && f.IsList():
			fillExample(m.Mutable(f).List().AppendMutable().Message(), text, depth+1)
		case f.Message() != nil:
			fillExample(m.Mutable(f).Message(), text, depth+1)
		case f.IsList():
			m.Mutable(f).List().Append(exampleOf(f, text))
		default:
			m.Set(f, exampleOf(f, text))
		}
	}
}

func exampleOf(f protoreflect.FieldDescriptor, text string) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(values.Len() - 1).Number())
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(text)
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte{1})
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(1)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(1)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(1)
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(1)
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(1)
	}
	return protoreflect.ValueOfInt32(1)
}
