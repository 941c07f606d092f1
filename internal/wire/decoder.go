package wire

import (
	"fmt"

	"windowed/internal/event"
)

// Options are what records are decoded by.
type Options struct {
	Mapping *event.Mapping
	Format  Format
	// Schemas are those of the registry; nil: there is none, and records that need one
	// are refused.
	Schemas *Schemas
}

// Check refuses options under which no record could be decoded.
func (o *Options) Check() error {
	envelope := o.Mapping.Envelope
	switch {
	case o.Format > JSON && o.Schemas == nil:
		return fmt.Errorf("--format=%s needs --schema-registry", o.Format)
	case o.Format == Avro && envelope != event.NoEnvelope && envelope != event.Debezium,
		o.Format == Protobuf && envelope != event.NoEnvelope:
		return fmt.Errorf("--format=%s has no envelope %s", o.Format, envelope)
	}
	return nil
}

// Decoder decodes the records of one partition, one after another. It reuses its memory
// and is not safe for concurrent use.
type Decoder struct {
	options Options
	json    *event.Decoder
	builder *event.Builder // of the readers that are not for JSON

	readers map[uint32]known
	last    known // reader that was used last
}

// known is a reader of a schema.
type known struct {
	schema *schema
	reader reader
	fault  *event.Error // if there is none
}

// NewDecoder returns a decoder of its own for one partition.
func (o *Options) NewDecoder() (*Decoder, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	d := &Decoder{options: *o, builder: o.Mapping.NewBuilder(), readers: make(map[uint32]known)}
	var err error
	d.json, err = o.Mapping.NewDecoder()
	return d, err
}

// DecodeRecord decodes one record. It returns either an event or an error; the event is
// valid until the next record and only while the record is left unchanged.
//
// The schema of the record must be known by then: Schemas.Ready or Known has said so.
func (d *Decoder) DecodeRecord(r *event.Record) (*event.Event, *event.Error) {
	if !isFramed(r.Value) {
		if d.options.Format > JSON && r.Value != nil {
			return nil, malformed("the value does not begin with the magic byte 0 of a schema id, and --format=%s takes nothing else", d.options.Format)
		}
		return d.json.DecodeRecord(r)
	}
	if fault := d.options.Mapping.CheckSize(r.Value); fault != nil {
		return nil, fault
	}
	id, payload, fault := cutHeader(r.Value)
	switch {
	case fault != nil:
		return nil, fault
	case d.options.Format == JSON:
		return nil, malformed("the value begins with the magic byte of a schema id (%d), and --format=json takes plain JSON only", id)
	case d.options.Schemas == nil:
		return nil, malformed("the value begins with the Confluent magic byte (schema id %d), but no --schema-registry is set", id)
	}
	if k := &d.last; k.reader == nil || k.schema.id != id {
		*k = d.find(id)
	}
	if d.last.fault != nil {
		return nil, d.last.fault
	}
	e, fault := d.last.reader.Decode(r, payload)
	if fault != nil {
		fault.Detail += fmt.Sprintf(" (schema id %d)", id)
	}
	return e, fault
}

// Release implements event.Reader.
func (d *Decoder) Release() {
	d.json.Release()
	d.builder.Release()
	for _, k := range d.readers {
		k.reader.Release()
	}
}

// find returns the reader of a schema. One that has none is not remembered: an id that is
// not registered may be later.
func (d *Decoder) find(id uint32) known {
	if k, ok := d.readers[id]; ok {
		return k
	}
	s := d.options.Schemas.get(id)
	if s == nil {
		panic(fmt.Sprintf("wire: a record of schema id %d is decoded before that is known", id))
	}
	k := known{schema: s}
	if k.reader, k.fault = s.reader(d); k.fault == nil {
		d.readers[id] = k
	}
	return k
}
