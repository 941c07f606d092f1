package wire

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Document is a record's value as JSON, for a look at what is in it.
type Document struct {
	Format Format // Auto if nobody knows
	ID     uint32 // of its schema; 0 for plain JSON
	JSON   []byte // the value itself if that is JSON; nil if it cannot be read
}

// Document reads a value, whose schema must be known by then. It is slow.
func (o *Options) Document(value []byte) (Document, error) {
	if !isFramed(value) {
		return Document{Format: JSON, JSON: value}, nil
	}
	id, payload, fault := cutHeader(value)
	if fault != nil {
		return Document{}, fault
	}
	d := Document{ID: id}
	if o.Schemas == nil {
		return d, errors.New("no schema registry is set")
	}
	s := o.Schemas.get(id)
	if s == nil || s.fault != "" {
		return d, fmt.Errorf("schema id %d is of no use", id)
	}
	var document any
	var err error
	switch d.Format = s.format; s.format {
	case Avro:
		document, err = s.avro.Document(payload)
	case Protobuf:
		document, err = s.protobuf.Document(payload)
	default:
		d.JSON = payload
		return d, nil
	}
	if err != nil {
		return d, err
	}
	d.JSON, err = json.Marshal(document)
	return d, err
}
