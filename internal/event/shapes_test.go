package event

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"windowed/internal/sample"
)

func sampleOrders(n int) [][]byte {
	source := sample.New(1)
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	var orders [][]byte
	for i := range n {
		orders = append(orders, source.Next(at.Add(time.Duration(i)*977*time.Millisecond)))
	}
	return orders
}

// named is an order with a member of that name.
func named(name int) []byte {
	return fmt.Appendf(nil, `{"n%d":1,"items":[{"drink":"tea","quantity":1}]}`, name)
}

// shapeNames tells by their first member which shapes are known.
func shapeNames(d *Decoder) string {
	var text string
	for _, s := range d.shapes.known {
		text += strings.Trim(string(s.head[0].literal.text), `{"n:`) + " "
	}
	return text
}

func TestFastIsTaken(t *testing.T) {
	const n = 1000
	orders := sampleOrders(n)
	shop := benchOrders(0, shopOrder)
	cases := []struct {
		id     string
		orders [][]byte
		misses int
	}{
		{"sample orders", orders, 1},
		{"one producer", shop, 1},
		{"three producers", interleave(shop, benchOrders(0, webOrder), benchOrders(0, appOrder)), 3},
		{"four producers", interleave(shop, benchOrders(0, webOrder), benchOrders(0, appOrder), orders), 4},
	}
	for _, c := range cases {
		d := mustDecoder(t, Config{TimeField: "ts"})
		for _, value := range c.orders {
			checkSame(t, d, value, recordTime)
		}
		if d.shapes.misses != c.misses {
			t.Errorf("%s: %d of %d orders went the strict way, want %d", c.id, d.shapes.misses, len(c.orders), c.misses)
		}
	}
}

func TestShapesKeepTheLastUsed(t *testing.T) {
	d := mustDecoder(t, Config{})
	steps := []struct {
		name, times int
		want        string
	}{
		{1, 1, "1 "}, {1, 3, "1 "}, {2, 1, "2 1 "}, {1, 1, "1 2 "}, {3, 1, "3 1 2 "}, {4, 1, "4 3 1 2 "},
		{2, 1, "2 4 3 1 "}, {3, 1, "3 2 4 1 "},
		{5, 1, "5 3 2 4 "}, // no attempt before, so it is learned at once
		{5, 1, "5 3 2 4 "},
		{1, learnEvery - 1, "5 3 2 4 "}, {1, 1, "1 5 3 2 "},
		{1, 1, "1 5 3 2 "}, // a hit, which ends the streak
		{4, 3, "1 5 3 2 "}, {1, 1, "1 5 3 2 "}, {4, learnEvery - 1 - 3, "1 5 3 2 "}, {4, 1, "4 1 5 3 "},
	}
	for i, step := range steps {
		for range step.times {
			checkSame(t, d, named(step.name), recordTime)
		}
		if got := shapeNames(d); got != step.want {
			t.Fatalf("step %d: the shapes are %q, want %q", i, got, step.want)
		}
	}
}

// TestShapesLearnOnce checks that an order of a known shape with a value that
// is not read is no reason to learn its shape again.
func TestShapesLearnOnce(t *testing.T) {
	d := mustDecoder(t, Config{})
	for range 100 {
		checkSame(t, d, []byte(drink(`"\u0061"`)), recordTime)
	}
	if len(d.shapes.known) != 1 || d.shapes.misses != 100 {
		t.Errorf("%d shapes, %d misses", len(d.shapes.known), d.shapes.misses)
	}
	checkSame(t, d, []byte(drink(`"a"`)), recordTime)
	for range retryEvery {
		checkSame(t, d, []byte(drink(`"a"`)), recordTime)
	}
	misses := d.shapes.misses
	checkSame(t, d, []byte(drink(`"a"`)), recordTime)
	if d.shapes.misses != misses {
		t.Error("the fast path was not taken again")
	}
}

// TestShapesLearnSeldom has orders that all differ. Then it has some of one
// producer, which are learned in the end, and others after that sooner.
func TestShapesLearnSeldom(t *testing.T) {
	d := mustDecoder(t, Config{})
	learned, last := 0, ""
	decode := func(name int) {
		checkSame(t, d, named(name), recordTime)
		if names := shapeNames(d); names != last {
			learned, last = learned+1, names
		}
	}
	const orders = 20 * learnSeldom
	for name := range orders {
		decode(name)
	}
	if most := maxShapes + 5 + orders/learnSeldom; learned > most {
		t.Errorf("%d shapes were learned, at most %d are worth it", learned, most)
	}
	for range learnSeldom {
		decode(orders)
	}
	misses := d.shapes.misses
	decode(orders)
	if d.shapes.misses != misses {
		t.Error("one producer's orders are not learned")
	}
	for range learnSeldom + 1 {
		decode(orders + 1)
	}
	learned = 0
	for range 2*learnEvery + 2 {
		decode(orders + 2)
	}
	if learned != 1 {
		t.Error("another producer's orders are not learned soon")
	}
}

// TestShapesRefusedIsNotLearned checks that nothing is learned from an order
// that was refused, whatever comes in between.
func TestShapesRefusedIsNotLearned(t *testing.T) {
	d := mustDecoder(t, Config{})
	for _, value := range []string{
		one(`"drink":"tea","drink":"tea","quantity":1`), quantity(`0`), one(`"drink":"tea","quantity":1`) + "x", "", "{", "[]",
	} {
		checkSame(t, d, []byte(value), recordTime)
	}
	if got := len(d.shapes.known); got != 0 {
		t.Errorf("%d shapes", got)
	}
}

// TestShapesDoNotAllocate includes orders whose shapes come and go.
func TestShapesDoNotAllocate(t *testing.T) {
	for name, orders := range benchSets() {
		d := mustDecoder(t, Config{TimeField: "ts"})
		run := func() {
			for _, value := range orders {
				if _, fault := d.Decode(value, 0); fault != nil {
					t.Fatal(fault)
				}
			}
		}
		for range 3 {
			run()
		}
		if allocs := testing.AllocsPerRun(5, run); allocs != 0 {
			t.Errorf("%s: %v allocations for %d orders", name, allocs, len(orders))
		}
	}
}
