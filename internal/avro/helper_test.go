package avro_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	lib "github.com/twmb/avro"

	"windowed/internal/avro"
	"windowed/internal/event"
)

// orderSchema is the schema of an order as its producers would write it.
const orderSchema = `{"type":"record","name":"Order","namespace":"brew","fields":[
	{"name":"order_id","type":"long"},
	{"name":"shop_id","type":"int"},
	{"name":"ts","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"default":null},
	{"name":"items","type":{"type":"array","items":{"type":"record","name":"Item","fields":[
		{"name":"drink","type":"string"},
		{"name":"quantity","type":"int"}]}}}]}`

// program compiles a schema for a mapping; reader is the newest version, or empty.
func program(t testing.TB, config event.Config, writer, reader string, references ...string) *avro.Program {
	t.Helper()
	m, err := event.NewMapping(config)
	if err != nil {
		t.Fatal(err)
	}
	var newest *avro.Text
	if reader != "" {
		newest = &avro.Text{Schema: reader, References: references}
	}
	s, err := avro.Parse(avro.Text{Schema: writer, References: references}, newest)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Compile(m.NewBuilder())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func encode(t testing.TB, schema string, v any) []byte {
	t.Helper()
	b, err := lib.MustParse(schema).Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// told is an event, or why there is none, as one line.
func told(e *event.Event, fault *event.Error) string {
	if fault != nil {
		return fault.Reason.String() + " " + fault.Error()
	}
	var parts []string
	for _, it := range e.Items {
		parts = append(parts, fmt.Sprintf("%s=%d", it.Name, it.Quantity))
	}
	return fmt.Sprintf("%d %s", e.Time, strings.Join(parts, ","))
}

// decoded is what becomes of a value whose record was made at 7 ms.
func decoded(p *avro.Program, payload []byte) string {
	return told(p.Decode(&event.Record{Value: payload, Timestamp: 7}, payload))
}

func check(t *testing.T, p *avro.Program, payload []byte, want string) {
	t.Helper()
	if have := decoded(p, slices.Clone(payload)); have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
}

// object is a record or map of Avro, in Go.
type object = map[string]any

func items(pairs ...any) []any {
	var all []any
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, object{"drink": pairs[i], "quantity": pairs[i+1]})
	}
	return all
}

// encodeWith encodes by a schema that refers to others.
func encodeWith(t testing.TB, schema string, v any, references ...string) []byte {
	t.Helper()
	var cache lib.SchemaCache
	for _, r := range references {
		if _, err := cache.Parse(r); err != nil {
			t.Fatal(err)
		}
	}
	s, err := cache.Parse(schema)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
