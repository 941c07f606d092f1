package event

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestErrorText(t *testing.T) {
	second := func(members string) string {
		return `{"items":[{"drink":"tea","quantity":1},{` + members + `}]}`
	}
	cases := []struct{ value, want string }{
		{second(`"drink":"tea","quantity":2.5`), `items[1].quantity: 2.5 is not a whole number`},
		{second(`"drink":"tea","quantity":"2"`), `items[1].quantity: "2" is not a whole number`},
		{second(`"drink":"tea","quantity":null`), `items[1].quantity: null is not a whole number`},
		{second(`"drink":"tea","quantity":[1]`), `items[1].quantity: an array is not a whole number`},
		{second(`"drink":"tea","quantity":{x`), `items[1].quantity: an object is not a whole number`},
		{second(`"drink":"tea","quantity":-3`), `items[1].quantity: -3 is not between 1 and 100`},
		{second(`"drink":"tea"`), `items[1].quantity: is missing`},
		{second(`"quantity":1`), `items[1].drink: is missing`},
		{second(`"drink":7`), `items[1].drink: 7 is not a string`},
		{second(`"drink":[]`), `items[1].drink: an array is not a string`},
		{second(`"drink":""`), `items[1].drink: is empty`},
		{second(`"drink":"123456789"`), `items[1].drink: has 9 bytes, over the limit of 8`},
		{second("\"drink\":\"a\xff\""), `items[1].drink: is not valid UTF-8 at byte 50`},
		{second(`"drink":"a","drink":"b"`), `items[1].drink: duplicate object member name at byte 52`},
		{second(`"drink":"tea","quantity":01`), `items[1]: invalid character '1' after object value (expecting ',' or '}') at byte 66`},
		{`{"items":[5]}`, `items[0]: is not an object`},
		{`{"items":null}`, `items: is not an array`},
		{`{"items":[]}`, `items: is empty`},
		{`{}`, `items: is missing`},
		{`[]`, `the value is not an object`},
		{``, `the value is blank`},
		{quantity(`1`) + ` x`, `the object is followed by more at byte 41`},
		{timed(`"noon"`), `ts: "noon" is not an RFC 3339 time with a zone`},
		{timed(`1.5`), `ts: 1.5 is not a whole number of ms within the years 0001 to 9999`},
		{timed(`true`), `ts: is neither a string nor a number`},
		{`{"a b":{"":[tru]}}`, `"a b".""[0]: invalid character ']' in literal true (expecting 'e') at byte 15`},
	}
	decoder := mustDecoder(t, testLimits)
	for _, c := range cases {
		_, fault := decoder.Decode([]byte(c.value), recordTime)
		if fault == nil {
			t.Errorf("accepted: %s", c.value)
			continue
		}
		if got := fault.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestErrorStaysShort feeds faults that carry long text from the record.
func TestErrorStaysShort(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	values := []string{
		quantity(strings.Repeat("1", 1000)),
		quantity(`"` + long + `"`),
		timed(`"` + long + `"`),
		timed(strings.Repeat("1", 1000)),
		`{"` + long + `":tru`,
		`{"` + long + `":1,"` + long + `":1`,
		strings.Repeat(`{"abc":`, 5000) + "x",
		strings.Repeat(`{"":`, 5000) + "x",
		`{"a":` + strings.Repeat(`[`, 5000) + "x",
	}
	decoder := mustDecoder(t, Config{TimeField: "ts"})
	for _, value := range values {
		_, fault := decoder.Decode([]byte(value), recordTime)
		if fault == nil {
			t.Errorf("accepted: %s", excerptOf(value))
			continue
		}
		if text := fault.Error(); len(text) > 350 || !utf8.ValidString(text) {
			t.Errorf("an error of %d bytes: %s", len(text), excerptOf(text))
		}
	}
}
