package avro_test

import (
	"fmt"
	"testing"

	"windowed/internal/event"
)

// jsonOrder is an ordinary order.
const jsonOrder = `{"order_id":1004217,"shop_id":7,"ts":"2026-03-01T10:15:50.520Z","items":[{"drink":"latte","quantity":2},{"drink":"americano","quantity":1},{"drink":"hot chocolate","quantity":1},{"drink":"tea","quantity":1}]}`

// BenchmarkDecode compares the same order as JSON and as Avro, with its time as a number
// and as a text, and with fields that nobody wants.
func BenchmarkDecode(b *testing.B) {
	lines := items("latte", 2, "americano", 1, "hot chocolate", 1, "tea", 1)
	more := `{"type":"record","name":"Order","fields":[{"name":"order_id","type":"long"},{"name":"shop_id","type":"int"},{"name":"till","type":["null","string"]},
		{"name":"ts","type":"string"},{"name":"tags","type":{"type":"map","values":"string"}},
		{"name":"items","type":{"type":"array","items":{"type":"record","name":"Item","fields":[{"name":"drink","type":"string"},{"name":"price","type":"double"},{"name":"quantity","type":"int"}]}}}]}`
	var priced []any
	for _, l := range lines {
		priced = append(priced, object{"drink": l.(object)["drink"], "quantity": l.(object)["quantity"], "price": 2.5})
	}
	b.Run("JSON", func(b *testing.B) {
		d, err := event.NewDecoder(plain)
		if err != nil {
			b.Fatal(err)
		}
		r := &event.Record{Value: []byte(jsonOrder)}
		b.ReportAllocs()
		for b.Loop() {
			if _, fault := d.DecodeRecord(r); fault != nil {
				b.Fatal(fault)
			}
		}
	})
	for _, c := range []struct {
		name, schema string
		value        object
	}{
		{"Avro", orderSchema, object{"order_id": 1004217, "shop_id": 7, "ts": at, "items": lines}},
		{"Avro with more", more, object{"order_id": 1004217, "shop_id": 7, "till": "front-1", "ts": "2026-03-01T10:15:50.520Z", "tags": object{"a": "x", "b": "y"}, "items": priced}},
	} {
		value := encode(b, c.schema, c.value)
		p := program(b, plain, c.schema, "")
		b.Run(fmt.Sprintf("%s, %d bytes", c.name, len(value)), func(b *testing.B) {
			r := &event.Record{Value: value}
			b.ReportAllocs()
			for b.Loop() {
				if _, fault := p.Decode(r, value); fault != nil {
					b.Fatal(fault)
				}
			}
		})
	}
}
