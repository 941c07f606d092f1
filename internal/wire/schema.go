package wire

import (
	"fmt"

	"windowed/internal/avro"
	"windowed/internal/event"
	"windowed/internal/protobuf"
)

// schema is what is known of one id. It does not change.
type schema struct {
	id     uint32
	format Format

	avro     *avro.Schema
	protobuf *protobuf.Schema
	json     *validator // nil: values are not validated

	// fault is why records of it are refused: it is not registered, or of no use. Empty:
	// they are not.
	fault string
}

// reader reads the payloads of one schema.
type reader interface {
	Decode(r *event.Record, payload []byte) (*event.Event, *event.Error)
	Release() // as event.Reader has it
}

// reader makes a reader for a decoder.
func (s *schema) reader(d *Decoder) (reader, *event.Error) {
	switch {
	case s.fault != "":
		return nil, malformed("%s", s.fault)
	case d.options.Format != Auto && d.options.Format != s.format:
		return nil, malformed("schema id %d is of format %s, and --format=%s takes nothing else", s.id, s.format, d.options.Format)
	}
	var read reader
	var err error
	switch s.format {
	case Avro:
		read, err = s.avro.Compile(d.builder)
	case Protobuf:
		read, err = s.protobuf.NewReader(d.builder)
	default:
		read = &jsonReader{decoder: d.json, validator: s.json}
	}
	if err != nil {
		return nil, malformed("schema id %d cannot be used: %v", s.id, err)
	}
	return read, nil
}

func malformed(format string, args ...any) *event.Error {
	return &event.Error{Reason: event.Malformed, Detail: fmt.Sprintf(format, args...)}
}
