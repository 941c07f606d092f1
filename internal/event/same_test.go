package event

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// fastConfigs are the configurations in which the fast path is compared with
// the strict one.
var fastConfigs = []Config{
	{TimeField: "ts"},
	testLimits,
	{},
	{TimeField: "ts", TimeUnit: Nanoseconds, MaxQuantity: 1 << 40},
	{TimeField: "drink", TimeUnit: Seconds, MaxRecord: 300},
	{TimeField: "order_id", TimeUnit: Microseconds, MaxQuantity: 7_654_321, MaxName: 3},
}

// whole writes all of a result, the text of an error included.
func whole(event *Event, fault *Error) string {
	if fault != nil {
		return fmt.Sprintf("%v at %q: %s", fault.Reason, fault.Path, fault.Detail)
	}
	text := outcome(event, fault)
	for _, item := range event.Items {
		// An append to a name must not write into the record.
		text += fmt.Sprintf(" %d", cap(item.Name)-len(item.Name))
	}
	return text
}

// checkSame decodes value with d and with the strict path of a new decoder, and
// fails unless all of the results are the same. It returns the result.
func checkSame(tb testing.TB, d *Decoder, value []byte, recordTime int64) string {
	tb.Helper()
	before := bytes.Clone(value)
	got := whole(d.Decode(value, recordTime))
	if !bytes.Equal(before, value) {
		tb.Fatalf("the value was written to: %q, before %q", value, before)
	}
	want := whole(strictly(tb, d.m, &Record{Value: value, Timestamp: recordTime}))
	if got != want {
		tb.Fatalf("got %q\nwant %q\nfor %q at %d", got, want, value, recordTime)
	}
	return want
}

// strictly is DecodeRecord without the fast path.
func strictly(tb rapid.TB, m *Mapping, r *Record) (*Event, *Error) {
	tb.Helper()
	d, err := m.NewDecoder()
	if err != nil {
		tb.Fatal(err)
	}
	if r.Value == nil || len(r.Value) > m.scope.record {
		return d.DecodeRecord(r)
	}
	d.Begin(r)
	d.choose(r)
	return d.decodeStrict(r)
}

// spoilers are what a mutation writes into a record: all that can make or break
// a value.
var spoilers = []string{
	`"`, `\`, `\"`, `\u0041`, `\ud800`, "\x00", "\x1f", "\x7f", "\x80", "\xff", "é", "\xed\xa0\x80", "\ufffd", " ", "\n", "\t",
	"0", "1", "9", "00", "-", "-0", "+", ".", "e", "E5", ".5", "0000000", "9999999", "99999999", "18446744073709551616", "1000000", "1000001",
	"{", "}", "[", "]", ",", ":", "{}", "[]", "null", "true", "false", "nul", "tru", `""`, `"a"`, `"x":1,`, `,"x":1`, `"ts":1,`, `"items":[],`,
	"Z", "z", "+00:00", "-00:00", "+23:59", "+24:00", ":60", ":59", "T24", "2026-02-29", "0001-01-01", "9999-12-31", "T", "t", "é\xff",
	`{"drink":"a","quantity":1},`, `,{"drink":"a","quantity":1}`, `"drink":"b",`, `"quantity":2,`, "\ufeff", "\u00a0", "\u2028",
}

// mutate changes value in a few places, and mostly such that it still has its
// shape.
func mutate(rnd *rand.Rand, value []byte) []byte {
	value = bytes.Clone(value)
	for range 1 + rnd.IntN(3) {
		if len(value) == 0 {
			return value
		}
		at := rnd.IntN(len(value))
		end := min(len(value), at+rnd.IntN(4))
		text := []byte(spoilers[rnd.IntN(len(spoilers))])
		switch rnd.IntN(8) {
		case 0: // one bit
			value[at] ^= 1 << rnd.IntN(8)
		case 1: // one byte
			value[at] = text[0]
		case 2, 3: // insert
			value = splice(value, at, at, text)
		case 4: // replace
			value = splice(value, at, end, text)
		case 5: // delete
			value = splice(value, at, end, nil)
		case 6: // say something twice
			end = min(len(value), at+1+rnd.IntN(40))
			value = splice(value, at, at, bytes.Clone(value[at:end]))
		case 7: // another scalar, from its first byte to its last
			value = otherScalar(rnd, value, at, text)
		}
	}
	return value
}

func splice(value []byte, from, to int, text []byte) []byte {
	return append(append(bytes.Clone(value[:from]), text...), value[to:]...)
}

// otherScalar writes text in place of the first run of letters and digits at or
// after at.
func otherScalar(rnd *rand.Rand, value []byte, at int, text []byte) []byte {
	plain := func(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' }
	for at < len(value) && !plain(value[at]) {
		at++
	}
	end := at
	for end < len(value) && plain(value[end]) {
		end++
	}
	if rnd.IntN(2) == 0 { // the last few only
		at = max(at, end-2)
	}
	return splice(value, at, end, text)
}
