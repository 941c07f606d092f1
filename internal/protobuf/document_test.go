package protobuf

import (
	"encoding/json"
	"testing"
)

// TestDocument has a value of every kind, as people look at it.
func TestDocument(t *testing.T) {
	s := parse(t, `syntax = "proto3"; import "google/protobuf/timestamp.proto"; import "google/protobuf/wrappers.proto";
		message Order { google.protobuf.Timestamp ts = 1; repeated Line lines = 2; int64 id = 3; bool paid = 4; google.protobuf.StringValue note = 5; google.protobuf.StringValue none = 6;
			map<int32, Line> more = 7; double cost = 8; float share = 9; bytes raw = 10; optional int32 maybe = 11; Line empty = 12; oneof way { string by = 13; int32 at = 14; } }
		message Line { string product_name = 1; Size size = 2; uint64 n = 3; }
		enum Size { SMALL = 0; LARGE = 1; }`)
	message := encode(t, s, []int{0}, `{"ts":"2026-03-01T10:15:50.520Z","lines":[{"productName":"tea","size":"LARGE","n":"18446744073709551615"},{"size":7}],"id":"-5","note":"x",
		"more":{"4":{}},"cost":"NaN","share":0.1,"raw":"AQI=","by":"hand"}`)
	const want = `{"by":"hand","cost":"NaN","id":-5,"lines":[{"n":18446744073709551615,"product_name":"tea","size":"LARGE"},{"n":0,"product_name":"","size":7}],` +
		`"more":{"4":{"n":0,"product_name":"","size":"SMALL"}},"note":"x","paid":false,"raw":"2 bytes","share":0.1,"ts":"2026-03-01T10:15:50.52Z"}`
	v, err := s.Document(append([]byte{0}, message...))
	if have, _ := json.Marshal(v); err != nil || string(have) != want {
		t.Errorf("%s (%v), not %s", have, err, want)
	}
	for _, bad := range [][]byte{nil, {2, 14}, append([]byte{0}, message[:len(message)-1]...)} {
		if v, err := s.Document(bad); err == nil {
			t.Errorf("%x is read as %v", bad, v)
		}
	}
}
