package event

import (
	"strings"
	"testing"
)

// fastCase is an order to learn from and a record to decode after it. fast says
// whether that is to go without the strict decoder.
type fastCase struct {
	id, learn, value string
	want             string // like decodeCase.want
	fast             bool
}

func runFastCases(t *testing.T, config Config, cases []fastCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.id, func(t *testing.T) {
			d := mustDecoder(t, config)
			// The second time it takes the fast path, which remembers the hour.
			checkSame(t, d, []byte(c.learn), recordTime)
			checkSame(t, d, []byte(c.learn), recordTime)
			before := d.shapes.misses
			if got := outcome(d.Decode([]byte(c.value), recordTime)); got != c.want {
				t.Errorf("got %q, want %q, for %s", got, c.want, excerptOf(c.value))
			}
			if fast := d.shapes.misses == before; fast != c.fast {
				t.Errorf("the fast path was taken: %v, want %v, for %s", fast, c.fast, excerptOf(c.value))
			}
			checkSame(t, d, []byte(c.value), recordTime)
			checkSame(t, d, []byte(c.learn), -1)
		})
	}
}

// learned makes cases that all follow the same order: wrap(first), wrap(text).
func learned(wrap func(text string) string, first string, cases []fastCase) []fastCase {
	for i, c := range cases {
		cases[i].id = c.value
		cases[i].learn, cases[i].value = wrap(first), wrap(c.value)
	}
	return cases
}

func TestFastDrink(t *testing.T) {
	runFastCases(t, testLimits, learned(drink, `"tea"`, []fastCase{
		{value: `"milk"`, want: "5000 milk=1", fast: true},
		{value: `"12345678"`, want: "5000 12345678=1", fast: true},
		{value: `"a:b"`, want: "5000 a:b=1", fast: true},
		{value: `"<&>'/"`, want: "5000 <&>'/=1", fast: true},
		{value: "\"a\x7f\"", want: "5000 a\x7f=1", fast: true},
		{value: `"thé"`, want: "5000 thé=1", fast: true},
		{value: "\"\ufffd\"", want: "5000 \ufffd=1", fast: true},
		{value: `"🍵🍵"`, want: "5000 🍵🍵=1", fast: true},
		{value: `"123456789"`, want: "invalid_drink"},
		{value: `"🍵🍵a"`, want: "invalid_drink"},
		{value: `""`, want: "invalid_drink"},
		{value: `"\u00e9"`, want: "5000 é=1"},
		{value: `"\""`, want: "5000 \"=1"},
		{value: `"\\"`, want: "5000 \\=1"},
		{value: `"12345\\"`, want: "5000 12345\\=1"},
		{value: `"\x"`, want: "malformed"},
		{value: `"\ud800"`, want: "invalid_drink"},
		{value: "\"\x00\"", want: "malformed"},
		{value: "\"123456\x1f\"", want: "malformed"},
		{value: "\"é\x1f\"", want: "malformed"},
		{value: "\"a\n\"", want: "malformed"},
		{value: "\"a\x80\"", want: "invalid_drink"},
		{value: "\"\xed\xa0\x80\"", want: "invalid_drink"},
		{value: "\"\xc0\x80\"", want: "invalid_drink"},
		{value: "\"\xe2\x82\"", want: "invalid_drink"},
		{value: "\"\xf4\x90\x80\x80\"", want: "invalid_drink"},
		{value: `tea`, want: "malformed"},
		{value: `tea"`, want: "malformed"},
		{value: `"tea`, want: "malformed"},
		{value: `null`, want: "invalid_drink"},
		{value: `7`, want: "invalid_drink"},
		{value: `["tea"]`, want: "invalid_drink"},
		{value: ` "tea"`, want: "5000 tea=1"},
		{value: `"tea" `, want: "5000 tea=1"},
	}))
}

func TestFastQuantity(t *testing.T) {
	config := Config{TimeField: "ts", MaxQuantity: 20_000_000_000}
	cases := []fastCase{
		{value: `7`, want: "5000 tea=7", fast: true},
		{value: `10`, want: "5000 tea=10", fast: true},
		{value: `9999999`, want: "5000 tea=9999999", fast: true},
		{value: `10000000`, want: "5000 tea=10000000"},
		{value: `20000000000`, want: "5000 tea=20000000000"},
		{value: `20000000001`, want: "invalid_quantity"},
		{value: `18446744073709551617`, want: "invalid_quantity"},
		{value: `0`, want: "invalid_quantity"},
		{value: `-0`, want: "invalid_quantity"},
		{value: `-1`, want: "invalid_quantity"},
		{value: `1.0`, want: "invalid_quantity"},
		{value: `1e1`, want: "invalid_quantity"},
		{value: `"1"`, want: "invalid_quantity"},
		{value: `null`, want: "invalid_quantity"},
		{value: `[1]`, want: "invalid_quantity"},
		{value: ``, want: "malformed"},
		{value: `01`, want: "malformed"},
		{value: `00`, want: "malformed"},
		{value: `0000000`, want: "malformed"},
		{value: `+1`, want: "malformed"},
		{value: `1a`, want: "malformed"},
		{value: `1 1`, want: "malformed"},
		{value: `1:`, want: "malformed"},
		{value: ` 1`, want: "5000 tea=1"},
	}
	runFastCases(t, config, learned(quantity, `1`, cases))
	runFastCases(t, testLimits, []fastCase{
		{"largest", quantity(`1`), quantity(`100`), "5000 tea=100", true},
		{"above", quantity(`1`), quantity(`101`), "invalid_quantity", false},
	})
}

// TestFastSkipped has values in a member that means nothing. All scalars are
// alike there.
func TestFastSkipped(t *testing.T) {
	skipped := func(text string) string { return `{"x":` + text + `,"items":[{"drink":"tea","quantity":1}]}` }
	var cases []fastCase
	for _, value := range []string{
		`1`, `0`, `-0`, `-1`, `1.0`, `-0.50`, `10`, strings.Repeat("9", 300), `true`, `false`, `null`,
		`""`, `"é"`, `"12345678"`, "\"\x7f\"", `"2026-03-01T10:15:50Z"`,
	} {
		cases = append(cases, fastCase{value: value, want: "5000 tea=1", fast: true})
	}
	for _, value := range []string{
		`1e5`, `1E+5`, `1.5e-3`, `"\""`, `"\u0041"`, `{}`, `[]`, `[1]`, `{"y":1}`, ` 1`, "1\n", `"a" `,
	} {
		cases = append(cases, fastCase{value: value, want: "5000 tea=1"})
	}
	for _, value := range []string{
		``, `01`, `-01`, `00`, `-`, `.5`, `1.`, `-.5`, `1.e5`, `1..2`, `1e`, `+1`, `0x10`, `1_0`, `tru`, `truex`, `True`, `nul`, `NaN`, `--1`,
		`"`, "\"\x00\"", "\"1234567\x1f\"", "\"\xff\"", "\"abcdefgh\xc3\"", `"\x"`, `"\ud800"`, `a`, `1,`, `1,"x":2`, `1}`, `{`, `]`,
	} {
		cases = append(cases, fastCase{value: value, want: "malformed"})
	}
	runFastCases(t, testLimits, learned(skipped, `"text"`, cases))
}

func TestFastTime(t *testing.T) {
	runFastCases(t, testLimits, learned(timed, `"2026-03-01T10:15:50.520Z"`, []fastCase{
		{value: `"2026-03-01T10:15:50.520Z"`, want: "1772360150520 tea=1", fast: true},
		{value: `"2026-03-01T10:00:00Z"`, want: "1772359200000 tea=1", fast: true},
		{value: `"2026-03-01T10:59:59.9999999999999Z"`, want: "1772362799999 tea=1", fast: true},
		{value: `"2026-03-01T11:15:50.52Z"`, want: "1772363750520 tea=1", fast: true},
		{value: `"2026-03-02T10:15:50.52Z"`, want: "1772446550520 tea=1", fast: true},
		{value: `"2026-03-01t10:15:50.52z"`, want: "1772360150520 tea=1", fast: true},
		{value: `"2026-03-01T10:15:50.52+00:00"`, want: "1772360150520 tea=1", fast: true},
		{value: `"2026-03-01T10:15:50.52+02:00"`, want: "1772352950520 tea=1", fast: true},
		{value: `1772360150520`, want: "1772360150520 tea=1", fast: true},
		{value: `0`, want: "0 tea=1", fast: true},
		{value: `null`, want: "5000 tea=1", fast: true},
		{value: `-1`, want: "-1 tea=1"},
		{value: `-0`, want: "0 tea=1"},
		{value: `253402300799999`, want: "253402300799999 tea=1", fast: true},
		{value: `253402300800000`, want: "malformed"},
		{value: `9223372036854775808`, want: "malformed"},
		{value: `18446744073709551616`, want: "malformed"},
		{value: `01`, want: "malformed"},
		{value: `1.0`, want: "malformed"},
		{value: `1e3`, want: "malformed"},
		{value: `true`, want: "malformed"},
		{value: `nul`, want: "malformed"},
		{value: `{}`, want: "malformed"},
		{value: `"2026-03-01T10:60:50Z"`, want: "malformed"},
		{value: `"2026-03-01T10:15:60Z"`, want: "malformed"},
		{value: `"2026-03-01T10:1:500Z"`, want: "malformed"},
		{value: `"2026-03-01T10:1a:50Z"`, want: "malformed"},
		{value: `"2026-03-01T10:15:5/Z"`, want: "malformed"},
		{value: `"2026-03-01T10:15-50Z"`, want: "malformed"},
		{value: `"2026-03-01T10:15:50.Z"`, want: "malformed"},
		{value: `"2026-03-01T10:15:50.5ZZ"`, want: "malformed"},
		{value: `"2026-03-01T10:15:50.5"`, want: "malformed"},
		{value: `"2026-03-01T10:15:50,5Z"`, want: "malformed"},
		{value: `"2026-03-01T10:15:50Z`, want: "malformed"},
		{value: `"2026-03-01T10:15:50Z\u0000"`, want: "malformed"},
		{value: `"2026-03-01T10:15:50\u005a"`, want: "1772360150000 tea=1"},
		{value: `"2026-03-01T10:15:50é"`, want: "malformed"},
		{value: "\"2026-03-01T10:15:50\xff\"", want: "malformed"},
		{value: `"2026-03-01T24:15:50Z"`, want: "malformed"},
		{value: `"2026-02-29T10:15:50Z"`, want: "malformed"},
		{value: `""`, want: "malformed"},
	}))
	runFastCases(t, testLimits, []fastCase{
		{"no time was read yet", timed(`1`), timed("\"" + strings.Repeat("\x00", 14) + "00:00"), "malformed", false},
		{"the first hour there is", timed(`"0001-01-01T00:30:00+00:30"`), timed(`"0001-01-01T00:29:59.999+00:30"`), "malformed", false},
		{"the last hour there is", timed(`"9999-12-31T23:58:59.999-00:01"`), timed(`"9999-12-31T23:59:00-00:01"`), "malformed", false},
		{"no zone after one", timed(`"2026-03-01T10:15:50+02:00"`), timed(`"2026-03-01T10:15:50+02:0"`), "malformed", false},
	})
	runFastCases(t, Config{TimeField: "ts", TimeUnit: Seconds}, []fastCase{
		{"seconds", timed(`1`), timed(`253402300799`), "253402300799000 tea=1", true},
		{"too many seconds", timed(`1`), timed(`253402300800`), "malformed", false},
		{"18 digits of seconds", timed(`1`), timed(`999999999999999999`), "malformed", false},
	})
	runFastCases(t, Config{TimeField: "ts", TimeUnit: Nanoseconds}, []fastCase{
		{"nanoseconds", timed(`1`), timed(`1999999`), "1 tea=1", true},
		{"19 digits of nanoseconds", timed(`1`), timed(`1772360150520000000`), "1772360150520 tea=1", false},
	})
	runFastCases(t, Config{}, []fastCase{
		{"a time that is not used", timed(`"x"`), timed(`true`), "5000 tea=1", true},
		{"a member without a name", `{"":1,"items":[{"drink":"tea","quantity":1}]}`,
			`{"":7,"items":[{"drink":"tea","quantity":1}]}`, "5000 tea=1", true},
	})
}
