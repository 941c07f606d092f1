package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/valyala/fastjson"
)

// benchOrders makes orders of one producer that differ in everything but their
// shape, so that the branch predictor does not learn one of them by heart.
func benchOrders(items int, quote func(id, i int, lines string) string) [][]byte {
	drinks := []string{"latte", "flat white", "americano", "tea", "hot chocolate", "cortado", "cappuccino"}
	var orders [][]byte
	for i := range 64 {
		n := items
		if n == 0 {
			n = 1 + i*7%5
		}
		var lines []string
		for j := range n {
			lines = append(lines, fmt.Sprintf(`{"drink":"%s","quantity":%d}`, drinks[(i*3+j*5)%len(drinks)], 1+(i+j)%12))
		}
		orders = append(orders, []byte(quote(1004217+i*37, i, strings.Join(lines, ","))))
	}
	return orders
}

func shopOrder(id, i int, lines string) string {
	return fmt.Sprintf(`{"order_id":%d,"shop_id":%d,"till":"front-%d left","ts":"2026-03-01T10:%02d:%02d.%03dZ","items":[%s]}`,
		id, i%9+1, i%3, i%60, (i*7)%60, i*13%1000, lines)
}

func webOrder(id, i int, lines string) string {
	return fmt.Sprintf(`{"id":"a-%d","items":[%s],"ts":%d}`, id, lines, 1772360150520+int64(i)*977)
}

func appOrder(id, i int, lines string) string {
	return fmt.Sprintf(`{"order_id":%d, "customer": {"id": %d, "vip": %t}, "ts": "2026-03-01T10:%02d:%02d+00:00", "items": [%s]}`,
		id, i, i%2 == 0, i%60, (i*7)%60, lines)
}

// interleave takes the orders of several producers in turn.
func interleave(producers ...[][]byte) [][]byte {
	var all [][]byte
	for i := range producers[0] {
		for _, orders := range producers {
			all = append(all, orders[i])
		}
	}
	return all
}

// everDifferent gives each order a member name that no other has, in the middle
// of what is alike. They are so many that none is known any more when its turn
// comes again.
func everDifferent() [][]byte {
	var all [][]byte
	for round := range 48 {
		all = append(all, benchOrders(3, func(id, i int, lines string) string {
			return fmt.Sprintf(`{"order_id":%d,"ts":"2026-03-01T10:15:50.520Z","field-%d":1,"items":[%s]}`, id, round*64+i, lines)
		})...)
	}
	return all
}

func benchSets() map[string][][]byte {
	return map[string][][]byte{
		"ordinary":       {[]byte(plainOrder)},
		"varied":         benchOrders(0, shopOrder),
		"many-items":     benchOrders(200, shopOrder),
		"mixed":          interleave(benchOrders(0, shopOrder), benchOrders(0, webOrder), benchOrders(0, appOrder)),
		"ever-different": everDifferent(),
		"not-ASCII":      {bytes.ReplaceAll([]byte(plainOrder), []byte("latte"), []byte("café latté"))},
		"escaped":        {bytes.ReplaceAll([]byte(plainOrder), []byte("americano"), []byte(`caf\u00e9`))},
	}
}

func benchEach(b *testing.B, orders [][]byte, decode func(value []byte) bool) {
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if !decode(orders[i]) {
			b.Fatalf("refused: %s", orders[i])
		}
		if i++; i == len(orders) {
			i = 0
		}
	}
}

// BenchmarkFast compares the decoder with its strict path alone.
func BenchmarkFast(b *testing.B) {
	for name, orders := range benchSets() {
		b.Run(name+"/fast", func(b *testing.B) {
			d := mustDecoder(b, Config{TimeField: "ts"})
			benchEach(b, orders, func(value []byte) bool {
				_, fault := d.Decode(value, 0)
				return fault == nil
			})
		})
		b.Run(name+"/strict", func(b *testing.B) {
			d := mustDecoder(b, Config{TimeField: "ts"})
			benchEach(b, orders, func(value []byte) bool {
				_, fault := d.decodeStrict(prepared(d, value))
				return fault == nil
			})
		})
	}
}

// BenchmarkOthers shows what an ordinary order takes by other means, none of which checks
// as much.
func BenchmarkOthers(b *testing.B) {
	b.Run("encoding-json", func(b *testing.B) {
		benchEach(b, [][]byte{[]byte(plainOrder)}, func(value []byte) bool {
			var order struct {
				TS    string `json:"ts"`
				Items []struct {
					Drink    string `json:"drink"`
					Quantity int64  `json:"quantity"`
				} `json:"items"`
			}
			return json.Unmarshal(value, &order) == nil
		})
	})
	b.Run("fastjson", func(b *testing.B) {
		var p fastjson.Parser
		benchEach(b, [][]byte{[]byte(plainOrder)}, func(value []byte) bool { return fastOrder(&p, value) })
	})
	b.Run("jsontext", func(b *testing.B) { benchTokens(b, tokenOrder) })
	b.Run("jsontext-bare", func(b *testing.B) {
		benchTokens(b, func(d *jsontext.Decoder) bool {
			for {
				if _, err := d.ReadToken(); err != nil {
					return err == io.EOF
				}
			}
		})
	})
}

// benchTokens reads an ordinary order token by token.
func benchTokens(b *testing.B, read func(*jsontext.Decoder) bool) {
	var source bytes.Buffer
	var d jsontext.Decoder
	benchEach(b, [][]byte{[]byte(plainOrder)}, func(value []byte) bool {
		source = *bytes.NewBuffer(value)
		d.Reset(&source)
		return read(&d)
	})
}

// members calls f with the name of every member of the object that comes, for f to read its
// value; false if f does or it is no object.
func members(d *jsontext.Decoder, f func(name jsontext.Value) bool) bool {
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return false
	}
	for d.PeekKind() != '}' {
		if name, err := d.ReadValue(); err != nil || !f(name) {
			return false
		}
	}
	_, err := d.ReadToken()
	return err == nil
}

// tokenOrder takes from an order what is counted, as fastOrder does.
func tokenOrder(d *jsontext.Decoder) bool {
	items, timed := 0, false
	ok := members(d, func(name jsontext.Value) bool {
		switch string(name) {
		case `"ts"`:
			v, err := d.ReadValue()
			if err != nil || v.Kind() != '"' {
				return false
			}
			_, timed = parseTime(v[1 : len(v)-1])
			return timed
		case `"items"`:
			if t, err := d.ReadToken(); err != nil || t.Kind() != '[' {
				return false
			}
			for ; d.PeekKind() != ']'; items++ {
				if !tokenItem(d) {
					return false
				}
			}
			_, err := d.ReadToken()
			return err == nil
		}
		return d.SkipValue() == nil
	})
	return ok && timed && items > 0
}

func tokenItem(d *jsontext.Decoder) bool {
	named, quantity := false, int64(0)
	ok := members(d, func(name jsontext.Value) bool {
		switch string(name) {
		case `"drink"`:
			v, err := d.ReadValue()
			named = err == nil && v.Kind() == '"' && len(v) > 2
			return named
		case `"quantity"`:
			v, err := d.ReadValue()
			if err != nil {
				return false
			}
			var whole bool
			quantity, whole = parseInteger(v)
			return whole
		}
		return d.SkipValue() == nil
	})
	return ok && named && quantity > 0
}

// fastOrder takes from an order what is counted, and checks that its values are of the
// right types.
func fastOrder(p *fastjson.Parser, value []byte) bool {
	order, err := p.ParseBytes(value)
	if err != nil {
		return false
	}
	ts, err := order.Get("ts").StringBytes()
	if err != nil {
		return false
	}
	if _, ok := parseTime(ts); !ok {
		return false
	}
	items, err := order.Get("items").Array()
	for _, item := range items {
		drink, bad := item.Get("drink").StringBytes()
		quantity, wrong := item.Get("quantity").Int64()
		if bad != nil || wrong != nil || len(drink) == 0 || quantity < 1 {
			return false
		}
	}
	return err == nil && len(items) > 0
}

// prepared makes the decoder ready to decode value the strict way.
func prepared(d *Decoder, value []byte) *Record {
	d.plainRecord = Record{Value: value}
	d.Begin(&d.plainRecord)
	d.choose(&d.plainRecord)
	return &d.plainRecord
}
