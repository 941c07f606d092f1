package protobuf

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"windowed/internal/event"
)

var twins = []struct {
	file   string
	config event.Config
	seeds  []string
}{
	{orderFile, plain, []string{`{"ts":"2026-03-01T10:15:50.52Z","orderId":"-5","items":[{"drink":"latte","quantity":2},{"drink":"tea","quantity":1,"price":2.5}]}`, `{}`, `{"items":[{"drink":"latte"}]}`}},
	{`syntax = "proto3"; import "google/protobuf/wrappers.proto"; import "google/protobuf/timestamp.proto";
		message M { map<string, M> props = 1; oneof o { string a = 2; M inner = 3; int32 z = 4; } repeated sint32 list = 5; enum E { ZERO = 0; ONE = 1; } E e = 6;
			google.protobuf.Int32Value w = 7; google.protobuf.Timestamp at = 8; bool b = 9; }`,
		event.Config{TimeField: "at", Names: []string{"props.k.a", "inner.e", "list[1]", "b"}, NameSeparator: "/", Quantity: "w"},
		[]string{`{"props":{"k":{"a":"x"},"l":{"b":true}},"inner":{"e":"ONE"},"list":[1,-2,3],"w":4,"at":"2026-03-01T10:15:50.52Z","b":true}`, `{"a":"x","list":[1]}`}},
}

// FuzzEqualsLibrary compares the walker with the library's dynamic messages, written as
// JSON and read by the decoder for that. What the library refuses is not compared: it
// looks into fields that nobody wants.
func FuzzEqualsLibrary(f *testing.F) {
	var schemas []*Schema
	var readers []*Reader
	var decoders []*event.Decoder
	for i, c := range twins {
		s := parse(f, c.file)
		for _, seed := range c.seeds {
			f.Add(uint8(i), encode(f, s, []int{0}, seed))
		}
		d, err := event.NewDecoder(c.config)
		if err != nil {
			f.Fatal(err)
		}
		schemas, readers, decoders = append(schemas, s), append(readers, reader(f, c.config, s)), append(decoders, d)
	}
	f.Add(uint8(1), []byte("\x1a\x02\x30\x01\x1a\x02\x48\x01\x2a\x02\x02\x04\x28\x06\x12\x01x\x1a\x00"))
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		at := int(which) % len(twins)
		have := decoded(readers[at], b)
		m := dynamicpb.NewMessage(schemas[at].message([]int{0}))
		if !understands(b, m) {
			return
		}
		text, err := protojson.MarshalOptions{EmitUnpopulated: true}.Marshal(m)
		if err != nil {
			if !strings.HasPrefix(have, "malformed") && !strings.HasPrefix(have, "invalid") {
				t.Errorf("%x: %v, but\nhave %s", b, err, have)
			}
			return
		}
		want := told(decoders[at].Decode(text, 7))
		if isRefusal(have) != isRefusal(want) || !isRefusal(want) && have != want {
			t.Errorf("%x %s\nhave %s\nwant %s", b, text, have, want)
		}
	})
}

// understands says whether the library reads b. It panics at a map's key that comes a
// second time as another type.
func understands(b []byte, m proto.Message) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return proto.Unmarshal(b, m) == nil
}

func isRefusal(told string) bool { return told[0] != '-' && (told[0] < '0' || told[0] > '9') }
