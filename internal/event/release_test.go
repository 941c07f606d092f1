package event

import (
	"fmt"
	"runtime"
	"testing"
	"weak"
)

// kept says whether r keeps the memory of the last of some records, which lies in a block
// of its own, after then.
func kept(t *testing.T, r Reader, then func(), values ...string) bool {
	t.Helper()
	var last weak.Pointer[byte]
	func() {
		for _, text := range values {
			block := append(make([]byte, 0, 1<<20), text...)
			last = weak.Make(&block[0])
			r.DecodeRecord(&Record{Value: block, Key: block[:1], Timestamp: 7})
		}
	}()
	then()
	runtime.GC()
	runtime.KeepAlive(r)
	return last.Value() != nil
}

// show is what becomes of a value.
func show(r Reader, text string) string {
	e, fault := r.DecodeRecord(&Record{Value: []byte(text), Timestamp: 7})
	if fault != nil {
		return fault.Error()
	}
	return fmt.Sprint(e.Time, e.Items)
}

// A partition that has no more records for an hour must not keep what its last ones came
// with.
func TestRelease(t *testing.T) {
	order, other := drink(`"latte"`), drink(`"tea"`)
	row := func() Reader {
		m, err := NewMapping(Config{TimeField: "at", Names: []string{"page"}, Quantity: "n"})
		if err != nil {
			t.Fatal(err)
		}
		d, err := m.NewRowDecoder(',', []string{"page", "at", "n"}, 3)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	json := func() Reader { return mustDecoder(t, Config{TimeField: "ts"}) }
	for _, c := range []struct {
		name   string
		reader func() Reader
		values []string
	}{
		{"strict", json, []string{order}},
		{"by its shape", json, []string{order, other, order, other, order, other}},
		{"first strict, then by its shape, then strict", json, []string{order, other, order, drink(`"caf\u00e9"`)}},
		{"refused", json, []string{`{"items":[{"drink":"latte"},{"drink":7}]}`}},
		{"no JSON", json, []string{`{"items"`}},
		{"row", row, []string{"latte,1772360150520,2"}},
		{"refused row", row, []string{"latte,1772360150520,x"}},
	} {
		r := c.reader()
		if !kept(t, r, func() {}, c.values...) {
			t.Errorf("%s: nothing is kept, so that this tests nothing", c.name)
		}
		if r = c.reader(); kept(t, r, r.Release, c.values...) {
			t.Errorf("%s: the last record is in memory after Release", c.name)
		}
		fresh := c.reader()
		for _, text := range c.values {
			if same := show(r, text); same != show(fresh, text) {
				t.Errorf("%s: after Release %s is %s", c.name, text, same)
			}
		}
	}
}
