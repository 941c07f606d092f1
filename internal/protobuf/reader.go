package protobuf

import (
	"encoding/binary"
	"fmt"
	"slices"

	"windowed/internal/event"
)

// Reader reads records of one schema. A record says which of its messages it is. It reuses
// its memory and is not safe for concurrent use.
type Reader struct {
	schema   *Schema
	builder  *event.Builder
	programs []indexed // the messages seen so far
	places   [maxNested]int
}

type indexed struct {
	path    []int
	program *program
}

// NewReader returns a reader that goes by the builder's mapping.
func (s *Schema) NewReader(b *event.Builder) (*Reader, error) {
	if e := b.Mapping().Envelope; e != event.NoEnvelope {
		return nil, fmt.Errorf("the envelope %s is not known for Protobuf", e)
	}
	return &Reader{schema: s, builder: b}, nil
}

// maxNested is how deep the message of a record may be defined in others.
const maxNested = 16

// Decode reads a record whose value, without its header's magic byte and id, is payload:
// the place of its message, then the message. The event is valid until the next record
// and only while the record is left unchanged.
func (d *Reader) Decode(r *event.Record, payload []byte) (*event.Event, *event.Error) {
	path, message, fault := cutPath(payload, d.places[:0])
	if fault != nil {
		return nil, fault
	}
	p, fault := d.program(path)
	if fault != nil {
		return nil, fault
	}
	return p.decode(r, message)
}

// Release forgets the last record and its event.
func (d *Reader) Release() {
	for _, p := range d.programs {
		clear(p.program.slots[:cap(p.program.slots)])
	}
	d.builder.Release()
}

func (d *Reader) program(path []int) (*program, *event.Error) {
	for i := range d.programs {
		if slices.Equal(d.programs[i].path, path) {
			return d.programs[i].program, nil
		}
	}
	message := d.schema.message(path)
	if message == nil {
		return nil, malformed("the schema has no message at %v", path)
	}
	root, err := d.builder.Mapping().Root()
	if err != nil {
		return nil, malformed("%v", err)
	}
	p := &program{Builder: d.builder, root: part{spot: root, message: compile(message, root)}}
	d.programs = append(d.programs, indexed{slices.Clone(path), p})
	return p, nil
}

// cutPath reads the place of a message in its file: how many numbers, and the numbers, of
// which a single 0 stands for one that is 0.
func cutPath(b []byte, path []int) (_ []int, rest []byte, _ *event.Error) {
	n, size := binary.Varint(b)
	if size <= 0 || n < 0 || n > maxNested {
		return nil, nil, malformed("the header has no message indexes behind the schema id")
	}
	b = b[size:]
	if n == 0 {
		return append(path, 0), b, nil
	}
	for range n {
		at, size := binary.Varint(b)
		if size <= 0 || at < 0 || at > 1<<20 {
			return nil, nil, malformed("the header's message indexes are cut or no indexes")
		}
		path, b = append(path, int(at)), b[size:]
	}
	return path, b, nil
}

func malformed(format string, args ...any) *event.Error {
	return &event.Error{Reason: event.Malformed, Detail: fmt.Sprintf(format, args...)}
}
