package avro_test

import (
	"math/big"
	"strings"
	"testing"

	"windowed/internal/event"
)

var plain = event.Config{TimeField: "ts"}

// at is 2026-03-01T10:15:50.520Z in ms.
const at = int64(1772360150520)

func TestAnOrderIsThatOfItsJSON(t *testing.T) {
	p := program(t, plain, orderSchema, "")
	whole := object{"order_id": 1, "shop_id": 7, "ts": at, "items": items("latte", 2, "tea", 1)}
	check(t, p, encode(t, orderSchema, whole), "1772360150520 latte=2,tea=1")
	whole["ts"] = nil
	check(t, p, encode(t, orderSchema, whole), "7 latte=2,tea=1")
	for value, want := range map[string][]any{
		"invalid_quantity items[1].quantity: 0 is not between 1 and 1000000": items("latte", 2, "tea", 0),
		"invalid_drink items[0].drink: is empty":                             items("", 2),
		"malformed items: is empty":                                          {},
	} {
		whole["items"] = want
		check(t, p, encode(t, orderSchema, whole), value)
	}
}

func TestWhatIsCutOrLongerIsMalformed(t *testing.T) {
	p := program(t, plain, orderSchema, "")
	b := encode(t, orderSchema, object{"order_id": 1, "shop_id": 7, "ts": at, "items": items("latte", 2)})
	for n := range len(b) {
		if have := decoded(p, b[:n]); !strings.HasPrefix(have, "malformed the value ends") && !strings.HasPrefix(have, "malformed there is no value") &&
			!strings.HasPrefix(have, "malformed a block of") {
			t.Errorf("%d of %d bytes: %s", n, len(b), have)
		}
	}
	check(t, p, append(b, 0), "malformed the value is followed by 1 more bytes")
}

// TestNegativeBlocks: what encoders that do not know the length beforehand write.
func TestNegativeBlocks(t *testing.T) {
	p := program(t, plain, orderSchema, "")
	latte, tea := "\x0alatte\x04", "\x06tea\x02"
	check(t, p, []byte("\x02\x0e\x00\x01\x0e"+latte+"\x02"+tea+"\x00"), "7 latte=2,tea=1")
	check(t, p, []byte("\x02\x0e\x00\x03\x18"+latte+tea+"\x00"), "7 latte=2,tea=1")
}

func TestEvolutionGivesTheRightValues(t *testing.T) {
	record := func(fields string) string { return `{"type":"record","name":"Order","fields":[` + fields + `]}` }
	line := func(fields string) string {
		return `{"name":"items","type":{"type":"array","items":{"type":"record","name":"Item","fields":[` + fields + `]}}}`
	}
	const drink, quantity = `{"name":"drink","type":"string"}`, `{"name":"quantity","type":"int"}`
	const ts = `{"name":"ts","type":{"type":"long","logicalType":"timestamp-millis"}}`
	const beverage = `{"name":"beverage","type":"string","aliases":["drink"]}`
	renamed := event.Config{TimeField: "ts", Items: "items", Names: []string{"beverage"}, Quantity: "quantity"}
	for name, c := range map[string]struct {
		config         event.Config
		writer, reader string
		value          object
		want           string
	}{
		"a field is added": {plain, record(ts + `,{"name":"note","type":["null","string"],"default":null},` + line(quantity+`,{"name":"size","type":"double"},`+drink)),
			record(ts + "," + line(drink+","+quantity)), object{"ts": at, "note": "x", "items": []any{object{"size": 2.5, "drink": "latte", "quantity": 2}}}, "1772360150520 latte=2"},
		"fields are reordered": {plain, record(line(quantity+","+drink) + "," + ts), record(ts + "," + line(drink+","+quantity)),
			object{"ts": at, "items": items("latte", 2)}, "1772360150520 latte=2"},
		"a needed field is removed": {plain, record(ts + "," + line(drink)), record(ts + "," + line(drink)),
			object{"ts": at, "items": []any{object{"drink": "latte"}}}, "invalid_quantity items[0].quantity: is missing"},
		"a removed field has a default in the newest version": {plain, record(ts + "," + line(drink)), record(ts + "," + line(drink+`,{"name":"quantity","type":"int","default":1}`)),
			object{"ts": at, "items": []any{object{"drink": "latte"}}}, "1772360150520 latte=1"},
		"a whole list has a default": {plain, record(ts), record(ts + `,{"name":"items","type":{"type":"array","items":{"type":"record","name":"Item","fields":[` + drink + "," + quantity + `]}},"default":[{"drink":"water","quantity":3}]}`),
			object{"ts": at}, "1772360150520 water=3"},
		"the mapping has the old name": {plain, record(ts + "," + line(beverage+","+quantity)), record(ts + "," + line(beverage+","+quantity)),
			object{"ts": at, "items": []any{object{"beverage": "latte", "quantity": 2}}}, "1772360150520 latte=2"},
		"the mapping has the new name": {renamed, record(ts + "," + line(drink+","+quantity)), record(ts + "," + line(beverage+","+quantity)),
			object{"ts": at, "items": items("latte", 2)}, "1772360150520 latte=2"},
		"the time is removed": {plain, record(line(drink + "," + quantity)), record(line(drink + "," + quantity)),
			object{"items": items("latte", 2)}, "7 latte=2"},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, program(t, c.config, c.writer, c.reader), encode(t, c.writer, c.value), c.want)
		})
	}
}

// single is a schema with one field, which is the time, and one with a name.
func single(field, typ string) string {
	other := `,{"name":"drink","type":"string"}`
	if field == "drink" {
		other = ""
	}
	return `{"type":"record","name":"R","fields":[{"name":"` + field + `","type":` + typ + `}` + other + `]}`
}

func TestTimesAreOfTheUnitThatTheSchemaSays(t *testing.T) {
	long := func(logical string) string { return `{"type":"long","logicalType":"` + logical + `"}` }
	connect := func(name string) string { return `{"type":"long","connect.name":"` + name + `"}` }
	for typ, c := range map[string]struct {
		value any
		want  string
	}{
		long("timestamp-millis"):                     {at, "1772360150520 x=1"},
		long("timestamp-micros"):                     {at*1000 + 999, "1772360150520 x=1"},
		long("timestamp-nanos"):                      {at*1000000 + 1, "1772360150520 x=1"},
		long("local-timestamp-millis"):               {at, "1772356550520 x=1"},
		long("local-timestamp-micros"):               {at * 1000, "1772356550520 x=1"},
		`{"type":"int","logicalType":"date"}`:        {20513, "1772319600000 x=1"},
		connect("io.debezium.time.NanoTimestamp"):    {at * 1000000, "1772356550520 x=1"},
		long("time-micros"):                          {5, "malformed ts: is a time of day without a date"},
		`"long"`:                                     {at / 1000, "1772360150000 x=1"}, // by --time-unit=s
		`"double"`:                                   {float64(at) / 1000, "1772360150520 x=1"},
		`"string"`:                                   {"2026-03-01 11:15:50.520", "1772360150520 x=1"},
		`{"type":"enum","name":"E","symbols":["A"]}`: {"A", `malformed ts: "A" is not a time such as 2026-03-01T10:15:50Z or 2026-03-01 10:15:50, nor a number`},
		`"boolean"`:                                  {true, "malformed ts: has type boolean and is neither a string nor a number"},
		`["null","long"]`:                            {nil, "7 x=1"},
		`["string","long"]`:                          {"2026-03-01T10:15:50Z", "1772360150000 x=1"},
		`{"type":"array","items":"long"}`:            {[]any{1}, "malformed ts: has type array and is neither a string nor a number"},
	} {
		p := program(t, event.Config{TimeField: "ts", TimeUnit: event.Seconds, TimeZone: "Europe/Berlin", Names: []string{"drink"}}, single("ts", typ), "")
		t.Run(typ, func(t *testing.T) {
			check(t, p, encode(t, single("ts", typ), object{"ts": c.value, "drink": "x"}), c.want)
		})
	}
}

func TestNamesAreTextsNumbersAndBooleans(t *testing.T) {
	for typ, c := range map[string]struct {
		value any
		want  string
	}{
		`"string"`: {"Käse", "7 Käse=1"}, `"int"`: {-5, "7 -5=1"}, `"long"`: {int64(1) << 60, "7 1152921504606846976=1"},
		`"double"`: {2.5, "7 2.5=1"}, `"float"`: {float32(0.1), "7 0.1=1"}, `"boolean"`: {true, "7 true=1"},
		`{"type":"enum","name":"E","symbols":["TEA","LATTE"]}`:             {"LATTE", "7 LATTE=1"},
		`{"type":"fixed","name":"F","size":16,"logicalType":"uuid"}`:       {[16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, "7 01020304-0506-0708-090a-0b0c0d0e0f10=1"},
		`{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}`: {big.NewRat(-5, 2), "7 -2.50=1"},
		`"bytes"`:                       {[]byte("x"), "invalid_drink drink: has type bytes and is not a string, a number or a boolean"},
		`["null","string"]`:             {nil, "invalid_drink drink: is missing"},
		`{"type":"map","values":"int"}`: {object{"a": 1}, "invalid_drink drink: has type map and is not a string, a number or a boolean"},
	} {
		p := program(t, event.Config{Names: []string{"drink"}}, single("drink", typ), "")
		t.Run(typ, func(t *testing.T) {
			check(t, p, encode(t, single("drink", typ), object{"drink": c.value}), c.want)
		})
	}
}

func TestQuantitiesAreWhole(t *testing.T) {
	decimal := func(scale string) string {
		return `{"type":"bytes","logicalType":"decimal","precision":38,"scale":` + scale + `}`
	}
	for _, c := range []struct {
		typ   string
		value any
		want  string
	}{
		{`"long"`, 3, "7 x=3"}, {`"int"`, -3, "invalid_quantity quantity: -3 is not between 1 and 1000000"},
		{`"double"`, 3.0, "7 x=3"}, {`"double"`, 2.5, "invalid_quantity quantity: 2.5 is not a whole number"},
		{decimal("2"), big.NewRat(3, 1), "7 x=3"}, {decimal("18"), big.NewRat(1000000, 1), "7 x=1000000"},
		{decimal("2"), big.NewRat(5, 2), "invalid_quantity quantity: 2.50 is not a whole number within the limits"},
		{decimal("18"), big.NewRat(-7, 1), "invalid_quantity quantity: -7 is not between 1 and 1000000"},
		{`"string"`, "3", "invalid_quantity quantity: has type string and is not a whole number"},
		{`["null","int"]`, nil, "invalid_quantity quantity: has type null and is not a whole number"},
	} {
		p := program(t, event.Config{Names: []string{"drink"}, Quantity: "quantity"}, single("quantity", c.typ), "")
		check(t, p, encode(t, single("quantity", c.typ), object{"quantity": c.value, "drink": "x"}), c.want)
	}
}

// TestEverythingElseIsSkipped: all kinds of values that nobody wants, a type that contains
// itself, and paths through maps, unions, arrays and references to other schemas.
func TestEverythingElseIsSkipped(t *testing.T) {
	const shared = `{"type":"record","name":"Tag","namespace":"other","fields":[{"name":"label","type":"string"},{"name":"next","type":["null","Tag"]}]}`
	const writer = `{"type":"record","name":"R","namespace":"n","fields":[
		{"name":"skip","type":{"type":"record","name":"All","fields":[
			{"name":"a","type":"null"},{"name":"b","type":"boolean"},{"name":"c","type":"int"},{"name":"d","type":"long"},{"name":"e","type":"float"},
			{"name":"f","type":"double"},{"name":"g","type":"bytes"},{"name":"h","type":"string"},{"name":"i","type":{"type":"fixed","name":"F","size":3}},
			{"name":"j","type":{"type":"enum","name":"E","symbols":["X","Y"]}},{"name":"k","type":{"type":"array","items":"null"}},
			{"name":"l","type":{"type":"map","values":{"type":"array","items":"F"}}},{"name":"m","type":["null","All","E"]},{"name":"n","type":"E"}]}},
		{"name":"tags","type":{"type":"array","items":"other.Tag"}},
		{"name":"props","type":{"type":"map","values":["null","string"]}}]}`
	all := func(next any) object {
		return object{"a": nil, "b": true, "c": 1, "d": int64(-1) << 62, "e": 1.5, "f": 2.5, "g": []byte("g"), "h": "h", "i": [3]byte{}, "j": "Y",
			"k": []any{nil, nil}, "l": object{"p": []any{[3]byte{1}}}, "m": next, "n": "X"}
	}
	value := object{"skip": all(all("Y")), "props": object{"q": "no", "color": "red"},
		"tags": []any{object{"label": "one", "next": object{"label": "two", "next": nil}}, object{"label": "three", "next": nil}}}
	encoded := encodeWith(t, writer, value, shared)
	for _, c := range []struct {
		config event.Config
		want   string
	}{
		{event.Config{Names: []string{"props.color"}}, "7 red=1"},
		{event.Config{Names: []string{"props.q", "tags[1].label"}, NameSeparator: "/"}, "7 no/three=1"},
		{event.Config{Items: "tags", Names: []string{"label"}}, "7 one=1,three=1"},
		{event.Config{Items: "tags", Names: []string{"next.label"}}, "invalid_drink tags[1].next.label: is missing"},
		{event.Config{Names: []string{"tags[0].next.label"}}, "7 two=1"},
		{event.Config{Names: []string{"skip.m.j"}}, "7 Y=1"}, // of the record in the union
		{event.Config{Items: "props", Names: []string{"."}}, "malformed props: has type map and is not an array"},
		{event.Config{Items: "tags", Names: []string{"label.x"}}, "invalid_drink tags[0].label: has type string and is not a record"},
		{event.Config{Names: []string{"props.none"}}, "invalid_drink props.none: is missing"},
	} {
		check(t, program(t, c.config, writer, "", shared), encoded, c.want)
	}
}

func TestDebezium(t *testing.T) {
	const writer = `{"type":"record","name":"Envelope","namespace":"db","fields":[
		{"name":"before","type":["null",{"type":"record","name":"Value","fields":[{"name":"drink","type":"string"},{"name":"n","type":"int"},{"name":"at","type":{"type":"long","connect.name":"io.debezium.time.MicroTimestamp"}}]}],"default":null},
		{"name":"after","type":["null","Value"],"default":null},{"name":"op","type":"string"},{"name":"ts_ms","type":["null","long"]}]}`
	p := program(t, event.Config{TimeField: "at", Names: []string{"drink"}, Quantity: "n", Envelope: event.Debezium}, writer, "")
	row := object{"drink": "latte", "n": 2, "at": at * 1000}
	change := func(op string, before, after any) []byte {
		return encode(t, writer, object{"before": before, "after": after, "op": op, "ts_ms": nil})
	}
	check(t, p, change("c", nil, row), "1772360150520 latte=2")
	check(t, p, change("r", nil, row), "1772360150520 latte=2")
	check(t, p, change("u", row, row), `update op: "u" changes or removes what was there, and counts only grow`)
	check(t, p, change("d", row, nil), `update op: "d" changes or removes what was there, and counts only grow`)
	check(t, p, change("c", nil, nil), "malformed after: is missing")
}

func TestDecodingAllocatesNothing(t *testing.T) {
	p := program(t, plain, orderSchema, orderSchema)
	b := encode(t, orderSchema, object{"order_id": 1, "shop_id": 7, "ts": at, "items": items("latte", 2, "tea", 1)})
	r := &event.Record{Value: b}
	if n := testing.AllocsPerRun(100, func() {
		if _, fault := p.Decode(r, b); fault != nil {
			t.Fatal(fault)
		}
	}); n != 0 {
		t.Errorf("%v allocations an order", n)
	}
}
