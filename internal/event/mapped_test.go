package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// mappings are drawn for the comparisons of mapped records. All paths are made of few
// names, so that they share steps and documents have some where they mean nothing.
func drawConfig(t *rapid.T) Config {
	member := rapid.SampledFrom([]string{"a", "b", "ts", "items", "name", "n", "é", `"x.y"`})
	path := func(label string, most int) string {
		steps := rapid.SliceOfN(member, 1, most).Draw(t, label)
		text := strings.Join(steps, ".")
		if oneIn(t, 6) {
			text += fmt.Sprintf("[%d]", rapid.IntRange(0, 2).Draw(t, "index"))
		}
		return text
	}
	c := Config{MaxName: 12, MaxItems: 6, MaxQuantity: 100, NameSeparator: "|"}
	if !oneIn(t, 5) {
		c.TimeField = path("time", 3)
	}
	c.TimeUnit = rapid.SampledFrom([]Unit{Milliseconds, Seconds, Microseconds}).Draw(t, "unit")
	c.TimeLayout = rapid.SampledFrom([]string{"", "", "", LayoutRFC3339, LayoutISO, "2006/01/02 15:04"}).Draw(t, "layout")
	if c.TimeLayout != LayoutRFC3339 && oneIn(t, 3) {
		c.TimeZone = "America/New_York"
	}
	switch rapid.IntRange(0, 5).Draw(t, "items") {
	case 0, 1, 2:
		c.Items = path("list", 2)
	case 3:
		c.Items = rapid.SampledFrom([]string{"items[].a", "[]", "a[][]", "items[].items"}).Draw(t, "nested")
	}
	for range rapid.IntRange(1, 2).Draw(t, "parts") {
		c.Names = append(c.Names, rapid.SampledFrom([]string{path("name", 2), path("name", 1), ".", "key", "header:h"}).Draw(t, "part"))
	}
	c.Quantity = rapid.SampledFrom([]string{oneOfEach, path("quantity", 2)}).Draw(t, "quantity")
	if oneIn(t, 8) {
		c.Split = ";"
	}
	c.Envelope = rapid.SampledFrom([]Envelope{NoEnvelope, NoEnvelope, NoEnvelope, Connect, CloudEvents, Debezium}).Draw(t, "envelope")
	return c
}

// document writes documents with something at all places of a plan.
type document struct {
	rnd *rand.Rand
	odd int // one in so many values is odd
}

func (d *document) pick(from ...string) string { return from[d.rnd.IntN(len(from))] }

func (d *document) scalar(n *node) string {
	if d.rnd.IntN(d.odd) == 0 {
		return d.pick(`null`, `{}`, `[]`, `[1]`, `{"a":1}`, `true`, `-1.5e3`, `"\u0041"`, `""`, `0`, `"x\"y"`, `12345678901234567890`, `nul`, "\"\xff\"", `1e5`, `"aaaaaaaaaaaaaaa"`)
	}
	switch {
	case n.target&(toTime|toSpareTime) != 0:
		return d.pick(`"2026-03-01T10:15:50.52Z"`, `"2026-03-01T10:16:01Z"`, `"2026-03-01 10:15:50"`, `"2026-11-01 01:30:00"`, `"2026-03-08T02:30:00"`,
			`1772360150`, `1772360150520`, `1772360150.5`, `"1772360150"`, `"2026/03/01 10:15"`, `"2026-03-01T10:15:50,5+0100"`, `-5`, `null`)
	case n.target&toQuantity != 0:
		return d.pick(`1`, `2`, `100`, `17`)
	case n.target&toOperation != 0:
		return d.pick(`"c"`, `"c"`, `"r"`, `"u"`)
	}
	return d.pick(`"tea"`, `"latte"`, `"thé"`, `7`, `true`, `"a;b"`, `2.50`, `"a"`)
}

// value writes a value for a node; nil is any.
func (d *document) value(n *node, depth int) string {
	switch {
	case n == nil && depth < 3 && d.rnd.IntN(6) == 0:
		return d.pick(`{"a":{"b":[1,"x"]}}`, `[{"a":1},{"ts":2}]`, `{}`, `[]`)
	case n == nil:
		return d.pick(`1`, `"x"`, `null`, `false`, `-0.5`)
	case n.target != 0 || d.rnd.IntN(4*d.odd) == 0:
		return d.scalar(n)
	case n.every != nil || n.places != nil:
		var elements []string
		for i := range d.rnd.IntN(4) {
			elements = append(elements, d.value(n.elementAt(i), depth+1))
		}
		return "[" + strings.Join(elements, ",") + "]"
	}
	var members []string
	for _, m := range n.members {
		if d.rnd.IntN(2*d.odd) > 0 {
			members = append(members, d.name(m.name)+":"+d.value(m.node, depth+1))
		}
	}
	for _, name := range []string{"id", "z"} {
		if d.rnd.IntN(3) == 0 {
			members = append(members, d.name(name)+":"+d.value(nil, depth+1))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (d *document) name(name string) string {
	quoted, _ := json.Marshal(name)
	return string(quoted)
}

// similar writes documents of one shape: the same choices, but for the scalars.
func similar(rnd *rand.Rand, plan *node, count, odd int) [][]byte {
	d := &document{rnd: rnd, odd: odd}
	var all [][]byte
	for len(all) < count {
		value := []byte(d.value(plan, 0))
		all = append(all, value)
		for range rnd.IntN(4) {
			all = append(all, changeDigits(rnd, value))
		}
	}
	return all
}

// changeDigits gives numbers and words of a document other values of the same length.
func changeDigits(rnd *rand.Rand, value []byte) []byte {
	value = bytes.Clone(value)
	for i, c := range value {
		if '1' <= c && c <= '9' && rnd.IntN(3) == 0 {
			value[i] = '1' + byte(rnd.IntN(9))
		}
	}
	return value
}

// TestMappedFastEqualsStrict compares the two ways to decode over random paths and
// documents, and what is accepted with a reading by encoding/json.
func TestMappedFastEqualsStrict(t *testing.T) {
	fast, accepted, records := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		d, err := NewDecoder(drawConfig(rt))
		if err != nil {
			return // paths that exclude each other
		}
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		headers := mappedHeaders(rnd)
		plan := d.planFor(headers)
		odd := 2 + rnd.IntN(30)
		if rnd.IntN(2) == 0 {
			odd = 1000 // so that whole documents are as the mapping wants them
		}
		for _, value := range similar(rnd, plan, 20, odd) {
			if rnd.IntN(20) == 0 {
				value = mutate(rnd, value)
			}
			r := &Record{Key: []byte("key"), Value: value, Headers: headers, Timestamp: recordTime}
			before := d.shapes.misses + d.structuredShapes.misses
			_, fault := checkRecord(rt, d, r)
			records++
			if fault == nil {
				accepted++
			}
			if d.shapes.misses+d.structuredShapes.misses == before {
				fast++
			}
		}
	})
	if records > 500 && (fast < records/100 || accepted < records/20) {
		t.Errorf("of %d records %d took the fast path and %d were accepted: too few to mean something", records, fast, accepted)
	}
}

// mappedHeaders are headers that a name can be in, and at times those of CloudEvents.
func mappedHeaders(rnd *rand.Rand) []Header {
	headers := []Header{{"h", []byte("head")}}
	if rnd.IntN(2) == 0 {
		headers = append(headers, Header{specVersionHeader, []byte("1.0")}, Header{timeHeader, []byte("2026-03-01T10:00:00Z")})
	}
	return headers
}

// planFor is the plan for records with these headers.
func (d *Decoder) planFor(headers []Header) *node {
	if d.plans[1] != nil && len(headers) == 1 {
		return d.plans[1]
	}
	return d.plans[0]
}

// checkRecord decodes a record with d and with the strict path of a new decoder, and fails
// unless all of the results are the same, and as encoding/json reads them.
func checkRecord(tb rapid.TB, d *Decoder, r *Record) (*Event, *Error) {
	tb.Helper()
	got := whole(d.DecodeRecord(r))
	event, fault := strictly(tb, d.m, r)
	if want := whole(event, fault); got != want {
		tb.Fatalf("got %q, want %q for %q", got, want, r.Value)
	}
	if fault == nil {
		checkMapped(tb, d.m, r, event)
	}
	return event, fault
}

// checkMapped finds the items once more, by looking along the paths in what encoding/json
// makes of the document.
func checkMapped(t rapid.TB, m *Mapping, r *Record, event *Event) {
	var document any
	decoder := json.NewDecoder(bytes.NewReader(r.Value))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		t.Fatalf("encoding/json refuses %q: %v", r.Value, err)
	}
	for _, name := range m.wrapping(document, r) {
		document = document.(map[string]any)[name]
	}
	var want []string
	for _, item := range along(document, m.Items) {
		var parts []string
		for _, n := range m.Names {
			text := "head"
			switch n.From {
			case FromKey:
				text = "key"
			case FromItem:
				text = fmt.Sprint(along(item, n.Path)[0])
			}
			parts = append(parts, text)
		}
		quantity := "1"
		if m.Quantity != nil {
			quantity = fmt.Sprint(along(item, m.Quantity)[0])
		}
		name := strings.Join(parts, m.Separator)
		if m.Split == "" {
			want = append(want, name+"="+quantity)
			continue
		}
		for _, one := range strings.Split(strings.TrimSuffix(name, m.Split), m.Split) {
			want = append(want, strings.TrimSpace(one)+"="+quantity)
		}
	}
	var got []string
	for _, item := range event.Items {
		got = append(got, fmt.Sprintf("%s=%d", item.Name, item.Quantity))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q for %q", got, want, r.Value)
	}
}

// wrapping are the names of the members around the document proper.
func (m *Mapping) wrapping(document any, r *Record) []string {
	switch _, binary := r.header(specVersionHeader); m.Envelope {
	case Connect:
		return []string{"payload"}
	case CloudEvents:
		if !binary {
			return []string{"data"}
		}
	case Debezium:
		if _, ok := document.(map[string]any)["after"]; !ok {
			return []string{"payload", "after"}
		}
		return []string{"after"}
	}
	return nil
}

// along are the values at the end of a path.
func along(value any, path Path) []any {
	if len(path) == 0 {
		return []any{value}
	}
	switch step := &path[0]; {
	case step.IsMember():
		object, _ := value.(map[string]any)
		if next, ok := object[step.Name]; ok {
			return along(next, path[1:])
		}
	case step.IsEvery():
		var all []any
		array, _ := value.([]any)
		for _, element := range array {
			all = append(all, along(element, path[1:])...)
		}
		return all
	default:
		if array, _ := value.([]any); step.Index < len(array) {
			return along(array[step.Index], path[1:])
		}
	}
	return nil
}
