package event

import (
	"bytes"
	"testing"
)

// renamed is the mapping of orders whose members have other names of the same length.
var renamed = Config{TimeField: "at", Items: "lines", Names: []string{"title"}, Quantity: "how_many"}

// rename gives an order the names of renamed.
func rename(value []byte) []byte {
	for _, name := range [][2]string{{`"ts"`, `"at"`}, {`"items"`, `"lines"`}, {`"drink"`, `"title"`}, {`"quantity"`, `"how_many"`}} {
		value = bytes.ReplaceAll(value, []byte(name[0]), []byte(name[1]))
	}
	return value
}

// BenchmarkMapped compares orders with the same bytes under a mapping of other names, and
// mappings of other kinds beside them.
func BenchmarkMapped(b *testing.B) {
	for name, orders := range benchSets() {
		if name == "ever-different" {
			continue
		}
		mapped := make([][]byte, len(orders))
		for i, order := range orders {
			mapped[i] = rename(order)
		}
		for id, c := range map[string]struct {
			config Config
			values [][]byte
		}{"orders": {Config{TimeField: "ts"}, orders}, "mapped": {renamed, mapped}} {
			b.Run(name+"/"+id, func(b *testing.B) {
				d := mustDecoder(b, c.config)
				benchEach(b, c.values, func(value []byte) bool {
					_, fault := d.Decode(value, 0)
					return fault == nil
				})
			})
		}
	}
}

// TestMappedDoesNotAllocate: a record of a mapping costs no allocation either, by the fast
// path or the strict one.
func TestMappedDoesNotAllocate(t *testing.T) {
	cases := map[string]struct {
		config Config
		value  string
	}{
		"orders of other names": {renamed, string(rename([]byte(plainOrder)))},
		"escaped":               {renamed, `{"at":1772360150520,"lines":[{"title":"caf\u00e9","how_many":2}]}`},
		"the record is an item": {Config{TimeField: "at", Names: []string{"page"}}, `{"at":"2026-03-01 10:00:00","page":"/a","x":{"y":[1]}}`},
		"parts":                 {Config{TimeField: "at", Names: []string{"a.b", "c", "key"}, NameSeparator: "/"}, `{"at":1772360150520.5,"a":{"b":404},"c":"x"}`},
		"arrays in arrays":      {Config{Items: "a[].b", Names: []string{"."}}, `{"a":[{"b":["x","y"]},{"b":["z"]}]}`},
		"a list":                {Config{Names: []string{"genres"}, Split: "|"}, `{"genres":"a|b|c"}`},
		"a layout and a zone":   {Config{TimeField: "at", TimeLayout: "2006/01/02 15:04", TimeZone: "America/New_York", Names: []string{"n"}}, `{"at":"2026/03/01 10:15","n":1}`},
		"an envelope":           {Config{TimeField: "at", Names: []string{"n"}, Envelope: Debezium}, `{"before":null,"after":{"at":1772360150520,"n":true},"op":"c"}`},
	}
	for id, c := range cases {
		d := mustDecoder(t, c.config)
		r := &Record{Key: []byte("key"), Value: []byte(c.value), Timestamp: recordTime}
		allocs := testing.AllocsPerRun(100, func() {
			if _, fault := d.DecodeRecord(r); fault != nil {
				t.Fatal(id, fault)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations", id, allocs)
		}
	}
}
