package event

import (
	"fmt"
	"strings"
	"testing"
)

// recordTime is the record timestamp that the tables decode with.
const recordTime = 5_000

// testLimits are small enough to be reached by a short value.
var testLimits = Config{TimeField: "ts", MaxRecord: 4096, MaxItems: 3, MaxName: 8, MaxQuantity: 100}

// decodeCase is one value and what must become of it: want is either the reason
// or, for an accepted event, "time drink=quantity ...".
type decodeCase struct {
	id, value, want string
}

func runCases(t *testing.T, config Config, cases []decodeCase) {
	t.Helper()
	// One decoder for all cases, so that one value's leftovers would show in
	// the next.
	decoder := mustDecoder(t, config)
	seen := make(map[string]bool)
	for _, c := range cases {
		if seen[c.id] {
			t.Fatalf("case id %q is used twice", c.id)
		}
		seen[c.id] = true
		t.Run(c.id, func(t *testing.T) {
			value := []byte(c.value)
			if got := outcome(decoder.Decode(value, recordTime)); got != c.want {
				t.Errorf("got %q, want %q, for %s", got, c.want, excerptOf(c.value))
			}
			if string(value) != c.value {
				t.Errorf("the value was written to: %s", excerptOf(string(value)))
			}
		})
	}
}

// outcome writes the result of a Decode the way decodeCase.want does.
func outcome(event *Event, fault *Error) string {
	if (event == nil) == (fault == nil) {
		return fmt.Sprintf("both or neither: %v, %v", event, fault)
	}
	if fault != nil {
		return fault.Reason.String()
	}
	text := fmt.Sprint(event.Time)
	for _, item := range event.Items {
		text += fmt.Sprintf(" %s=%d", item.Name, item.Quantity)
	}
	return text
}

func excerptOf(value string) string {
	if len(value) > 200 {
		value = value[:200] + "..."
	}
	return fmt.Sprintf("%q", value)
}

// one wraps the members of a single item in an order.
func one(members string) string { return `{"items":[{` + members + `}]}` }

// drink and quantity wrap the text of one value in an otherwise good order.
func drink(text string) string    { return one(`"drink":` + text + `,"quantity":1`) }
func quantity(text string) string { return one(`"drink":"tea","quantity":` + text) }

// timed gives a good order the time with the given text.
func timed(text string) string {
	return `{"ts":` + text + `,"items":[{"drink":"tea","quantity":1}]}`
}

func TestDecodeDocument(t *testing.T) {
	const good = `{"items":[{"drink":"tea","quantity":1}]}`
	open := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	unknown := func(text string) string { return `{"x":` + text + `,"items":[{"drink":"tea","quantity":1}]}` }
	runCases(t, testLimits, []decodeCase{
		{"minimal", good, "5000 tea=1"},
		{"white space everywhere", " \t\r\n{ \"items\" : [ { \"drink\" : \"tea\" , \"quantity\" : 1 } ] } \r\n\t ", "5000 tea=1"},
		{"members in another order", `{"items":[{"quantity":1,"drink":"tea"}],"ts":7,"shop_id":1}`, "7 tea=1"},
		{"ids of any type", `{"order_id":"x","shop_id":null,"items":[{"drink":"tea","quantity":1}]}`, "5000 tea=1"},
		{"three items and a drink twice", `{"items":[{"drink":"a","quantity":1},{"drink":"b","quantity":2},{"drink":"a","quantity":3}]}`, "5000 a=1 b=2 a=3"},
		{"empty", ``, "malformed"},
		{"blank", " \n", "malformed"},
		{"null", `null`, "malformed"},
		{"true", `true`, "malformed"},
		{"a number", `1`, "malformed"},
		{"a string", `"x"`, "malformed"},
		{"an array", `[1]`, "malformed"},
		{"an order in an array", `[` + good + `]`, "malformed"},
		{"no JSON", `hello`, "malformed"},
		{"BOM", "\xef\xbb\xbf" + good, "malformed"},
		{"UTF-16", "{\x00\"\x00", "malformed"},
		{"trailing garbage", good + "x", "malformed"},
		{"trailing comma", good + ",", "malformed"},
		{"trailing brace", good + "}", "malformed"},
		{"trailing object", good + " {}", "malformed"},
		{"trailing NUL", good + "\x00", "malformed"},
		{"trailing no-break space", good + "\u00a0", "malformed"},
		{"form feed as white space", "\f" + good, "malformed"},
		{"comment", `{/**/"items":[{"drink":"tea","quantity":1}]}`, "malformed"},
		{"single quotes", `{'items':[{"drink":"tea","quantity":1}]}`, "malformed"},
		{"unquoted name", `{items:[{"drink":"tea","quantity":1}]}`, "malformed"},
		{"number as name", `{1:2,"items":[{"drink":"tea","quantity":1}]}`, "malformed"},
		{"object as name", `{{}:2,"items":[{"drink":"tea","quantity":1}]}`, "malformed"},
		{"comma after the last member", `{"items":[{"drink":"tea","quantity":1}],}`, "malformed"},
		{"comma before the first member", `{,"items":[{"drink":"tea","quantity":1}]}`, "malformed"},
		{"missing colon", `{"items"[{"drink":"tea","quantity":1}]}`, "malformed"},
		{"missing comma", `{"x":1 "items":[{"drink":"tea","quantity":1}]}`, "malformed"},
		{"truncated", good[:len(good)-1], "malformed"},

		{"duplicate items", `{"items":[{"drink":"tea","quantity":1}],"items":[{"drink":"tea","quantity":1}]}`, "malformed"},
		{"duplicate ts", `{"ts":1,"ts":1,"items":[{"drink":"tea","quantity":1}]}`, "malformed"},
		{"duplicate ts, one null", `{"ts":null,"ts":1,"items":[{"drink":"tea","quantity":1}]}`, "malformed"},
		{"duplicate unknown", `{"x":1,"x":1,"items":[{"drink":"tea","quantity":1}]}`, "malformed"},
		{"duplicate by escape", `{"items":[{"drink":"tea","quantity":1}],"it\u0065ms":1}`, "malformed"},
		{"duplicate drink", one(`"drink":"tea","drink":"tea","quantity":1`), "malformed"},
		{"duplicate quantity", one(`"drink":"tea","quantity":1,"quantity":1`), "malformed"},
		{"duplicate in unknown object", unknown(`{"a":[{"b":1,"b":2}]}`), "malformed"},
		{"same name at other levels", unknown(`{"x":{"x":1},"items":{"drink":2}}`), "5000 tea=1"},
		{"70 names, the last twice", unknown(manyNames(70, true)), "malformed"},
		{"70 names", unknown(manyNames(70, false)), "5000 tea=1"},

		{"escaped items", `{"\u0069tems":[{"drink":"tea","quantity":1}]}`, "5000 tea=1"},
		{"escaped drink and quantity", one(`"dr\u0069nk":"tea","\u0071uantity":1`), "5000 tea=1"},
		{"upper case Items", `{"Items":[{"drink":"tea","quantity":1}]}`, "malformed"},
		{"items with a space", `{"items ":[{"drink":"tea","quantity":1}]}`, "malformed"},
		{"Items beside items", `{"Items":5,"items":[{"drink":"tea","quantity":1}]}`, "5000 tea=1"},
		{"items in a nested object only", unknown(`1`)[:7] + `{"items":[{"drink":"tea","quantity":1}]}}`, "malformed"},

		{"unknown long number", unknown(`{"some": 327267367867168100000}`), "5000 tea=1"},
		{"unknown 300 digits", unknown(strings.Repeat("9", 300)), "5000 tea=1"},
		{"unknown 1e309", unknown(`-1.5E+309`), "5000 tea=1"},
		{"unknown broken number", unknown(`01`), "malformed"},
		{"unknown broken escape", unknown(`"\x41"`), "malformed"},
		{"unknown control character", unknown("\"\x1f\""), "malformed"},
		{"unknown DEL", unknown("\"\x7f\""), "5000 tea=1"},
		{"unknown literal cut short", unknown(`nul`), "malformed"},
		{"unknown NaN", unknown(`NaN`), "malformed"},
		{"unknown in item", one(`"x":{"drink":null,"quantity":[0]},"drink":"tea","quantity":1`), "5000 tea=1"},
		{"unknown in item broken", one(`"x":{]},"drink":"tea","quantity":1`), "malformed"},
		{"invalid UTF-8 in unknown", unknown("\"\xff\""), "malformed"},
		{"invalid UTF-8 in a name", "{\"\xff\":1,\"items\":[{\"drink\":\"tea\",\"quantity\":1}]}", "malformed"},
		{"invalid UTF-8 in an item's name", one("\"\xff\":1,\"drink\":\"tea\",\"quantity\":1"), "malformed"},
		{"invalid UTF-8 between tokens", "{\xff", "malformed"},
		{"lone surrogate in unknown", unknown(`"\ud800"`), "malformed"},
		{"lone surrogate in a name", `{"\udc00":1,"items":[{"drink":"tea","quantity":1}]}`, "malformed"},
		{"surrogate pair in unknown", unknown(`"\ud83c\udf75"`), "5000 tea=1"},
		{"encoded surrogate in unknown", unknown("\"\xed\xa0\x80\""), "malformed"},
		{"overlong NUL in unknown", unknown("\"\xc0\x80\""), "malformed"},

		{"nested 1000 deep", unknown(open(1000)), "5000 tea=1"},
		{"as large as allowed", good + strings.Repeat(" ", 4096-len(good)), "5000 tea=1"},
		{"too large by one", good + strings.Repeat(" ", 4097-len(good)), "too_large"},
		{"too large before parsing", strings.Repeat("x", 4097), "too_large"},
	})
}

// manyNames returns an object of n members, with one more name at its end that
// is new or has been there.
func manyNames(n int, again bool) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, `"n%d":1,`, i)
	}
	if again {
		n--
	}
	return fmt.Sprintf(`{%s"n%d":1}`, &text, n)
}

func TestDecodeFirstFault(t *testing.T) {
	runCases(t, testLimits, []decodeCase{
		{"quantity, then broken syntax", `{"items":[{"drink":"tea","quantity":0},{{`, "invalid_quantity"},
		{"broken syntax, then quantity", `{"x":,"items":[{"drink":"tea","quantity":0}]}`, "malformed"},
		{"quantity, then drink", one(`"quantity":0,"drink":""`), "invalid_quantity"},
		{"drink, then quantity", one(`"drink":"","quantity":0`), "invalid_drink"},
		{"quantity, then drink missing", one(`"quantity":0`), "invalid_quantity"},
		{"both missing", one(`"x":1`), "invalid_drink"},
		{"missing drink, then a bad item", `{"items":[{"quantity":1},{"drink":"tea","quantity":0}]}`, "invalid_drink"},
		{"missing, but the item never ends", `{"items":[{"quantity":1`, "malformed"},
		{"quantity, then a duplicate", one(`"quantity":0,"quantity":1,"drink":"tea"`), "invalid_quantity"},
		{"a duplicate, then quantity", one(`"x":0,"x":1,"drink":"tea","quantity":0`), "malformed"},
		{"duplicate drink that is invalid", one("\"drink\":\"tea\",\"drink\":\"\xff\",\"quantity\":1"), "malformed"},
		{"quantity, then trailing bytes", quantity(`0`) + "x", "invalid_quantity"},
		{"quantity, then too many items", `{"items":[{"drink":"a","quantity":0},{},{},{}]}`, "invalid_quantity"},
		{"bad time, then quantity", `{"ts":"x","items":[{"drink":"tea","quantity":0}]}`, "invalid_quantity"},
		{"bad time, then drink", `{"ts":{},"items":[{"quantity":1}]}`, "invalid_drink"},
		{"good items, then invalid UTF-8", `{"items":[{"drink":"tea","quantity":1}],"x":"` + "\xff" + `"}`, "malformed"},
	})
}

// TestDecodeLimits checks the limits that apply by default.
func TestDecodeLimits(t *testing.T) {
	items := func(n int) string {
		return `{"items":[` + strings.Repeat(`{"drink":"a","quantity":1},`, n-1) + `{"drink":"a","quantity":1}]}`
	}
	nested := func(n int) string {
		return `{"x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `,"items":[{"drink":"a","quantity":1}]}`
	}
	objects := func(n int) string {
		return `{"x":` + strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) + `,"items":[{"drink":"a","quantity":1}]}`
	}
	runCases(t, Config{}, []decodeCase{
		{"1001 items", items(1001), "too_large"},
		{"drink of 1024 bytes", drink(`"` + strings.Repeat("a", 1024) + `"`), "5000 " + strings.Repeat("a", 1024) + "=1"},
		{"drink of 1025 bytes", drink(`"` + strings.Repeat("a", 1025) + `"`), "invalid_drink"},
		{"quantity of a million", quantity(`1000000`), "5000 tea=1000000"},
		{"quantity above a million", quantity(`1000001`), "invalid_quantity"},
		{"1 MiB", drink(`"a"`) + strings.Repeat(" ", 1<<20-len(drink(`"a"`))), "5000 a=1"},
		{"1 MiB and a byte", drink(`"a"`) + strings.Repeat(" ", 1<<20+1-len(drink(`"a"`))), "too_large"},
		{"10,001 levels", nested(10_000), "malformed"},
		{"10,001 levels of objects", objects(10_000), "malformed"},
		{"10,000 levels", nested(9_999), "5000 a=1"},
		{"a megabyte of brackets", strings.Repeat("[", 1<<20), "malformed"},
		{"a megabyte of nested items", `{"items":` + strings.Repeat("[", 1<<19), "malformed"},
		{"a megabyte of nested objects", strings.Repeat(`{"a":`, 200_000), "malformed"},
		{"a megabyte of nested drink", `{"items":[{"drink":` + strings.Repeat("[", 1<<19), "invalid_drink"},
	})
	event, fault := mustDecoder(t, Config{}).Decode([]byte(items(1000)), 0)
	if fault != nil || len(event.Items) != 1000 {
		t.Errorf("1000 items: got %v, %v", event, fault)
	}
}

func TestDecodeNull(t *testing.T) {
	decoder := mustDecoder(t, Config{TimeField: "ts"})
	if got := outcome(decoder.Decode(nil, recordTime)); got != "null_value" {
		t.Errorf("nil: got %q", got)
	}
	if got := outcome(decoder.Decode([]byte{}, recordTime)); got != "malformed" {
		t.Errorf("empty: got %q", got)
	}
}
