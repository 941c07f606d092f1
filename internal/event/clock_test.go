package event

import (
	"strings"
	"testing"
)

func TestDecodeTime(t *testing.T) {
	runCases(t, testLimits, []decodeCase{
		{"absent", one(`"drink":"tea","quantity":1`), "5000 tea=1"},
		{"null", timed(`null`), "5000 tea=1"},
		{"integer", timed(`1772360150520`), "1772360150520 tea=1"},
		{"zero", timed(`0`), "0 tea=1"},
		{"minus zero", timed(`-0`), "0 tea=1"},
		{"before 1970", timed(`-1`), "-1 tea=1"},
		{"smallest", timed(`-62135596800000`), "-62135596800000 tea=1"},
		{"below the smallest", timed(`-62135596800001`), "malformed"},
		{"largest", timed(`253402300799999`), "253402300799999 tea=1"},
		{"above the largest", timed(`253402300800000`), "malformed"},
		{"2^63", timed(`9223372036854775808`), "malformed"},
		{"-2^63-1", timed(`-9223372036854775809`), "malformed"},
		{"wraps to a small number", timed(`18446744073709551616`), "malformed"},
		{"300 digits", timed(strings.Repeat("1", 300)), "malformed"},
		{"float", timed(`1.0`), "malformed"},
		{"exponent", timed(`1e3`), "malformed"},
		{"true", timed(`true`), "malformed"},
		{"array", timed(`[1]`), "malformed"},
		{"object", timed(`{}`), "malformed"},
		{"empty string", timed(`""`), "malformed"},
		{"number in a string", timed(`"1772360150520"`), "malformed"},
		{"string", timed(`"2026-03-01T10:15:50.52Z"`), "1772360150520 tea=1"},
		{"string with escapes", timed(`"2026-03-01\u005410:15:50.52\u005a"`), "1772360150520 tea=1"},
		{"string without zone", timed(`"2026-03-01T10:15:50"`), "malformed"},
		{"string with NUL", timed(`"2026-03-01T10:15:50Z\u0000"`), "malformed"},
		{"string with white space", timed(`" 2026-03-01T10:15:50Z"`), "malformed"},
		{"invalid UTF-8", timed("\"\xff\""), "malformed"},
		{"leading zero", timed(`01`), "malformed"},
		{"after the items", `{"items":[{"drink":"tea","quantity":1}] , "ts" : 9 }`, "9 tea=1"},
		{"escaped name", `{"t\u0073":9,"items":[{"drink":"tea","quantity":1}]}`, "9 tea=1"},
		{"name in upper case", `{"TS":9,"items":[{"drink":"tea","quantity":1}]}`, "5000 tea=1"},
		{"in an item", one(`"ts":9,"drink":"tea","quantity":1`), "5000 tea=1"},
		{"the last one's is forgotten", one(`"drink":"tea","quantity":1`), "5000 tea=1"},
	})
}

func TestDecodeTimeUnits(t *testing.T) {
	cases := map[Unit][]decodeCase{
		Seconds: {
			{"a second", timed(`1`), "1000 tea=1"},
			{"before 1970", timed(`-1`), "-1000 tea=1"},
			{"smallest", timed(`-62135596800`), "-62135596800000 tea=1"},
			{"below", timed(`-62135596801`), "malformed"},
			{"largest", timed(`253402300799`), "253402300799000 tea=1"},
			{"above", timed(`253402300800`), "malformed"},
			{"product overflows", timed(`18446744073709552`), "malformed"},
			{"a string has no unit", timed(`"1970-01-01T00:00:01Z"`), "1000 tea=1"},
		},
		Microseconds: {
			{"cut", timed(`1999`), "1 tea=1"},
			{"floor", timed(`-1`), "-1 tea=1"},
			{"whole", timed(`-1000`), "-1 tea=1"},
			{"floor again", timed(`-1001`), "-2 tea=1"},
			{"largest", timed(`253402300799999999`), "253402300799999 tea=1"},
			{"above", timed(`253402300800000000`), "malformed"},
			{"smallest", timed(`-62135596800000000`), "-62135596800000 tea=1"},
			{"below", timed(`-62135596800000001`), "malformed"},
		},
		Nanoseconds: {
			{"cut", timed(`1999999`), "1 tea=1"},
			{"floor", timed(`-1`), "-1 tea=1"},
			{"largest of all", timed(`9223372036854775807`), "9223372036854 tea=1"},
			{"smallest of all", timed(`-9223372036854775808`), "-9223372036855 tea=1"},
			{"too long", timed(`9223372036854775808`), "malformed"},
		},
	}
	for unit, cases := range cases {
		t.Run(unit.String(), func(t *testing.T) {
			runCases(t, Config{TimeField: "ts", TimeUnit: unit}, cases)
		})
	}
}

func TestDecodeTimeField(t *testing.T) {
	const value = `{"ts":"no time","created \"at\"":{"x":1},"drink":7,"":3,"items":[{"drink":"tea","quantity":1}]}`
	cases := []struct{ field, want string }{
		{"", "5000 tea=1"},
		{"ts", "malformed"},
		{`created "at"`, "malformed"},
		{"drink", "7 tea=1"},
		{"absent", "5000 tea=1"},
	}
	for _, c := range cases {
		decoder := mustDecoder(t, Config{TimeField: c.field})
		if got := outcome(decoder.Decode([]byte(value), recordTime)); got != c.want {
			t.Errorf("time field %q: got %q, want %q", c.field, got, c.want)
		}
	}
}

func TestDecodeRecordTime(t *testing.T) {
	item := `"items":[{"drink":"tea","quantity":1}]}`
	cases := []struct {
		id, value string
		record    int64
		want      string
	}{
		{"zero", `{` + item, 0, "0 tea=1"},
		// KAFKA-17872, KAFKA-4393, quix-streams#1141: it is refused, and the offset moves on.
		{"unset", `{` + item, -1, "no_timestamp"},
		{"far below", `{` + item, -1 << 63, "no_timestamp"},
		{"unset and null", `{"ts":null,` + item, -1, "no_timestamp"},
		{"unset, but the document has a time", `{"ts":-1,` + item, -1, "-1 tea=1"},
		{"unset, and the document's is bad", `{"ts":"x",` + item, -1, "malformed"},
		{"unset, but the items are bad", `{"items":[]}`, -1, "malformed"},
		{"unset, but the quantity is bad", quantity(`0`), -1, "invalid_quantity"},
		{"unset, but trailing bytes", `{` + item + `x`, -1, "malformed"},
		{"largest", `{` + item, maxMillis, "253402300799999 tea=1"},
		{"too large", `{` + item, maxMillis + 1, "malformed"},
		{"too large, but not used", `{"ts":1,` + item, maxMillis + 1, "1 tea=1"},
	}
	decoder := mustDecoder(t, Config{TimeField: "ts"})
	for _, c := range cases {
		if got := outcome(decoder.Decode([]byte(c.value), c.record)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.id, got, c.want)
		}
	}
}
