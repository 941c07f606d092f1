package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
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

// BenchmarkOthers shows what an ordinary order takes by other means, neither of
// which checks as much.
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
	b.Run("jsontext-tokens", func(b *testing.B) {
		var source bytes.Buffer
		var d jsontext.Decoder
		benchEach(b, [][]byte{[]byte(plainOrder)}, func(value []byte) bool {
			source = *bytes.NewBuffer(value)
			d.Reset(&source)
			for {
				if _, err := d.ReadToken(); err != nil {
					return err == io.EOF
				}
			}
		})
	})
}

// prepared makes the decoder ready to decode value the strict way.
func prepared(d *Decoder, value []byte) *Record {
	d.plainRecord = Record{Value: value}
	d.Begin(&d.plainRecord)
	d.choose(&d.plainRecord)
	return &d.plainRecord
}
