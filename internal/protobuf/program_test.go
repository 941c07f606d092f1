package protobuf

import (
	"encoding/base64"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"

	"windowed/internal/event"
)

var plain = event.Config{TimeField: "ts"}

func TestAnOrderIsThatOfItsJSON(t *testing.T) {
	s := parse(t, orderFile)
	r := reader(t, plain, s)
	for text, want := range map[string]string{
		`{"ts":"2026-03-01T10:15:50.52Z","items":[{"drink":"latte","quantity":2},{"drink":"tea","quantity":1,"price":2.5}],"orderId":"77"}`: "1772360150520 latte=2,tea=1",
		`{"items":[{"drink":"latte","quantity":2}]}`:                              "7 latte=2",
		`{"ts":"1969-12-31T23:59:59.9999Z","items":[{"drink":"a","quantity":1}]}`: "-1 a=1",
		`{"items":[{"drink":"latte"}]}`:                                           "invalid_quantity items[0].quantity: 0 is not between 1 and 1000000",
		`{"items":[{"drink":"latte","quantity":1},{"quantity":1}]}`:               "invalid_drink items[1].drink: is empty",
		`{}`: "malformed items: is empty",
	} {
		check(t, text, decoded(r, encode(t, s, []int{0}, text)), want)
	}
}

func TestNamesOfProtobufAndOfJSON(t *testing.T) {
	s := parse(t, `syntax = "proto3"; message M { int64 event_time = 1; string page_name = 2; }`)
	b := encode(t, s, []int{0}, `{"eventTime":"1772360150520","pageName":"Home"}`)
	for _, c := range []event.Config{{TimeField: "event_time", Names: []string{"page_name"}}, {TimeField: "eventTime", Names: []string{"pageName"}}} {
		check(t, c.TimeField, decoded(reader(t, c, s), b), "1772360150520 Home=1")
	}
	// A number that is 0 and not optional is no time: it cannot be told from none.
	check(t, "no time", decoded(reader(t, event.Config{TimeField: "event_time", Names: []string{"page_name"}}, s), encode(t, s, []int{0}, `{"pageName":"Home"}`)), "7 Home=1")
}

func TestWhatIsAbsentIsAsProtobufSays(t *testing.T) {
	three := parse(t, `syntax = "proto3"; import "google/protobuf/wrappers.proto";
		message M { optional int32 n = 1; string name = 2; google.protobuf.Int32Value w = 3; oneof o { string a = 4; M inner = 5; } enum E { ZERO = 0; ONE = 1; } E e = 6; bool b = 7; }`)
	two := parse(t, `syntax = "proto2"; message M { optional int32 n = 1 [default = 5]; optional string name = 2 [default = "water"]; optional sint64 z = 3 [default = -3]; optional string none = 4; }`)
	quantity := func(q string) event.Config { return event.Config{Names: []string{"name"}, Quantity: q} }
	name := func(n string) event.Config { return event.Config{Names: []string{n}} }
	for _, c := range []struct {
		s          *Schema
		config     event.Config
		text, want string
	}{
		{three, quantity("n"), `{"name":"x"}`, "invalid_quantity n: is missing"},
		{three, quantity("n"), `{"name":"x","n":0}`, "invalid_quantity n: 0 is not between 1 and 1000000"},
		{three, quantity("w"), `{"name":"x","w":4}`, "7 x=4"},
		{three, quantity("w"), `{"name":"x"}`, "invalid_quantity w: is missing"},
		{three, name("a"), `{"inner":{}}`, "invalid_drink a: is missing"},
		{three, name("a"), `{"a":""}`, "invalid_drink a: is empty"},
		{three, name("inner.a"), `{"inner":{"a":"deep"}}`, "7 deep=1"},
		{three, name("inner.a"), `{"a":"x"}`, "invalid_drink inner.a: is missing"},
		{three, name("e"), `{}`, "7 ZERO=1"}, {three, name("e"), `{"e":"ONE"}`, "7 ONE=1"}, {three, name("e"), `{"e":7}`, "7 7=1"},
		{three, name("b"), `{}`, "7 false=1"}, {three, name("name.x"), `{}`, "invalid_drink name: has type string and is not a message"},
		{three, name("inner"), `{"inner":{}}`, "invalid_drink inner: is a message and is not a value"},
		{two, quantity("n"), `{}`, "7 water=5"}, {two, quantity("z"), `{}`, "invalid_quantity z: -3 is not between 1 and 1000000"},
		{two, name("none"), `{}`, "invalid_drink none: is missing"},
	} {
		check(t, c.text+" by "+c.config.Names[0]+" "+c.config.Quantity, decoded(reader(t, c.config, c.s), encode(t, c.s, []int{0}, c.text)), c.want)
	}
}

func TestMapsListsAndPlaces(t *testing.T) {
	s := parse(t, `syntax = "proto3"; message M { map<string, string> props = 1; map<int32, L> by = 2; repeated string tags = 3; repeated int64 packed = 4; repeated L ls = 5; message L { repeated string names = 1; } }`)
	b := encode(t, s, []int{0}, `{"props":{"color":"red","x":"y"},"by":{"-7":{"names":["a","b"]}},"tags":["t0","t1"],"packed":["5","-6"],"ls":[{"names":["p"]},{"names":["q","r"]}]}`)
	for _, c := range []struct {
		config event.Config
		want   string
	}{
		{event.Config{Names: []string{"props.color"}}, "7 red=1"},
		{event.Config{Names: []string{"by.-7.names[1]"}}, "7 b=1"},
		{event.Config{Items: "tags", Names: []string{"."}}, "7 t0=1,t1=1"},
		{event.Config{Items: "packed", Names: []string{"."}}, "7 5=1,-6=1"},
		{event.Config{Items: "ls[].names", Names: []string{"."}}, "7 p=1,q=1,r=1"},
		{event.Config{Names: []string{"tags[1]", "packed[0]"}, NameSeparator: "/"}, "7 t1/5=1"},
		{event.Config{Names: []string{"tags"}}, "invalid_drink tags: is a repeated field and not one value"},
		{event.Config{Names: []string{"props"}}, "invalid_drink props: is a map"},
		{event.Config{Items: "props", Names: []string{"."}}, "malformed props: is a map"},
		{event.Config{Names: []string{"props.none"}}, "invalid_drink props.none: is missing"},
	} {
		check(t, c.config.Items+c.config.Names[0], decoded(reader(t, c.config, s), b), c.want)
	}
}

// TestEveryEncodingOfAValue: the last of several counts, messages in pieces are one, a
// field of a oneof ends the others, lists come packed or not.
func TestEveryEncodingOfAValue(t *testing.T) {
	s := parse(t, `syntax = "proto3"; message M { string name = 1; int32 n = 2; oneof o { string a = 3; string c = 4; } M inner = 5; repeated int32 list = 6; }`)
	text := func(n protowire.Number, v string) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, n, protowire.BytesType), v)
	}
	number := func(n protowire.Number, v uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), v)
	}
	join := func(all ...[]byte) (b []byte) {
		for _, part := range all {
			b = append(b, part...)
		}
		return b
	}
	for _, c := range []struct {
		config event.Config
		b      []byte
		want   string
	}{
		{event.Config{Names: []string{"name"}, Quantity: "n"}, join(number(2, 0), text(1, "no"), number(2, 3), text(1, "yes"), number(99, 1)), "7 yes=3"},
		{event.Config{Names: []string{"a"}}, join(text(3, "x"), text(4, "y")), "invalid_drink a: is missing"},
		{event.Config{Names: []string{"a"}}, join(text(4, "y"), text(3, "x")), "7 x=1"},
		{event.Config{Names: []string{"inner.name"}, Quantity: "inner.n"}, join(text(5, string(number(2, 4))), text(5, string(text(1, "p")))), "7 p=4"},
		{event.Config{Items: "list", Names: []string{"."}}, join(number(6, 1), text(6, "\x02\x03"), text(1, "between"), number(6, 4)), "7 1=1,2=1,3=1,4=1"},
		{event.Config{Names: []string{"name"}, Quantity: "n"}, join(text(2, "of another type"), text(1, "x"), number(2, 5)), "7 x=5"},
		{event.Config{Names: []string{"name"}}, text(1, "\xff"), "invalid_drink name: is not valid UTF-8"},
		{event.Config{Names: []string{"name"}}, []byte{0x0a, 5, 'x'}, "malformed unexpected EOF at byte 1 of a message"},
	} {
		check(t, c.want, decoded(reader(t, c.config, s), c.b), c.want)
	}
}

func TestMessageIndexesSayWhichMessageItIs(t *testing.T) {
	s := parse(t, `syntax = "proto3"; message Other { int32 x = 1; } message Outer { message Deep { string name = 1; } Deep d = 1; }`)
	r := reader(t, event.Config{Names: []string{"name"}}, s)
	b := encode(t, s, []int{1, 0}, `{"name":"x"}`)
	for header, want := range map[string]string{
		"\x04\x02\x00": "7 x=1", "\x02\x06": "malformed the schema has no message at [3]", "\x04\x02": "malformed the header's message indexes are cut or no indexes",
		"\x7f": "malformed the header has no message indexes behind the schema id", "": "malformed the header has no message indexes behind the schema id",
	} {
		payload := []byte(header)
		if len(header) == 3 {
			payload = append(payload, b...)
		}
		check(t, header, told(r.Decode(&event.Record{Timestamp: 7}, payload)), want)
	}
}

func TestImportsAndDescriptors(t *testing.T) {
	common := Import{"acme/common.proto", `syntax = "proto3"; package acme; import "acme/unit.proto"; message Line { string drink = 1; Unit n = 2; }`}
	unit := Import{"acme/unit.proto", `syntax = "proto3"; package acme; message Unit { int32 count = 1; }`}
	const text = `syntax = "proto3"; import "acme/common.proto"; message M { repeated acme.Line items = 1; int32 other_one = 2; int32 last_two = 3; }`
	config := event.Config{Items: "items", Names: []string{"drink"}, Quantity: "n.count"}
	s := parse(t, text, common, unit)
	b := encode(t, s, []int{0}, `{"items":[{"drink":"tea","n":{"count":2}}]}`)
	check(t, "source", decoded(reader(t, config, s), b), "7 tea=2")

	for _, names := range []bool{true, false} { // in JSON, which some producers leave out
		file := protodesc.ToFileDescriptorProto(s.file)
		for _, f := range file.MessageType[0].Field {
			if !names {
				f.JsonName = nil
			}
		}
		raw, err := proto.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		check(t, "descriptor", decoded(reader(t, config, parse(t, base64.StdEncoding.EncodeToString(raw), common, unit)), b), "7 tea=2")
	}

	if _, err := Parse(text, []Import{common}); err == nil {
		t.Error("an import that is not there was not missed")
	}
}

func TestDecodingAllocatesNothing(t *testing.T) {
	s := parse(t, orderFile)
	r := reader(t, plain, s)
	payload := append([]byte{0}, encode(t, s, []int{0}, `{"ts":"2026-03-01T10:15:50.52Z","items":[{"drink":"latte","quantity":2},{"drink":"tea","quantity":1}]}`)...)
	record := &event.Record{Value: payload}
	if n := testing.AllocsPerRun(100, func() {
		if _, fault := r.Decode(record, payload); fault != nil {
			t.Fatal(fault)
		}
	}); n != 0 {
		t.Errorf("%v allocations an order", n)
	}
}

func BenchmarkDecode(b *testing.B) {
	s := parse(b, orderFile)
	r := reader(b, plain, s)
	payload := append([]byte{0}, encode(b, s, []int{0}, `{"orderId":1004217,"shopId":7,"ts":"2026-03-01T10:15:50.520Z","items":[{"drink":"latte","quantity":2},{"drink":"americano","quantity":1},{"drink":"hot chocolate","quantity":1},{"drink":"tea","quantity":1}]}`)...)
	record := &event.Record{Value: payload}
	b.ReportAllocs()
	for b.Loop() {
		if _, fault := r.Decode(record, payload); fault != nil {
			b.Fatal(fault)
		}
	}
}
