package protobuf

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Document reads a payload whole, for a look at what is in it: messages are maps by the
// names of their fields, timestamps RFC 3339, enums their names. Fields that are not there
// and have no presence of their own have their default. It is slow.
func (s *Schema) Document(payload []byte) (any, error) {
	path, raw, fault := cutPath(payload, nil)
	if fault != nil {
		return nil, fault
	}
	d := s.message(path)
	if d == nil {
		return nil, fmt.Errorf("the schema has no message at %v", path)
	}
	m := dynamicpb.NewMessage(d)
	if err := proto.Unmarshal(raw, m); err != nil {
		return nil, err
	}
	return plainMessage(m), nil
}

// plainMessage is a message as JSON can have it; nil is null.
func plainMessage(m protoreflect.Message) any {
	d := m.Descriptor()
	switch {
	case d.FullName() == "google.protobuf.Timestamp":
		seconds, nanos := m.Get(d.Fields().ByNumber(1)).Int(), m.Get(d.Fields().ByNumber(2)).Int()
		return time.Unix(seconds, nanos).UTC().Format(time.RFC3339Nano)
	case slices.Contains(wrappers, d.FullName()):
		value := d.Fields().ByNumber(1)
		return plainValue(value, m.Get(value))
	}
	object := make(map[string]any)
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if !m.Has(f) && (f.HasPresence() || f.Kind() == protoreflect.GroupKind) {
			continue
		}
		object[string(f.Name())] = plainField(f, m.Get(f))
	}
	return object
}

func plainField(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch {
	case f.IsList():
		list := make([]any, v.List().Len())
		for i := range list {
			list[i] = plainValue(f, v.List().Get(i))
		}
		return list
	case f.IsMap():
		object := make(map[string]any)
		v.Map().Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
			object[key.String()] = plainValue(f.MapValue(), value)
			return true
		})
		return object
	}
	return plainValue(f, v)
}

func plainValue(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch value := v.Interface().(type) {
	case protoreflect.Message:
		return plainMessage(value)
	case protoreflect.EnumNumber:
		if known := f.Enum().Values().ByNumber(value); known != nil {
			return string(known.Name())
		}
		return value
	case []byte:
		return fmt.Sprintf("%d bytes", len(value))
	case float32:
		return finite(float64(value), 32)
	case float64:
		return finite(value, 64)
	default:
		return value
	}
}

// finite is a number, or the name of what JSON has no number for.
func finite(f float64, bits int) any {
	text := strconv.FormatFloat(f, 'g', -1, bits)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return text
	}
	return json.Number(text)
}
