package event

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzDecode checks that no value makes the decoder panic or write to it, that
// what it accepts means the same to encoding/json, and that it accepts nothing
// that encoding/json refuses.
func FuzzDecode(f *testing.F) {
	seeds := []string{
		plainOrder, ``, `null`, `{}`, `[1]`, timed(`null`), timed(`-1`), timed(`1e3`),
		timed(`"1969-12-31T23:59:59.9999+01:00"`), quantity(`01`), quantity(`9223372036854775808`), quantity(`{"a":`),
		drink(`"\ud83c\udf75\u0000\/"`), drink(`"\ud800\u12"`), drink("\"\xe2\x82\""), drink("\"\xff\\x\""), drink(`[[{`),
		one(`"dr\u0069nk":"tea","quantity":3,"x":{"a":1,"a":2}`), `{"items":[{"drink":"a","quantity":1}],"it\u0065ms":1}`,
		"\xef\xbb\xbf{}", `{"x":{"y":[1.5e-9,"\"",true,false,null]},"items":[{"drink":"a","quantity":1},{"drink":"a","quantity":2}]} `,
		manyNames(70, true),
	}
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	values, _ := corpus(f)
	for _, value := range values {
		f.Add(value)
	}
	decoder := mustDecoder(f, Config{TimeField: "ts"})
	f.Fuzz(func(t *testing.T, value []byte) {
		before := bytes.Clone(value)
		event, fault := decoder.Decode(value, recordTime)
		if !bytes.Equal(before, value) {
			t.Fatalf("the value was written to: %q", value)
		}
		if (event == nil) == (fault == nil) {
			t.Fatalf("both or neither: %v, %v", event, fault)
		}
		if fault != nil {
			checkFault(t, fault)
			return
		}
		checkOrder(t, value, event)
		again, fault := mustDecoder(t, Config{TimeField: "ts"}).Decode(value, recordTime)
		if got, want := outcome(again, fault), outcome(event, nil); got != want {
			t.Fatalf("a new decoder makes it %q, a used one %q", got, want)
		}
	})
}

func checkFault(t *testing.T, fault *Error) {
	t.Helper()
	switch fault.Reason {
	case Malformed, InvalidName, InvalidQuantity, TooLarge, NullValue:
	default:
		t.Fatalf("reason %v", fault.Reason)
	}
	if text := fault.Error(); text == "" || len(text) > 400 || !utf8.ValidString(text) {
		t.Fatalf("error text %q", text)
	}
}

// checkOrder decodes the value once more with encoding/json, through maps
// because it matches the names of structs in any case. With every item alike,
// in order, so are the sums.
func checkOrder(t *testing.T, value []byte, event *Event) {
	t.Helper()
	var document map[string]json.RawMessage
	var items []map[string]json.RawMessage
	mustUnmarshal(t, value, &document)
	mustUnmarshal(t, document["items"], &items)
	if len(items) != len(event.Items) || len(items) == 0 || len(items) > DefaultMaxItems {
		t.Fatalf("%d items, encoding/json finds %d", len(event.Items), len(items))
	}
	for i, item := range items {
		var name string
		var count int64
		mustUnmarshal(t, item["drink"], &name)
		mustUnmarshal(t, item["quantity"], &count)
		got := event.Items[i]
		if string(got.Name) != name || got.Quantity != count {
			t.Fatalf("item %d is %q=%d, to encoding/json %q=%d", i, got.Name, got.Quantity, name, count)
		}
		if !utf8.Valid(got.Name) || len(name) == 0 || len(name) > DefaultMaxName || count < 1 || count > DefaultMaxQuantity {
			t.Fatalf("item %d is out of bounds: %q=%d", i, got.Name, got.Quantity)
		}
	}
	if ts, ok := document["ts"]; (!ok || string(ts) == "null") && event.Time != recordTime {
		t.Fatalf("an order without a time is at %d", event.Time)
	}
	if !inRange(event.Time) {
		t.Fatalf("time %d is out of range", event.Time)
	}
}

func mustUnmarshal(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("encoding/json refuses %q: %v", text, err)
	}
}
