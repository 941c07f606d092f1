package avro_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	lib "github.com/twmb/avro"

	"windowed/internal/event"
)

// twin is a schema and mapping with what they mean, written down once more: by the
// library's values in memory.
type twin struct {
	name   string
	config event.Config
	schema string
	read   func(v object) (ms int64, items string, ok bool)
}

var twins = []twin{
	{"order", plain, orderSchema, func(v object) (int64, string, bool) {
		ms, ok := millisOf(v["ts"])
		var parts []string
		for _, it := range v["items"].([]any) {
			drink, quantity := it.(object)["drink"].(string), it.(object)["quantity"].(int32)
			ok = ok && isName(drink) && quantity >= 1 && quantity <= 1e6
			parts = append(parts, fmt.Sprintf("%s=%d", drink, quantity))
		}
		return ms, strings.Join(parts, ","), ok && len(parts) > 0
	}},
	{"everything", event.Config{TimeField: "when.at", Items: "groups[].lines", Names: []string{"kind", "id"}, NameSeparator: "/", Quantity: "n"},
		`{"type":"record","name":"R","fields":[
		{"name":"tree","type":{"type":"record","name":"Tree","fields":[{"name":"f","type":"float"},{"name":"kids","type":{"type":"array","items":"Tree"}},{"name":"up","type":["null","Tree"]}]}},
		{"name":"groups","type":{"type":"array","items":{"type":"record","name":"G","fields":[{"name":"lines","type":["null",{"type":"array","items":{"type":"record","name":"L","fields":[
			{"name":"kind","type":{"type":"enum","name":"K","symbols":["TEA","LATTE"]}},
			{"name":"n","type":[{"type":"bytes","logicalType":"decimal","precision":20,"scale":1},"double"]},
			{"name":"id","type":["long","boolean"]}]}}]}]}}},
		{"name":"props","type":{"type":"map","values":{"type":"map","values":["null","bytes",{"type":"fixed","name":"F","size":2}]}}},
		{"name":"when","type":{"type":"record","name":"W","fields":[{"name":"at","type":["null",{"type":"long","logicalType":"timestamp-micros"},{"type":"int","logicalType":"date"}]}]}},
		{"name":"empty","type":{"type":"array","items":{"type":"record","name":"Nothing","fields":[{"name":"x","type":"null"}]}}}]}`,
		func(v object) (int64, string, bool) {
			ms, ok := millisOf(v["when"].(object)["at"])
			var parts []string
			for _, g := range v["groups"].([]any) {
				lines, listed := g.(object)["lines"].([]any)
				ok = ok && listed == (g.(object)["lines"] != nil)
				for _, line := range lines {
					l := line.(object)
					n, whole := wholeOf(l["n"])
					ok = ok && whole && n >= 1 && n <= 1e6
					parts = append(parts, fmt.Sprintf("%s/%v=%d", l["kind"], l["id"], n))
				}
			}
			return ms, strings.Join(parts, ","), ok && len(parts) > 0
		}},
	{"maps and places", event.Config{Names: []string{"props.color", "list[1].name"}, NameSeparator: " "},
		`{"type":"record","name":"R","fields":[
		{"name":"list","type":{"type":"array","items":{"type":"record","name":"N","fields":[{"name":"pad","type":"double"},{"name":"name","type":"string"}]}}},
		{"name":"props","type":{"type":"map","values":["null","string"]}}]}`,
		func(v object) (int64, string, bool) {
			list := v["list"].([]any)
			color, ok := v["props"].(object)["color"].(string)
			if !ok || len(list) < 2 {
				return 7, "", false
			}
			name := list[1].(object)["name"].(string)
			return 7, color + " " + name + "=1", isName(color) && isName(name) && len(color)+len(name) < 1024
		}},
}

func isName(s string) bool { return s != "" && len(s) <= 1024 && utf8.ValidString(s) }

// millisOf is what the time is; that of the record if there is none.
func millisOf(v any) (int64, bool) {
	if v == nil {
		return 7, true
	}
	t := v.(time.Time)
	return t.UnixMilli(), t.Year() >= 1 && t.Year() <= 9999
}

func wholeOf(v any) (int64, bool) {
	switch n := v.(type) {
	case float64:
		return int64(n), n == float64(int64(n))
	case *big.Rat:
		return n.Num().Int64(), n.IsInt() && n.Num().IsInt64()
	}
	return 0, false
}

// FuzzEqualsLibrary compares the walker with the library, which makes values in memory of
// everything: both take the same bytes, and find the same in them.
func FuzzEqualsLibrary(f *testing.F) {
	seeds(f)
	var schemas []*lib.Schema
	var programs []func([]byte) string
	for _, c := range twins {
		schemas = append(schemas, lib.MustParse(c.schema))
		p := program(f, c.config, c.schema, "")
		programs = append(programs, func(b []byte) string { return decoded(p, b) })
	}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		at := int(which) % len(twins)
		have := programs[at](b)
		if strings.Contains(have, "is there twice") || strings.Contains(have, "too_large") {
			return // the library keeps the last of several, and has no such limits
		}
		var v any
		rest, err := schemas[at].Decode(b, &v)
		want := "refused"
		if err == nil && len(rest) == 0 {
			if ms, items, ok := twins[at].read(v.(object)); ok {
				want = fmt.Sprintf("%d %s", ms, items)
			}
		}
		refused := have[0] != '-' && (have[0] < '0' || have[0] > '9')
		if refused != (want == "refused") || !refused && have != want {
			t.Errorf("%s, %x (%v, %d bytes left, %v)\nhave %s\nwant %s", twins[at].name, b, err, len(rest), v, have, want)
		}
	})
}

// seeds are values of each twin, and the same with blocks of other forms.
func seeds(f *testing.F) {
	tree := func(kids ...any) object { return object{"f": 1.5, "kids": kids, "up": nil} }
	line := func(kind string, n, id any) object { return object{"kind": kind, "n": n, "id": id} }
	f.Add(uint8(0), encode(f, orderSchema, object{"order_id": 1 << 40, "shop_id": -7, "ts": at, "items": items("latte", 2, "tea", 1)}))
	f.Add(uint8(0), encode(f, orderSchema, object{"order_id": 0, "shop_id": 0, "ts": nil, "items": items("latte", 0)}))
	f.Add(uint8(0), []byte("\x02\x0e\x00\x01\x0e\x0alatte\x04\x02\x06tea\x02\x00"))
	f.Add(uint8(1), encode(f, twins[1].schema, object{
		"tree": object{"f": 0.5, "kids": []any{tree(), tree(tree())}, "up": tree()}, "when": object{"at": time.UnixMilli(at)},
		"groups": []any{object{"lines": []any{line("TEA", big.NewRat(5, 1), int64(3)), line("LATTE", 2.0, true)}}, object{"lines": nil}},
		"props":  object{"a": object{"b": nil, "c": []byte("xy"), "d": [2]byte{1, 2}}, "": object{}}, "empty": []any{object{"x": nil}},
	}))
	f.Add(uint8(2), encode(f, twins[2].schema, object{
		"list":  []any{object{"pad": 1.0, "name": "no"}, object{"pad": -1.0, "name": "yes"}, object{"pad": 0.0, "name": "no"}},
		"props": object{"color": "red", "x": nil},
	}))
}
