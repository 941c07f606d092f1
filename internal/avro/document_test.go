package avro_test

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"
	"time"

	"windowed/internal/avro"
)

// TestDocument has a value of every kind, as people look at it.
func TestDocument(t *testing.T) {
	const schema = `{"type":"record","name":"R","fields":[
		{"name":"at","type":{"type":"long","logicalType":"timestamp-micros"}},{"name":"day","type":{"type":"int","logicalType":"date"}},
		{"name":"clock","type":{"type":"int","logicalType":"time-millis"}},{"name":"price","type":{"type":"bytes","logicalType":"decimal","precision":6,"scale":2}},
		{"name":"raw","type":"bytes"},{"name":"size","type":{"type":"enum","name":"E","symbols":["S","L"]}},
		{"name":"maybe","type":["null","long"]},{"name":"none","type":["null","string"]},{"name":"share","type":"float"},{"name":"bad","type":"double"},
		{"name":"more","type":{"type":"map","values":"int"}},{"name":"list","type":{"type":"array","items":"boolean"}}]}`
	payload := encode(t, schema, map[string]any{
		"at": time.UnixMicro(1772360150520001), "day": 20000, "clock": 5, "price": big.NewRat(5, 4), "raw": []byte{1, 255}, "size": "L", "maybe": int64(1) << 60,
		"none": nil, "share": float32(1.5), "bad": math.NaN(), "more": map[string]any{"a": 1}, "list": []any{true},
	})
	s, err := avro.Parse(avro.Text{Schema: schema}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"at":"2026-03-01T10:15:50.520001Z","bad":"NaN","clock":"5ms","day":"2024-10-04T00:00:00Z","list":[true],"maybe":1152921504606846976,` +
		`"more":{"a":1},"none":null,"price":1.25,"raw":"2 bytes","share":1.5,"size":"L"}`
	v, err := s.Document(payload)
	if have, _ := json.Marshal(v); err != nil || string(have) != want {
		t.Errorf("%s (%v), not %s", have, err, want)
	}
	for _, bad := range [][]byte{payload[:len(payload)-1], append(payload, 0), nil} {
		if v, err := s.Document(bad); err == nil {
			t.Errorf("%x is read as %v", bad, v)
		}
	}
}
