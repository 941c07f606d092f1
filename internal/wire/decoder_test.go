package wire

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"

	"windowed/internal/event"
)

const good = "1772360150520 latte=2"

// TestEachRecordIsWhatItsFirstByteSays: a topic may change from plain JSON to any format
// with a schema id, back and forth.
func TestEachRecordIsWhatItsFirstByteSays(t *testing.T) {
	r := newRegistry(t)
	inAvro := r.register(t, "orders-value", avroOrder, sr.TypeAvro)
	inJSON := r.register(t, "json-value", `{"type":"object"}`, sr.TypeJSON)
	inProtobuf := r.register(t, "proto-value", `syntax = "proto3"; message Order { int64 ts = 1; message Item { string drink = 1; int32 quantity = 2; } repeated Item items = 2; }`, sr.TypeProtobuf)
	values := map[Format][]byte{
		JSON: []byte(jsonOrder), Avro: latte(t, inAvro), JSONSchema: framed(inJSON, []byte(jsonOrder)...),
		Protobuf: framed(inProtobuf, append(binary.AppendUvarint([]byte{0, 1 << 3}, 1772360150520), "\x12\x09\x0a\x05latte\x10\x02"...)...),
	}
	d := decoder(t, Auto, r.schemas(t))
	for range 3 {
		for format, value := range values {
			check(t, format.String(), decoded(t, d, value), good)
		}
	}
	check(t, "tombstone", decoded(t, d, nil), "null_value the record has no value")
	check(t, "empty", decoded(t, d, []byte{}), "malformed the value is blank")

	// A format that is given takes nothing else.
	for only := JSON; only < numFormats; only++ {
		d := decoder(t, only, r.schemas(t))
		check(t, "tombstone of "+only.String(), decoded(t, d, nil), "null_value the record has no value")
		for format, value := range values {
			have := decoded(t, d, value)
			if format == only {
				check(t, only.String(), have, good)
			} else if !strings.HasPrefix(have, "malformed ") || !strings.Contains(have, "--format="+only.String()+" takes ") {
				t.Errorf("--format=%s says of %s: %s", only, format, have)
			}
		}
	}
}

func TestWhatIsWrongWithAHeaderIsSaid(t *testing.T) {
	r := newRegistry(t)
	inAvro := r.register(t, "orders-value", avroOrder, sr.TypeAvro)
	d := decoder(t, Auto, r.schemas(t))
	for value, want := range map[string]string{
		"\x00\x00\x00":                        "malformed the value begins with the magic byte of a schema id and has 3 bytes only; a header takes 5",
		"\x00\xff\xff\xff\xff{}":              "malformed the value begins with the magic byte of a schema id, but 4294967295 is none",
		string(framed(42, 1, 2)):              "malformed schema id 42 is not registered at " + r.URL(),
		string(framed(inAvro)):                "malformed the value ends before its end, in a value of type long (schema id 1)",
		"\x01" + string(latte(t, inAvro)[1:]): "malformed invalid character '\\x01' at start of value at byte 0",
	} {
		check(t, "value", decoded(t, d, []byte(value)), want)
	}
	check(t, "no registry", decoded(t, decoder(t, Auto, nil), framed(42, 1)),
		"malformed the value begins with the Confluent magic byte (schema id 42), but no --schema-registry is set")
	big := append(framed(inAvro), make([]byte, event.DefaultMaxRecord)...)
	if have := decoded(t, d, big); !strings.HasPrefix(have, "too_large ") {
		t.Error(have)
	}
}

func TestFormatsWithoutARegistryOrEnvelopeAreRefusedAtTheStart(t *testing.T) {
	r := newRegistry(t)
	for _, c := range []struct {
		format   Format
		envelope event.Envelope
		schemas  *Schemas
		want     string
	}{
		{Avro, event.NoEnvelope, nil, "--format=avro needs --schema-registry"},
		{Avro, event.Connect, r.schemas(t), "--format=avro has no envelope connect"},
		{Protobuf, event.Debezium, r.schemas(t), "--format=protobuf has no envelope debezium"},
		{Avro, event.Debezium, r.schemas(t), ""}, {JSONSchema, event.Connect, r.schemas(t), ""}, {Auto, event.CloudEvents, nil, ""},
	} {
		o := Options{Mapping: mapping(t, event.Config{Names: []string{"x"}, Envelope: c.envelope}), Format: c.format, Schemas: c.schemas}
		have := ""
		if err := o.Check(); err != nil {
			have = err.Error()
		}
		check(t, c.format.String(), have, c.want)
	}
	o := Options{Mapping: mapping(t, event.Config{Names: []string{"x"}, Envelope: event.CloudEvents}), Schemas: r.schemas(t)}
	d, err := o.NewDecoder()
	if err != nil {
		t.Fatal(err)
	}
	id := r.register(t, "orders-value", avroOrder, sr.TypeAvro)
	check(t, "an Avro record among CloudEvents", decoded(t, d, latte(t, id)), "malformed schema id 1 cannot be used: the envelope cloudevents is not known for Avro")
}

func TestJSONSchemaIsCheckedIfAskedFor(t *testing.T) {
	r := newRegistry(t)
	r.register(t, "item", `{"type":"object","properties":{"quantity":{"type":"integer","maximum":5}}}`, sr.TypeJSON)
	id := r.register(t, "orders-value", `{"type":"object","required":["shop"],"properties":{"items":{"type":"array","items":{"$ref":"item.json"}}}}`, sr.TypeJSON,
		sr.SchemaReference{Name: "item.json", Subject: "item", Version: 1})
	value := func(text string) []byte { return framed(id, []byte(text)...) }
	lax := decoder(t, Auto, r.schemas(t))
	strict := decoder(t, Auto, r.schemas(t, func(c *Config) { c.Validate = true }))
	check(t, "lax", decoded(t, lax, value(jsonOrder)), good)
	check(t, "strict", decoded(t, strict, value(jsonOrder)), "malformed is not as the JSON Schema says: missing property 'shop' (schema id 2)")
	check(t, "strict", decoded(t, strict, value(`{"shop":1,"ts":1772360150520,"items":[{"drink":"latte","quantity":2}]}`)), good)
	check(t, "strict", decoded(t, strict, value(`{"shop":1,"items":[{"drink":"latte","quantity":1},{"drink":"latte","quantity":7}]}`)),
		"malformed items[1].quantity: is not as the JSON Schema says: maximum: got 7, want 5 (schema id 2)")
	check(t, "no JSON", decoded(t, strict, value(`{`)), "malformed unexpected EOF at byte 1 (schema id 2)")
}

func TestReferencesAreFetched(t *testing.T) {
	r := newRegistry(t)
	r.register(t, "size", `{"type":"enum","name":"Size","symbols":["S","L"]}`, sr.TypeAvro)
	r.register(t, "item", `{"type":"record","name":"Item","fields":[{"name":"size","type":"Size"},{"name":"drink","type":"string"},{"name":"quantity","type":"int"}]}`, sr.TypeAvro,
		sr.SchemaReference{Name: "Size", Subject: "size", Version: 1})
	id := r.register(t, "orders-value", `{"type":"record","name":"Order","fields":[{"name":"items","type":{"type":"array","items":"Item"}}]}`, sr.TypeAvro,
		sr.SchemaReference{Name: "Item", Subject: "item", Version: 1})
	r.register(t, "line", `syntax = "proto3"; package acme; message Line { string drink = 1; int32 quantity = 2; }`, sr.TypeProtobuf)
	inProtobuf := r.register(t, "proto-value", `syntax = "proto3"; import "acme/line.proto"; message Order { repeated acme.Line items = 1; }`, sr.TypeProtobuf,
		sr.SchemaReference{Name: "acme/line.proto", Subject: "line", Version: 1})
	d := decoder(t, Auto, r.schemas(t))
	check(t, "Avro", decoded(t, d, framed(id, []byte("\x02\x02\x0alatte\x04\x00")...)), "7 latte=2")
	check(t, "Protobuf", decoded(t, d, framed(inProtobuf, []byte("\x00\x0a\x09\x0a\x05latte\x10\x02")...)), "7 latte=2")
}

// TestTheNewestVersionGivesAliasesAndDefaults: records of the version before are read by
// names and defaults of the newest.
func TestTheNewestVersionGivesAliasesAndDefaults(t *testing.T) {
	r := newRegistry(t)
	old := r.register(t, "orders-value", avroOrder, sr.TypeAvro)
	newest := strings.Replace(avroOrder, `{"name":"drink","type":"string"}`, `{"name":"beverage","aliases":["drink"],"type":"string"},{"name":"cups","type":"int","default":3}`, 1)
	now := r.register(t, "orders-value", newest, sr.TypeAvro)
	o := Options{Mapping: mapping(t, event.Config{TimeField: "ts", Items: "items", Names: []string{"beverage"}, Quantity: "cups"}), Schemas: r.schemas(t)}
	d, err := o.NewDecoder()
	if err != nil {
		t.Fatal(err)
	}
	check(t, "old", decoded(t, d, latte(t, old)), "1772360150520 latte=3")
	check(t, "new", decoded(t, d, avroValue(t, now, newest, map[string]any{"ts": 1772360150520, "items": []any{map[string]any{"beverage": "tea", "cups": 4, "quantity": 1}}})), "1772360150520 tea=4")
}

// FuzzHeader: whatever a value begins with, it is refused or decoded, and nothing else.
func FuzzHeader(f *testing.F) {
	r := newRegistry(f)
	inAvro := r.register(f, "orders-value", avroOrder, sr.TypeAvro)
	inProtobuf := r.register(f, "proto-value", `syntax = "proto3"; message M { string drink = 1; }`, sr.TypeProtobuf)
	s := r.schemas(f)
	s.learn(inAvro, mustLoad(f, s, inAvro))
	s.learn(inProtobuf, mustLoad(f, s, inProtobuf))
	d := decoder(f, Auto, s)
	f.Add([]byte(jsonOrder))
	f.Add(latte(f, inAvro))
	f.Add(framed(inProtobuf, []byte("\x00\x0a\x01x")...))
	f.Add(framed(inProtobuf, []byte("\x04\x02\x00\x0a\x01x")...))
	f.Add([]byte{0, 0, 0})
	f.Fuzz(func(t *testing.T, value []byte) {
		if id, _, fault := cutHeader(value); fault == nil && id != inAvro && id != inProtobuf {
			return // asking for all of them is for another test
		}
		e, fault := d.DecodeRecord(&event.Record{Value: value, Timestamp: 7})
		if (e == nil) == (fault == nil) {
			t.Fatalf("%x: %v and %v", value, e, fault)
		}
		if isFramed(value) && len(value) < headerSize && !strings.Contains(fault.Error(), "magic byte") {
			t.Errorf("%x: %v", value, fault)
		}
	})
}
