package event

import (
	"fmt"
	"testing"
)

// plainOrder is an order as shops send it.
const plainOrder = `{"order_id":1004217,"shop_id":7,"till":"front-2 left","ts":"2026-03-01T10:15:50.520Z","items":[` +
	`{"drink":"latte","quantity":2},{"drink":"flat white","quantity":1},{"drink":"americano","quantity":12}]}`

func BenchmarkDecode(b *testing.B) {
	benchmarks := []struct{ name, value string }{
		{"plain", plainOrder},
		{"escaped", `{"ts":1772360150520,"items":[{"drink":"caf\u00e9","quantity":2},{"drink":"th\u00e9","quantity":1}]}`},
		{"nested", `{"meta":{"a":[1,2,{"b":null}],"c":"x"},"items":[{"drink":"latte","quantity":2,"extra":{"milk":"oat"}}]}`},
	}
	for _, bench := range benchmarks {
		b.Run(fmt.Sprintf("%s-%dB", bench.name, len(bench.value)), func(b *testing.B) {
			decoder := mustDecoder(b, Config{TimeField: "ts"})
			value := []byte(bench.value)
			b.SetBytes(int64(len(value)))
			b.ReportAllocs()
			for b.Loop() {
				if _, fault := decoder.Decode(value, 0); fault != nil {
					b.Fatal(fault)
				}
			}
		})
	}
}

func BenchmarkParseTime(b *testing.B) {
	text := []byte("2026-03-01T10:15:50.520Z")
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := parseTime(text); !ok {
			b.Fatal("not read")
		}
	}
}

func mustDecoder(tb testing.TB, config Config) *Decoder {
	tb.Helper()
	decoder, err := NewDecoder(config)
	if err != nil {
		tb.Fatal(err)
	}
	return decoder
}
