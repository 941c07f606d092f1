package event

import (
	"strings"
	"testing"
)

func TestFastShape(t *testing.T) {
	const (
		a = `{"drink":"a","quantity":1}`
		b = `{"drink":"b","quantity":2}`
	)
	items := func(text string) string { return `{"items":[` + text + `]}` }
	runFastCases(t, testLimits, []fastCase{
		{"one item, then two", items(a), items(a + `,` + b), "5000 a=1 b=2", true},
		{"two items, then one", items(a + `,` + b), items(b), "5000 b=2", true},
		{"two items, then three", items(a + ` , ` + b), items(b + ` , ` + a + ` , ` + b), "5000 b=2 a=1 b=2", true},
		{"as many as allowed, then one more", items(a), items(a + `,` + a + `,` + a + `,` + a), "too_large", false},
		{"no items", items(a), items(``), "malformed", false},
		{"another gap", items(a + `,` + b), items(a + `, ` + b), "5000 a=1 b=2", false},
		{"gaps that differ", items(a + `,` + b + `, ` + b), items(a), "5000 a=1", false},
		{"a comma after the last", items(a + `,` + b), items(a + `,`), "malformed", false},
		{"a comma after the last, cut short", items(a + `,` + b), `{"items":[` + a + `,`, "malformed", false},
		{"no gap", items(a + `,` + b), items(a + b), "malformed", false},
		{"members in another order", items(a), items(`{"quantity":1,"drink":"a"}`), "5000 a=1", false},
		{"items not alike", items(a + `,{"quantity":1,"drink":"a"}`), items(a), "5000 a=1", false},
		{"items not alike in kind", items(`{"drink":"a","quantity":1,"x":1},{"drink":"a","quantity":1,"y":1}`), items(a), "5000 a=1", false},
		{"an item with less", items(`{"drink":"a","quantity":1,"x":1},` + a), items(a), "5000 a=1", false},
		{"an item with more", items(a + `,{"drink":"a","quantity":1,"x":1}`), items(a), "5000 a=1", false},
		{"names before and after the scalars", items(`{"x":[],"drink":"a","quantity":1},{"drink":"a","quantity":1,"x":[]}`),
			items(`{"x":[],"drink":"a","quantity":1,"x":[]}`), "malformed", false},
		{"names after the scalars", items(a + `,{"drink":"a","quantity":1,"x":[]}`), items(a), "5000 a=1", false},
		{"names before the scalars", items(a + `,{"x":[],"drink":"a","quantity":1}`), items(a), "5000 a=1", false},
		{"empty containers", items(`{"x":{},"drink":"a","quantity":1,"y":[[]]}`),
			items(`{"x":{},"drink":"b","quantity":1,"y":[[]]},{"x":{},"drink":"a","quantity":2,"y":[[]]}`), "5000 b=1 a=2", true},
		{"members of other objects", items(`{"x":{"drink":1,"quantity":"q"},"drink":"a","quantity":1}`),
			items(`{"x":{"drink":null,"quantity":-1},"drink":"b","quantity":2}`), "5000 b=2", true},
		{"items elsewhere", `{"x":{"items":[1,{"drink":2}],"ts":[3]},"items":[` + a + `],"ts":4}`,
			`{"x":{"items":["",{"drink":null}],"ts":[-1.5]},"items":[` + b + `],"ts":6}`, "6 b=2", true},
		{"time in an item", items(`{"ts":1,"drink":"a","quantity":1}`), items(`{"ts":"x","drink":"a","quantity":1}`), "5000 a=1", true},
		{"a longer array", `{"x":[1],"items":[` + a + `]}`, `{"x":[1,2],"items":[` + a + `]}`, "5000 a=1", false},

		{"an escaped name", `{"x\u0079":1,"items":[` + a + `]}`, `{"x\u0079":1,"items":[` + a + `]}`, "5000 a=1", false},
		{"an escaped name in an item", one(`"drink":"a","quantity":1,"\n":2`), one(`"drink":"a","quantity":1,"\n":2`), "5000 a=1", false},
		{"a name not ASCII", `{"é":1,"items":[` + a + `]}`, `{"é":2,"items":[` + b + `]}`, "5000 b=2", true},
		{"a name as a value", `{"x":"items","items":[` + a + `]}`, `{"x":"ts","items":[` + b + `]}`, "5000 b=2", true},
		{"learned from escapes", `{"x":"\"\\","items":[{"drink":"\\","quantity":1}]}`, `{"x":"y","items":[` + b + `]}`, "5000 b=2", true},
		{"a name twice", `{"x":1,"y":1,"items":[` + a + `]}`, `{"x":1,"x":1,"items":[` + a + `]}`, "malformed", false},
		{"a name added", `{"x":1,"items":[` + a + `]}`, `{"x":1,"y":1,"items":[` + a + `]}`, "5000 a=1", false},
		{"a name by a value", `{"x":"1","items":[` + a + `]}`, `{"x":"1","x":"1","items":[` + a + `]}`, "malformed", false},

		{"white space all over", " { \"items\" : [ " + a + " ]\n, \"x\" :\t1 } ", " { \"items\" : [ " + b + " ]\n, \"x\" :\t2 }", "5000 b=2", true},
		{"white space after it", items(a), items(b) + " \t\r\n", "5000 b=2", true},
		{"white space before it", items(a), " " + items(b), "5000 b=2", false},
		{"text after it", items(a), items(b) + "\n{", "malformed", false},
		{"a brace after it", items(a), items(b) + "}", "malformed", false},
		{"NUL after it", items(a), items(b) + "\x00", "malformed", false},
		{"form feed after it", items(a), items(b) + "\f", "malformed", false},
		{"cut short by one", items(a), items(b)[:len(items(b))-1], "malformed", false},
		{"empty", items(a), "", "malformed", false},
		{"as large as allowed", items(a), items(b) + strings.Repeat(" ", 4096-len(items(b))), "5000 b=2", true},
		{"too large", items(a), items(b) + strings.Repeat(" ", 4097-len(items(b))), "too_large", true},
		{"too much to learn", `{"` + strings.Repeat("x", maxSkeleton) + `":1,"items":[` + a + `]}`,
			`{"` + strings.Repeat("x", maxSkeleton) + `":1,"items":[` + a + `]}`, "5000 a=1", false},
		{"as many values as learned", manyValues(maxSteps), manyValues(maxSteps), "5000 a=1", true},
		{"too many values to learn", manyValues(maxSteps + 1), manyValues(maxSteps + 1), "5000 a=1", false},
	})
}

// manyValues returns an order of n scalars.
func manyValues(n int) string {
	return `{"x":[0` + strings.Repeat(`,0`, n-3) + `],"items":[{"drink":"a","quantity":1}]}`
}

// TestFastRecordTime has orders without a time and records with and without
// one.
func TestFastRecordTime(t *testing.T) {
	for _, value := range []string{one(`"drink":"a","quantity":1`), timed(`null`)} {
		d := mustDecoder(t, Config{TimeField: "ts"})
		for _, time := range []int64{5, 0, maxMillis, -1, maxMillis + 1, 7} {
			checkSame(t, d, []byte(value), time)
		}
		if d.shapes.misses != 3 { // the first, and the two that are refused
			t.Errorf("%s: %d misses", value, d.shapes.misses)
		}
	}
}

// TestFastTimeWithoutRecordTime has a record without a time, which does not
// matter when the order has one.
func TestFastTimeWithoutRecordTime(t *testing.T) {
	d := mustDecoder(t, Config{TimeField: "ts"})
	for range 3 {
		checkSame(t, d, []byte(timed(`5`)), -1)
	}
	if d.shapes.misses != 1 {
		t.Errorf("%d misses", d.shapes.misses)
	}
}

// TestFastCutShort cuts orders short everywhere.
func TestFastCutShort(t *testing.T) {
	for _, value := range []string{
		plainOrder, timed(`5`), timed(`"2026-03-01T10:15:50+02:00"`), `{"items":[{"x":-1.5,"quantity":1,"drink":"té"}],"y":true}`,
	} {
		d := mustDecoder(t, Config{TimeField: "ts"})
		for end := range len(value) {
			d.shapes.streak = 0
			checkSame(t, d, []byte(value), recordTime)
			checkSame(t, d, []byte(value)[:end:end], recordTime)
			checkSame(t, d, []byte(value)[:end], recordTime)
		}
	}
}

// TestFastOneByteOff changes every byte of an order.
func TestFastOneByteOff(t *testing.T) {
	for _, value := range []string{
		plainOrder, `{"x":-10.5,"y":{"z":null},"items":[{"quantity":10,"drink":"té"}],"ts":"2026-03-01T10:15:50Z"}`,
	} {
		d := mustDecoder(t, Config{TimeField: "ts"})
		for at := range value {
			d.shapes.streak = 0
			checkSame(t, d, []byte(value), recordTime)
			for _, c := range []byte{value[at] ^ 1, value[at] + 1, '0', '9', '/', ':', ' ', '"', '\\', 0x1f, 0x80} {
				changed := []byte(value)
				changed[at] = c
				checkSame(t, d, changed, recordTime)
			}
		}
	}
}

// TestFastNamesLast checks that an item's name is as long as it should be
// when the value is reused, and when the strict path follows the fast one.
func TestFastNamesLast(t *testing.T) {
	d := mustDecoder(t, Config{})
	for _, value := range []string{drink(`"a"`), drink(`"b"`), drink(`"\u0063"`), drink(`"d"`)} {
		checkSame(t, d, []byte(value), recordTime)
	}
}
