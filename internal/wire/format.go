// Package wire decodes the values of Kafka records: plain JSON, and Avro, Protobuf and
// JSON with the header that says under which id a schema registry has their schema.
//
// Decoding is pure: schemas are fetched before, outside of it. Schemas holds those that
// are known and fetches others; a Decoder reads records by them.
package wire

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/sr"
)

// Format is what the values of records are.
type Format uint8

// The formats. Auto decides by each record's first byte: with the header's magic byte,
// which no JSON begins with, it is what the registry says of the schema; without, it is
// plain JSON. So a topic may change from one to the other.
const (
	Auto Format = iota
	JSON
	Avro
	Protobuf
	JSONSchema

	numFormats
)

var formatTexts = [numFormats]string{Auto: "auto", JSON: "json", Avro: "avro", Protobuf: "protobuf", JSONSchema: "json-schema"}

// String is the format as --format takes it.
func (f Format) String() string {
	if f >= numFormats {
		return "unknown"
	}
	return formatTexts[f]
}

// ParseFormat returns the format of the given name: auto, json, avro, protobuf or
// json-schema.
func ParseFormat(text string) (Format, error) {
	for f, t := range formatTexts {
		if t == text {
			return Format(f), nil
		}
	}
	return Auto, fmt.Errorf("%q is no format (want auto, json, avro, protobuf or json-schema)", text)
}

// formatOf is the format of a schema of the registry's type.
func formatOf(t sr.SchemaType) Format {
	switch t {
	case sr.TypeProtobuf:
		return Protobuf
	case sr.TypeJSON:
		return JSONSchema
	}
	return Avro
}
