package main

import (
	"math"
	"runtime"
	"strconv"
	"sync"
)

// allTime is the scope of the counts of all time; that of a window is its start in ms.
const allTime = "all"

// Answer holds portions by scope and drink.
type Answer map[string]map[string]uint64

// add adds to one count.
func (a Answer) add(scope, drink string, n uint64) {
	counts := a[scope]
	if counts == nil {
		counts = make(map[string]uint64)
		a[scope] = counts
	}
	counts[drink] += n
}

// Truth is what the right answer to a workload is.
type Truth struct {
	Answer Answer
	Orders int64
	Items  int64
	Bytes  int64
	Late   int64 // orders that are in no window
}

// truthOf makes the orders of w and counts them by plain maps: all of them of all time,
// and by window those that are not late in their partition.
func truthOf(w *Workload) *Truth {
	pick := newSampler(w.Drinks, w.Zipf)
	parts := make([]*partTruth, w.Partitions)
	var group sync.WaitGroup
	turn := make(chan struct{}, runtime.GOMAXPROCS(0))
	for p := range parts {
		group.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			parts[p] = newPartTruth(w)
			parts[p].count(w.maker(p, pick))
		})
	}
	group.Wait()
	t := &Truth{Answer: Answer{}}
	for _, p := range parts {
		t.add(p)
	}
	return t
}

// partTruth is the truth of one partition, by drinks' indices.
type partTruth struct {
	window, grace int64
	size          int
	closed        int64 // windows that end here or before are closed
	counts        map[int64]map[int32]uint64
	facts         Truth
}

// forAll is the key of the counts of all time; no window starts there.
const forAll = math.MinInt64

func newPartTruth(w *Workload) *partTruth {
	return &partTruth{
		window: w.Window.Milliseconds(), grace: w.Grace.Milliseconds(), size: w.Size, closed: math.MinInt64,
		counts: map[int64]map[int32]uint64{forAll: {}},
	}
}

func (p *partTruth) count(m *maker) {
	var text []byte
	for o, ok := m.next(); ok; o, ok = m.next() {
		text = o.append(text[:0], p.size)
		p.facts.Bytes += int64(len(text))
		p.take(&o)
	}
}

// take counts one order: it is late if its window has ended before the highest time of
// an order in time so far, less the grace.
func (p *partTruth) take(o *order) {
	start := o.time / p.window * p.window
	if o.time < 0 && o.time%p.window != 0 {
		start -= p.window
	}
	late := start+p.window <= p.closed
	p.facts.Orders++
	p.facts.Items += int64(len(o.items))
	p.put(forAll, o.items)
	if late {
		p.facts.Late++
		return
	}
	p.put(start, o.items)
	p.closed = max(p.closed, o.time-p.grace)
}

func (p *partTruth) put(scope int64, items []item) {
	counts := p.counts[scope]
	if counts == nil {
		counts = make(map[int32]uint64)
		p.counts[scope] = counts
	}
	for _, it := range items {
		counts[it.drink] += uint64(it.quantity)
	}
}

func (t *Truth) add(p *partTruth) {
	for scope, counts := range p.counts {
		name := allTime
		if scope != forAll {
			name = strconv.FormatInt(scope, 10)
		}
		for index, n := range counts {
			t.Answer.add(name, drink(index), n)
		}
	}
	t.Orders += p.facts.Orders
	t.Items += p.facts.Items
	t.Bytes += p.facts.Bytes
	t.Late += p.facts.Late
}
