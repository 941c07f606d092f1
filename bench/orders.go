package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// Workload says which orders are made. The same workload makes the same orders, byte by
// byte, on every machine.
type Workload struct {
	Seed       uint64
	Orders     int
	Partitions int
	Drinks     int           // distinct drinks
	Zipf       float64       // exponent of how unevenly they are ordered; 0: all alike
	Items      int           // an order has 1 to Items items
	Size       int           // bytes to which a shorter order is filled up; 0: as it comes
	Start      time.Time     // event time of the first order
	Span       time.Duration // event time from the first order to the last
	Disorder   time.Duration // how far an order's time may lie behind its turn
	Late       float64       // share of orders that come after their window has closed
	Window     time.Duration
	Grace      time.Duration
}

// check refuses workloads that cannot be made.
func (w *Workload) check() error {
	switch {
	case w.Orders < 1 || w.Partitions < 1 || w.Drinks < 1 || w.Items < 1:
		return fmt.Errorf("orders, partitions, drinks and items must be above 0")
	case w.Zipf < 0 || w.Late < 0 || w.Late > 1:
		return fmt.Errorf("zipf must not be below 0, and late must be between 0 and 1")
	case w.Window < time.Millisecond || w.Grace < 0 || w.Disorder < 0 || w.Span < 0:
		return fmt.Errorf("the window must be at least 1ms, and no span below 0")
	}
	return nil
}

// drinkPrefix begins the name of every drink, its index follows.
const drinkPrefix = "house special "

// drink is the name of a drink.
func drink(index int32) string { return drinkPrefix + strconv.Itoa(int(index)) }

// order is one order that was made.
type order struct {
	id    int64
	time  int64 // ms since 1970
	items []item
}

type item struct {
	drink    int32
	quantity int64
}

// maker makes the orders of one partition, one after another. The order whose turn is n
// goes to partition n modulo the number of partitions. Not safe for concurrent use.
type maker struct {
	w     *Workload
	pick  *sampler
	rnd   *rand.Rand
	turn  int64
	items []item
}

// maker makes the orders of partition p; pick must be a sampler for w.
func (w *Workload) maker(p int, pick *sampler) *maker {
	return &maker{w: w, pick: pick, rnd: rand.New(rand.NewPCG(w.Seed, uint64(p))), turn: int64(p)}
}

// next returns the next order, valid until the one after, or false at the end.
func (m *maker) next() (order, bool) {
	if m.turn >= int64(m.w.Orders) {
		return order{}, false
	}
	o := order{id: m.turn, time: m.time()}
	m.items = m.items[:0]
	for range 1 + m.rnd.IntN(m.w.Items) {
		m.items = append(m.items, item{drink: m.pick.pick(m.rnd), quantity: 1 + m.rnd.Int64N(3)})
	}
	o.items = m.items
	m.turn += int64(m.w.Partitions)
	return o, true
}

// time is the event time of the order whose turn it is.
func (m *maker) time() int64 {
	share := float64(m.turn) / float64(m.w.Orders)
	t := m.w.Start.UnixMilli() + int64(share*float64(m.w.Span.Milliseconds()))
	if d := m.w.Disorder.Milliseconds(); d > 0 {
		t -= m.rnd.Int64N(d)
	}
	if m.w.Late > 0 && m.rnd.Float64() < m.w.Late {
		window := m.w.Window.Milliseconds()
		t -= window + m.w.Grace.Milliseconds() + m.w.Disorder.Milliseconds() + m.rnd.Int64N(window)
	}
	return t
}

// timeForm is how the orders write their time.
const timeForm = "2006-01-02T15:04:05.000Z"

// shops is how many shops the orders come from.
const shops = 97

// append appends the order as JSON, filled up to size bytes.
func (o *order) append(b []byte, size int) []byte {
	start := len(b)
	b = append(b, `{"order_id":`...)
	b = strconv.AppendInt(b, o.id, 10)
	b = append(b, `,"shop_id":`...)
	b = strconv.AppendInt(b, o.id%shops, 10)
	b = append(b, `,"ts":"`...)
	b = time.UnixMilli(o.time).UTC().AppendFormat(b, timeForm)
	b = append(b, `","items":[`...)
	for i, it := range o.items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"drink":"`+drinkPrefix...)
		b = strconv.AppendInt(b, int64(it.drink), 10)
		b = append(b, `","quantity":`...)
		b = strconv.AppendInt(b, it.quantity, 10)
		b = append(b, '}')
	}
	b = append(b, ']')
	const note = `,"note":""}`
	if fill := size - (len(b) - start) - len(note); fill > 0 {
		b = append(b, note[:len(note)-2]...)
		for range fill {
			b = append(b, '.')
		}
		b = append(b, '"')
	}
	return append(b, '}')
}
