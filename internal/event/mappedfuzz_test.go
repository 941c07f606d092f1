package event

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// mappedSeed is a mapping, a record to learn from and one to decode after it.
type mappedSeed struct {
	time, items, names, quantity string
	options                      uint16
	first, second                string
}

var mappedSeeds = []mappedSeed{
	{"at", "", "page", "1", 0, `{"at":"2026-03-01 10:00:00","page":"/a","x":[1]}`, `{"at":"2026-03-01 10:00:60","page":"/b","x":[1]}`},
	{"ts", "items", "drink", "quantity", 0, plainOrder, plainOrder},
	{"o.t", "o.lines", "p.name,key", "n", 1, `{"o":{"t":1772360150,"lines":[{"p":{"name":"x"},"n":2},{"p":{"name":"y"},"n":1}]}}`, `{"o":{"t":1772360150.5,"lines":[{"p":{"name":7},"n":2}]}}`},
	{"t", "a[].b", "c", "1", 0, `{"a":[{"b":[{"c":"x"},{"c":"y"}]},{"b":[]}],"t":5}`, `{"a":[{"b":[{"c":"x"},{"c":null}]}],"t":5}`},
	{"", "[]", ".", "1", 0, `["a","b","c"]`, `["a",true,2.50,"d"]`},
	{"", "tags", ".", "1", 16, `{"tags":["a;b","c"]}`, `{"tags":["a;;b"]}`},
	{"", "", "tags[1],header:h", "1", 0, `{"tags":["a","b"]}`, `{"tags":["a","b","c"]}`},
	{"w", "", "n", "q", 4, `{"w":"2026/03/01 10:15","n":"a","q":1}`, `{"w":"2026/03/01 10:61","n":"a","q":1}`},
	{"w", "", "n", "q", 8, `{"w":"2026-11-01 01:30:00","n":"a","q":1}`, `{"w":"2026-03-08 02:30:00","n":"a","q":1}`},
	{"ts", "", "p", "1", 32, `{"schema":{},"payload":{"ts":1772360150520,"p":"x"}}`, `{"schema":{},"payload":null}`},
	{"when", "", "p", "1", 64, `{"specversion":"1.0","time":"2026-03-01T10:00:00Z","data":{"p":"x"}}`, `{"specversion":"1.0","time":"2026-03-01T10:00:00","data":{"p":"x"}}`},
	{"ts", "", "p", "1", 96, `{"before":null,"after":{"ts":1,"p":"x"},"op":"c"}`, `{"before":null,"after":{"ts":1,"p":"x"},"op":"u"}`},
	{"a", "", "a", "1", 0, `{"a":"2026-03-01"}`, `{"a":1772360150520}`},
	{`"x.y"`, "", `"[é]"`, "1", 0, `{"x.y":"1772360150520","[é]":"a"}`, `{"x.y":"1772360150.520","[é]":"\u0061"}`},
}

// fuzzedConfig is a configuration of fuzzed paths; the bits of options choose the rest.
func fuzzedConfig(time, items, names, quantity string, options uint16) Config {
	bits := func(from, n int) int { return int(options>>from) & (1<<n - 1) }
	c := Config{
		TimeField: time, Items: items, Names: strings.Split(names, ","), Quantity: quantity, NameSeparator: "|",
		MaxName: 16, MaxItems: 6, MaxQuantity: 1000,
		TimeUnit: Unit(bits(0, 2)), TimeLayout: []string{"", "2006/01/02 15:04", "", LayoutRFC3339}[bits(2, 1)+2*bits(7, 1)],
		Envelope: Envelope(bits(5, 2)),
	}
	if bits(3, 1) == 1 && c.TimeLayout != LayoutRFC3339 {
		c.TimeZone = "America/New_York"
	}
	if bits(4, 1) == 1 {
		c.Split = ";"
	}
	return c
}

// FuzzMappedEqualsStrict trains a decoder of a fuzzed mapping with one record and has it
// decode another, changed copies of both, and documents that are made for the mapping. All
// must come out as without the fast path, errors included, and what is accepted as
// encoding/json reads it.
func FuzzMappedEqualsStrict(f *testing.F) {
	for i, s := range mappedSeeds {
		f.Add(s.time, s.items, s.names, s.quantity, s.options, []byte(s.first), []byte(s.second), uint64(i))
		f.Add(s.time, s.items, s.names, s.quantity, s.options, []byte(s.second), []byte(s.first), uint64(i)+100)
	}
	f.Fuzz(func(t *testing.T, time, items, names, quantity string, options uint16, first, second []byte, seed uint64) {
		if len(first)+len(second) > 4096 || len(time)+len(items)+len(names)+len(quantity) > 256 {
			return
		}
		d, err := NewDecoder(fuzzedConfig(time, items, names, quantity, options))
		if err != nil {
			return // paths that cannot be read, or exclude each other
		}
		rnd := rand.New(rand.NewPCG(seed, 1))
		headers := mappedHeaders(rnd)
		documents := append([][]byte{first, first, second}, similar(rnd, d.planFor(headers), 6, 2+rnd.IntN(30))...)
		for range 4 {
			documents = append(documents, mutate(rnd, first), mutate(rnd, second), first)
		}
		for _, value := range documents {
			checkRecord(t, d, &Record{Key: []byte("key"), Value: value, Headers: headers, Timestamp: recordTime})
		}
	})
}
