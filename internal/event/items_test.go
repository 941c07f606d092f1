package event

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestDecodeItems(t *testing.T) {
	item := `{"drink":"tea","quantity":1}`
	items := func(text string) string { return `{"items":` + text + `}` }
	runCases(t, testLimits, []decodeCase{
		{"missing", `{}`, "malformed"},
		{"missing beside others", `{"order_id":1,"ts":5}`, "malformed"},
		{"null", items(`null`), "malformed"},
		{"empty", items(`[]`), "malformed"},
		{"an object", items(item), "malformed"},
		{"a string", items(`"x"`), "malformed"},
		{"a number", items(`1`), "malformed"},
		{"an item is null", items(`[null]`), "malformed"},
		{"an item is an array", items(`[[]]`), "malformed"},
		{"an item is a number", items(`[` + item + `,3]`), "malformed"},
		{"an item is a string", items(`["}"]`), "malformed"},
		{"comma after the last", items(`[` + item + `,]`), "malformed"},
		{"no comma between", items(`[` + item + item + `]`), "malformed"},
		{"closed by a brace", items(`[` + item + `}`), "malformed"},
		{"as many as allowed", items(`[` + item + `,` + item + `,` + item + `]`), "5000 tea=1 tea=1 tea=1"},
		{"one too many", items(`[` + item + `,` + item + `,` + item + `,` + item + `]`), "too_large"},
		{"one too many, and it is bad", items(`[` + item + `,` + item + `,` + item + `,{"drink":1}]`), "too_large"},
		{"one too many, and it is no object", items(`[` + item + `,` + item + `,` + item + `,4]`), "malformed"},
		{"one too many after a bad one", items(`[` + item + `,{},` + item + `,` + item + `]`), "invalid_drink"},
		{"an empty item", items(`[{}]`), "invalid_drink"},
	})
}

func TestDecodeDrink(t *testing.T) {
	runCases(t, testLimits, []decodeCase{
		{"NUL", drink(`"a\u0000b"`), "5000 a\x00b=1"},
		{"colon", drink(`"a:b"`), "5000 a:b=1"},
		{"right to left", drink(`"שלום"`), "5000 שלום=1"},
		{"a space", drink(`" "`), "5000  =1"},
		{"HTML characters", drink(`"<&>"`), "5000 <&>=1"},
		{"replacement character", drink(`"` + "\ufffd" + `"`), "5000 \ufffd=1"},
		{"replacement character escaped", drink(`"\ufffd"`), "5000 \ufffd=1"},
		{"all short escapes", drink(`"\"\\\/\b\f\n\r\t"`), "5000 \"\\/\b\f\n\r\t=1"},
		{"escaped letters", drink(`"\u0074\u0045a"`), "5000 tEa=1"},
		{"surrogate pair", drink(`"\uD83C\uDF75"`), "5000 🍵=1"},
		{"escapes in several items", `{"items":[{"drink":"\u0061","quantity":1},{"drink":"b","quantity":2},{"drink":"\u0063\u0063","quantity":3}]}`, "5000 a=1 b=2 cc=3"},
		{"as long as allowed", drink(`"12345678"`), "5000 12345678=1"},
		{"as long as allowed after unescaping", drink(`"\u00e9\u00e9\u00e9\u00e9"`), "5000 éééé=1"},
		{"too long", drink(`"123456789"`), "invalid_drink"},
		{"too long after unescaping", drink(`"\u20ac\u20ac\u20ac"`), "invalid_drink"},
		{"missing", one(`"quantity":1`), "invalid_drink"},
		{"in upper case", one(`"Drink":"tea","quantity":1`), "invalid_drink"},
		{"null", drink(`null`), "invalid_drink"},
		{"empty", drink(`""`), "invalid_drink"},
		{"number", drink(`5`), "invalid_drink"},
		{"true", drink(`true`), "invalid_drink"},
		{"array", drink(`["tea"]`), "invalid_drink"},
		{"object", drink(`{}`), "invalid_drink"},
		{"object that is broken inside", drink(`{"a":tru}`), "invalid_drink"},
		{"array with invalid UTF-8", drink("[\"\xff\"]"), "invalid_drink"},
		{"object that never ends", `{"items":[{"drink" : {`, "invalid_drink"},
		{"raw invalid byte", drink("\"te\xffa\""), "invalid_drink"},
		{"raw stray continuation", drink("\"\x80\""), "invalid_drink"},
		{"raw overlong", drink("\"\xc0\xaf\""), "invalid_drink"},
		{"raw encoded surrogate", drink("\"\xed\xa0\x80\""), "invalid_drink"},
		{"raw past U+10FFFF", drink("\"\xf4\x90\x80\x80\""), "invalid_drink"},
		{"raw cut by the quote", drink("\"\xe2\x82\""), "invalid_drink"},
		{"raw after an escaped name", one("\"\\u0064rink\" :\n\"\xff\",\"quantity\":1"), "invalid_drink"},
		{"lone high surrogate", drink(`"\ud800"`), "invalid_drink"},
		{"lone high surrogate and text", drink(`"\ud800abcdefgh"`), "invalid_drink"},
		{"lone low surrogate", drink(`"\udc00"`), "invalid_drink"},
		{"two high surrogates", drink(`"\uD800\uD800"`), "invalid_drink"},
		{"surrogates swapped", drink(`"\udf75\ud83c"`), "invalid_drink"},
		{"invalid UTF-8, then a broken escape", drink("\"\xff\\x\""), "invalid_drink"},
		{"broken escape, then invalid UTF-8", drink("\"\\x\xff\""), "malformed"},
		{"broken escape", drink(`"\x41"`), "malformed"},
		{"broken hex digits", drink(`"\u00g0"`), "malformed"},
		{"hex digits cut short", drink(`"\u00"`), "malformed"},
		{"control character", drink("\"a\nb\""), "malformed"},
		{"control character, then invalid UTF-8", drink("\"\x01\xff\""), "malformed"},
		{"raw byte for a value", drink("\xff"), "malformed"},
		{"raw byte for a colon", "{\"items\":[{\"drink\"\xff\"tea\"", "malformed"},
		{"no value", drink(``), "malformed"},
		{"two values", drink(`"tea" "tea"`), "malformed"},
		{"unterminated", `{"items":[{"drink":"tea`, "malformed"},
		{"unterminated within a character", "{\"items\":[{\"drink\":\"\xe2\x82", "malformed"},
		{"unterminated after invalid UTF-8", "{\"items\":[{\"drink\":\"\xff", "invalid_drink"},
		{"literal cut short", drink(`nul`), "malformed"},
		{"literal with more", drink(`nullx`), "malformed"},
		{"number that is none", drink(`01`), "malformed"},
	})
}

func TestDecodeQuantity(t *testing.T) {
	runCases(t, testLimits, []decodeCase{
		{"smallest", quantity(`1`), "5000 tea=1"},
		{"largest", quantity(`100`), "5000 tea=100"},
		{"zero", quantity(`0`), "invalid_quantity"},
		{"minus zero", quantity(`-0`), "invalid_quantity"},
		{"negative", quantity(`-1`), "invalid_quantity"},
		{"too large", quantity(`101`), "invalid_quantity"},
		{"2^31", quantity(`2147483648`), "invalid_quantity"},
		{"2^63-1", quantity(`9223372036854775807`), "invalid_quantity"},
		{"2^63", quantity(`9223372036854775808`), "invalid_quantity"},
		{"-2^63", quantity(`-9223372036854775808`), "invalid_quantity"},
		{"2^64+2", quantity(`18446744073709551618`), "invalid_quantity"},
		{"300 digits", quantity(strings.Repeat("1", 300)), "invalid_quantity"},
		{"2.0", quantity(`2.0`), "invalid_quantity"},
		{"2.5", quantity(`2.5`), "invalid_quantity"},
		{"1e1", quantity(`1e1`), "invalid_quantity"},
		{"1E1", quantity(`1E1`), "invalid_quantity"},
		{"1e309", quantity(`1e309`), "invalid_quantity"},
		{"string", quantity(`"2"`), "invalid_quantity"},
		{"null", quantity(`null`), "invalid_quantity"},
		{"true", quantity(`true`), "invalid_quantity"},
		{"array", quantity(`[2]`), "invalid_quantity"},
		{"object", quantity(`{"a":2}`), "invalid_quantity"},
		{"object with duplicate names", quantity(`{"a":2,"a":2}`), "invalid_quantity"},
		{"missing", one(`"drink":"tea"`), "invalid_quantity"},
		{"in upper case", one(`"drink":"tea","Quantity":1`), "invalid_quantity"},
		{"leading zero", quantity(`01`), "malformed"},
		{"leading zeros", quantity(`00`), "malformed"},
		{"minus leading zero", quantity(`-01`), "malformed"},
		{"leading plus", quantity(`+1`), "malformed"},
		{"leading point", quantity(`.5`), "malformed"},
		{"trailing point", quantity(`2.`), "malformed"},
		{"two points", quantity(`2.5.1`), "malformed"},
		{"exponent without digits", quantity(`2e`), "malformed"},
		{"minus alone", quantity(`-`), "malformed"},
		{"hexadecimal", quantity(`0x10`), "malformed"},
		{"underscore", quantity(`0_1`), "malformed"},
		{"literal with more", quantity(`nullx`), "malformed"},
		{"NaN", quantity(`NaN`), "malformed"},
		{"invalid UTF-8 in a string", quantity("\"\xff\""), "malformed"},
		{"lone surrogate in a string", quantity(`"\ud800"`), "malformed"},
		{"zero, and the value ends", `{"items":[{"drink":"tea","quantity":0`, "invalid_quantity"},
		{"zero, and the wrong bracket", `{"items":[{"drink":"tea","quantity":0]`, "invalid_quantity"},
		{"zero, then white space and garbage", quantity(`0 x`), "invalid_quantity"},
	})
}

// TestDecodeKeepsDrinksApart checks that drinks stay intact while the arena
// grows under them, and that nobody can write past one.
func TestDecodeKeepsDrinksApart(t *testing.T) {
	var value bytes.Buffer
	value.WriteString(`{"items":[`)
	for i := range 500 {
		if i > 0 {
			value.WriteByte(',')
		}
		letter := [...]string{`a`, `\u0061`}[i%2]
		fmt.Fprintf(&value, `{"drink":"%s-%d","quantity":%d}`, letter, i, i+1)
	}
	value.WriteString(`]}`)
	event, fault := mustDecoder(t, Config{}).Decode(value.Bytes(), 0)
	if fault != nil {
		t.Fatal(fault)
	}
	for i, item := range event.Items {
		if want := fmt.Sprintf("a-%d", i); string(item.Name) != want || item.Quantity != int64(i+1) {
			t.Fatalf("item %d: got %s=%d", i, item.Name, item.Quantity)
		}
		if cap(item.Name) != len(item.Name) {
			t.Fatalf("item %d: a drink of %d bytes has room for %d", i, len(item.Name), cap(item.Name))
		}
	}
}
