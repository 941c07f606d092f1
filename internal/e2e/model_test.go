//go:build unix

package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// rules are what the expected counts depend on.
type rules struct {
	window time.Duration
	grace  time.Duration
	amend  bool // late records go into their window
}

// expectation is what must come out, computed the slow and obvious way from what the
// input topic holds.
type expectation struct {
	rules
	allTime    tally
	windows    map[int64]*tally // by start
	partitions []partition
	late       uint64 // orders
	lateSum    uint64 // their portions
	invalid    map[string]uint64
	letters    map[spot]letter
}

// tally are counts and their sums.
type tally struct {
	orders, portions uint64
	late             uint64
	drinks           map[string]uint64
}

// partition is what one input partition has counted: the keys of its changelog.
type partition struct {
	counts  map[string]uint64
	begun   bool  // it has accepted an order
	highest int64 // accepted event time, ms
	through int64 // windows with an end up to here are closed for this partition
}

// spot is where a record is in the input topic.
type spot struct {
	partition int32
	offset    int64
}

// letter is what the dead letter of a record must say.
type letter struct {
	reason, counted string
	value           []byte
}

// expect computes what must come out of an input topic.
func expect(r rules, input map[int32][]*kgo.Record) (*expectation, error) {
	e := newExpectation(r, len(input))
	for _, records := range input {
		if err := e.addAll(records); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// newExpectation expects nothing from so many partitions.
func newExpectation(r rules, partitions int) *expectation {
	e := &expectation{
		rules: r, allTime: tally{drinks: make(map[string]uint64)}, windows: make(map[int64]*tally),
		partitions: make([]partition, partitions), invalid: make(map[string]uint64), letters: make(map[spot]letter),
	}
	for p := range e.partitions {
		e.partitions[p].counts = make(map[string]uint64)
	}
	return e
}

// addAll adds records of one partition in their order.
func (e *expectation) addAll(records []*kgo.Record) error {
	for _, r := range records {
		if err := e.add(&e.partitions[r.Partition], r); err != nil {
			return fmt.Errorf("partition %d offset %d: %w", r.Partition, r.Offset, err)
		}
	}
	return nil
}

// farFuture is beyond any --max-future.
var farFuture = time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()

func (e *expectation) add(p *partition, r *kgo.Record) error {
	at := spot{r.Partition, r.Offset}
	if r.Value == nil {
		return e.refuse(at, r, "null_value")
	}
	if reason, ok := bad[string(r.Value)]; ok {
		return e.refuse(at, r, reason)
	}
	var o order
	if err := json.Unmarshal(r.Value, &o); err != nil {
		return fmt.Errorf("the model cannot read %q: %w", r.Value, err)
	}
	ms, err := millis(o.TS, r.Timestamp)
	if err != nil {
		return err
	}
	if ms > farFuture {
		return e.refuse(at, r, "future")
	}
	e.count(p, at, r, &o, ms)
	return nil
}

func (e *expectation) refuse(at spot, r *kgo.Record, reason string) error {
	e.invalid[reason]++
	e.letters[at] = letter{reason: reason, counted: "none", value: r.Value}
	return nil
}

func (e *expectation) count(p *partition, at spot, r *kgo.Record, o *order, ms int64) {
	size := e.window.Milliseconds()
	start := floor(ms, size)
	late := p.begun && start+size <= p.through
	e.allTime.orders++
	if !late || e.amend {
		e.windowAt(start).orders++
	}
	if late && !e.amend {
		e.letters[at] = letter{reason: "late", counted: "all-time", value: r.Value}
		e.windowAt(start).late++
	}
	if late {
		e.late++
	}
	for _, i := range o.Items {
		e.allTime.add(i)
		p.counts[i.Drink+":all"] += i.Quantity
		if late {
			e.lateSum += i.Quantity
		}
		if !late || e.amend {
			e.windowAt(start).add(i)
			p.counts[fmt.Sprintf("%s:%d", i.Drink, start)] += i.Quantity
		}
	}
	if late {
		return
	}
	if !p.begun || ms > p.highest {
		p.highest = ms
	}
	if through := p.highest - e.grace.Milliseconds(); !p.begun || through > p.through {
		p.through = through
	}
	p.begun = true
}

func (t *tally) add(i item) {
	t.portions += i.Quantity
	t.drinks[i.Drink] += i.Quantity
}

func (e *expectation) windowAt(start int64) *tally {
	w := e.windows[start]
	if w == nil {
		w = &tally{drinks: make(map[string]uint64)}
		e.windows[start] = w
	}
	return w
}

// floor is the largest multiple of size that is not above ms.
func floor(ms, size int64) int64 {
	n := ms / size
	if ms%size < 0 {
		n--
	}
	return n * size
}

// top is the list of the n most ordered drinks: most first, then by the bytes of the
// name.
func (t *tally) top(n int) []ranked {
	list := []ranked{}
	for drink, count := range t.drinks {
		list = append(list, ranked{Drink: drink, Count: count})
	}
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Drink, b.Drink))
	})
	list = list[:min(n, len(list))]
	for i := range list {
		list[i].Rank = i + 1
	}
	return list
}

// starts are the windows that accepted an order, oldest first.
func (e *expectation) starts() []int64 {
	var starts []int64
	for start, w := range e.windows {
		if w.orders > 0 {
			starts = append(starts, start)
		}
	}
	slices.Sort(starts)
	return starts
}

// label is a time as all outputs write it.
func label(ms int64) string {
	t := time.UnixMilli(ms).UTC()
	if ms%1000 != 0 {
		return t.Format("2006-01-02T15:04:05.000Z")
	}
	return t.Format("2006-01-02T15:04:05Z")
}
