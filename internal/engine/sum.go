package engine

import (
	"math"

	"windowed/internal/event"
	"windowed/window"
)

// sum is what the records of a task come to if no order among them is late. Which orders
// are late depends on their order and on what was counted before; if none is, adding the
// sum is the same as counting them one after another.
type sum struct {
	counts   *window.Counts // by the worker's numbers; nil: there is no sum
	earliest int64          // end of the first window
	latest   int64          // event time
	accepted uint64
	portions uint64
	refused  [event.NumReasons]uint64
	clocks   Clocks
}

// add adds up the records of a task, if that leaves less to count.
func (w *worker) add(j *task) {
	s := &j.sum
	*s = sum{counts: w.empty(), earliest: math.MaxInt64, latest: math.MinInt64}
	items := j.items
	for i := range j.records {
		d := &j.records[i]
		if d.refused != nil {
			s.refused[d.refused.Reason]++
			continue
		}
		mine := items[:d.items]
		items = items[d.items:]
		s.order(d, mine, w.size.Start(d.at), w.size)
	}
	if 2*s.counts.Keys() > len(j.items) {
		w.back(s.counts)
		s.counts = nil
	}
}

func (s *sum) order(d *decoded, items []portion, start int64, size window.Size) {
	var portions uint64
	w := s.counts.Window(start)
	for _, item := range items {
		portions += item.quantity
		w.Add(item.id, item.quantity)
	}
	w.Accepted(portions)
	s.portions += portions
	s.accepted++
	s.clocks.add(d.local)
	s.earliest = min(s.earliest, size.End(start))
	s.latest = max(s.latest, d.at)
}

// empty are counts by the worker's numbering.
func (w *worker) empty() *window.Counts {
	for {
		select {
		case c := <-w.free:
			if c.Names() == w.names {
				return c
			}
		default:
			return window.NewCounts(w.names)
		}
	}
}

// back gives counts back, from whatever goroutine.
func (w *worker) back(c *window.Counts) {
	c.Reset()
	select {
	case w.free <- c:
	default:
	}
}

// addSum counts a task by its sum; false if an order of it may be late.
func (r *Replay) addSum(j *task) bool {
	s, b := &j.sum, r.batch
	after := b.Meta.Time
	after.Accept(s.latest, r.cfg.Grace)
	if after.Late(s.earliest) {
		return false
	}
	if b.Meta.Time = after; len(j.records) > 0 {
		b.Meta.Time.Idle = false
	}
	b.Read += len(j.records)
	b.Clocks.plus(s.clocks)
	c := &b.Meta.Counters
	c.Records += uint64(len(j.records))
	c.Counted += s.accepted
	c.Portions += s.portions
	for i, n := range s.refused {
		c.Invalid[i] += n
	}
	if s.accepted < uint64(len(j.records)) {
		for i := range j.records {
			r.example(&j.records[i], r.next+int64(i))
		}
	}
	names, into := b.counts.Names(), b.counts
	for _, start := range s.counts.Starts() {
		w := into.Window(start)
		w.AddNumbers(s.counts.Numbers(start))
		s.counts.Each(window.At(start), func(id uint32, portions uint64) { w.Add(j.worker.number(names, id), portions) })
	}
	r.next += int64(len(j.records))
	b.Meta.Next = r.next
	return true
}
