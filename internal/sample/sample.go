// Package sample makes orders to look at: a small café, with a drink list, busy hours and
// now and then a guest who takes several.
package sample

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

var drinks = []struct {
	name   string
	weight int
}{
	{"latte", 22}, {"cappuccino", 18}, {"espresso", 15}, {"flat white", 11}, {"americano", 9}, {"mocha", 7},
	{"tea: earl grey", 5}, {"matcha latte", 4}, {"chai", 3}, {"cortado", 3}, {"hot chocolate", 2}, {"café au lait", 1},
}

// Orders makes orders. Not safe for concurrent use.
type Orders struct {
	rnd   *rand.Rand
	next  uint64
	total int
}

// New returns orders that depend on seed alone.
func New(seed uint64) *Orders {
	o := &Orders{rnd: rand.New(rand.NewPCG(seed, 0)), next: 1}
	for _, d := range drinks {
		o.total += d.weight
	}
	return o
}

// Next is the value of an order made at t.
func (o *Orders) Next(t time.Time) []byte {
	b := []byte(`{"order_id":`)
	b = strconv.AppendUint(b, o.next, 10)
	b = fmt.Appendf(b, `,"shop_id":%d,"ts":%q,"items":[`, 1+o.rnd.IntN(9), t.UTC().Format("2006-01-02T15:04:05.000Z"))
	for i := range 1 + o.rnd.IntN(3) {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"drink":%q,"quantity":%d}`, o.drink(), 1+o.rnd.IntN(2))
	}
	o.next++
	return append(b, "]}"...)
}

func (o *Orders) drink() string {
	n := o.rnd.IntN(o.total)
	for _, d := range drinks {
		if n -= d.weight; n < 0 {
			return d.name
		}
	}
	return drinks[0].name
}
