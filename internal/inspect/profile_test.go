package inspect

import (
	"fmt"
	"strings"
	"testing"
)

// TestProfile has all fields of documents of several shapes, and what cannot be read.
func TestProfile(t *testing.T) {
	p := sampleOf(
		`{"a":1,"b":{"c":"x","d.e":null},"list":[{"n":true},{"n":2.5},{}],"deep":[[1],[2,3]]}`,
		` {"a":"text","b":{"c":""},"list":[]} `,
		`7`,
		`{"a":1}{"a":2}`, `{"a":`, ``, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}", `nul`,
	).Profile
	check(t, "fields", fields(p), `: 3 number=1 object=2 ["7"]
a: 2 text=1 number=1 ["1" "text"]
b: 2 object=2
b.c: 2 text=2 ["x"]
b."d.e": 1 null=1
list: 2 array=2
list[]: 1 object=3
list[].n: 1 number=1 boolean=1 ["true" "2.5"]
deep: 1 array=1
deep[]: 1 array=2
deep[][]: 1 number=3 ["1" "2" "3"]
`)
	if p.Records != 3 || p.Broken != 6 {
		t.Errorf("%d could be read and %d not", p.Records, p.Broken)
	}
}

func TestProfileOfRows(t *testing.T) {
	p := NewProfile()
	for _, row := range [][]string{{"2026-03-01", "tea", "1"}, {"", "tea, hot", "2.5"}, {"x", "", "-"}} {
		p.AddRow([]string{"at", "the.name", "n"}, row)
	}
	check(t, "fields", fields(p), `at: 3 text=2 null=1 ["2026-03-01" "x"]
"the.name": 3 text=2 null=1 ["tea" "tea, hot"]
n: 3 text=1 number=2 ["1" "2.5" "-"]
`)
}

// TestProfileIsBounded: neither many fields, nor many values, nor long ones take memory
// without end.
func TestProfileIsBounded(t *testing.T) {
	p := NewProfile()
	for i := range maxFields + 10 {
		p.AddJSON(fmt.Appendf(nil, `{"f%d":1}`, i))
	}
	if len(p.Fields) != maxFields || p.Records != maxFields+10 {
		t.Errorf("%d fields of %d records", len(p.Fields), p.Records)
	}
	p = NewProfile()
	long := strings.Repeat("é", 1000)
	for i := range maxDistinct + 2 {
		p.AddJSON(fmt.Appendf(nil, `{"n":%d,"s":"%s"}`, i, long))
	}
	n, s := p.byPath["n"], p.byPath["s"]
	if n.distinct != nil || len(n.Examples) != maxExamples {
		t.Errorf("%d different numbers are remembered, %q", len(n.distinct), n.Examples)
	}
	if len(s.distinct) != 1 || len(s.Examples) != 1 || len(s.Examples[0]) > maxExample+3 {
		t.Errorf("%d texts, %q", len(s.distinct), s.Examples)
	}
	for text := range s.distinct {
		if len(text) > 4*maxExample {
			t.Errorf("%d bytes of a text are remembered", len(text))
		}
	}
}
