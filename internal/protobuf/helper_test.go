package protobuf

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"windowed/internal/event"
)

const orderFile = `syntax = "proto3"; package brew;
import "google/protobuf/timestamp.proto";
message Order {
	int64 order_id = 1; int32 shop_id = 2;
	google.protobuf.Timestamp ts = 3;
	repeated Item items = 4;
	message Item { string drink = 1; int32 quantity = 2; double price = 3; }
}`

func parse(t testing.TB, text string, imports ...Import) *Schema {
	t.Helper()
	s, err := Parse(text, imports)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func reader(t testing.TB, config event.Config, s *Schema) *Reader {
	t.Helper()
	m, err := event.NewMapping(config)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.NewReader(m.NewBuilder())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// encode is a message of a schema that is written as JSON, in the binary encoding.
func encode(t testing.TB, s *Schema, path []int, text string) []byte {
	t.Helper()
	m := dynamicpb.NewMessage(s.message(path))
	if err := protojson.Unmarshal([]byte(text), m); err != nil {
		t.Fatal(err)
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

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

// decoded is what becomes of the first message of a file, whose record was made at 7 ms.
func decoded(r *Reader, message []byte) string {
	payload := append([]byte{0}, message...)
	return told(r.Decode(&event.Record{Value: payload, Timestamp: 7}, payload))
}

func check(t *testing.T, what, have, want string) {
	t.Helper()
	if have != want {
		t.Errorf("%s:\nhave %s\nwant %s", what, have, want)
	}
}
