package engine

import (
	"fmt"
	"math"
	"reflect"

	"windowed/internal/event"
	"windowed/state"
	"windowed/watermark"
	"windowed/window"
)

// truth is one input partition as the design says it must be, written down without the
// engine: maps, and one comparison for lateness. It advances with every committed
// transaction, and says what that transaction had to write.
type truth struct {
	meta    state.Meta
	counts  map[window.Scope]map[string]uint64
	numbers map[int64]window.Numbers
}

func newTruth(start int64) *truth {
	return &truth{
		meta: state.Meta{
			Next: start, ExpiredThrough: math.MinInt64,
			Time: watermark.Partition{Watermark: math.MinInt64, CloseThrough: math.MinInt64},
		},
		counts: map[window.Scope]map[string]uint64{}, numbers: map[int64]window.Numbers{},
	}
}

// intake is what a batch took in: a record at a wall clock time, or a raise while idle.
type intake struct {
	s      *sample
	now    int64
	raised int64 // if s is nil
}

// written is what a transaction had to write: keys as text, and values.
type written map[string]string

func (w written) count(scope window.Scope, drink string, n uint64) {
	w[fmt.Sprintf("count %v %q", scope, drink)] = fmt.Sprint(n)
}

func (w written) number(start int64, n window.Numbers) {
	w[fmt.Sprintf("numbers %d", start)] = fmt.Sprint(n)
}

func (w written) dead(offset int64, reason event.Reason, allTime bool) {
	w[fmt.Sprintf("dead letter %d", offset)] = fmt.Sprint(reason, allTime)
}

// take adds the intakes of one batch that went by the close-through c; ever collects
// what every window of the job accepted.
func (t *truth) take(cfg *Config, intakes []intake, c int64, ever map[int64]*everWindow) written {
	out := written{}
	expired := t.meta.ExpiredThrough
	for _, e := range intakes {
		if e.s == nil {
			t.meta.Time.Idle = true
			t.meta.Time.CloseThrough = max(t.meta.Time.CloseThrough, e.raised)
			continue
		}
		t.meta.Next = e.s.rec.Offset + 1
		if !e.s.rec.Control {
			t.record(cfg, e, c, expired, ever, out)
		}
	}
	return out
}

func (t *truth) record(cfg *Config, e intake, c, expired int64, ever map[int64]*everWindow, out written) {
	m, s := &t.meta, e.s
	m.Counters.Records++
	m.Time.Idle = false
	reference := e.now
	if s.rec.AppendTime {
		reference = s.rec.Timestamp
	}
	switch {
	case s.invalid != event.None:
		m.Counters.Invalid[s.invalid]++
		out.dead(s.rec.Offset, s.invalid, false)
		return
	case s.time > reference+cfg.MaxFuture:
		m.Counters.Invalid[event.Future]++
		out.dead(s.rec.Offset, event.Future, false)
		return
	}
	size := int64(cfg.Window)
	start := s.time - (s.time%size+size)%size
	end := start + size
	late := end <= m.Time.CloseThrough
	retained := end > expired && (c == math.MinInt64 || end+cfg.Retention > c)
	amended := late && retained && cfg.Late == AmendLate
	var portions uint64
	for _, it := range s.items {
		portions += it.Count
		t.add(window.AllTime, it, out)
		if !late || amended {
			t.add(window.Scope{Start: start}, it, out)
			everOf(ever, start).drinks[it.Drink] += it.Count
		}
	}
	n := t.numbers[start]
	k := &m.Counters
	k.Portions += portions
	switch {
	case !late:
		k.Counted++
		n.Records, n.Portions = n.Records+1, n.Portions+portions
		everOf(ever, start).accepted++
	case amended:
		k.Amended++
		k.AmendedPortions += portions
		n.Records, n.Portions = n.Records+1, n.Portions+portions
	default:
		out.dead(s.rec.Offset, event.Late, true)
		k.Late++
		k.LatePortions += portions
		n.LateRecords, n.LatePortions = n.LateRecords+1, n.LatePortions+portions
	}
	if late && (m.Time.Watermark == math.MinInt64 || end > m.Time.Watermark-cfg.Grace) {
		k.LateIdle++
		k.LateIdlePortions += portions
	}
	if !late || amended {
		w := everOf(ever, start)
		w.records, w.portions = w.records+1, w.portions+portions
	}
	if !late || retained {
		t.numbers[start] = n
		out.number(start, n)
	}
	if !late {
		m.Time.Watermark = max(m.Time.Watermark, s.time)
		m.Time.CloseThrough = max(m.Time.CloseThrough, m.Time.Watermark-cfg.Grace)
	}
}

func (t *truth) add(scope window.Scope, it state.Entry, out written) {
	if t.counts[scope] == nil {
		t.counts[scope] = map[string]uint64{}
	}
	t.counts[scope][it.Drink] += it.Count
	out.count(scope, it.Drink, t.counts[scope][it.Drink])
}

// everWindow is what a window took in over the whole run, tombstones or not.
type everWindow struct {
	accepted          int // records in time
	records, portions uint64
	drinks            map[string]uint64
}

func everOf(ever map[int64]*everWindow, start int64) *everWindow {
	if ever[start] == nil {
		ever[start] = &everWindow{drinks: map[string]uint64{}}
	}
	return ever[start]
}

// check compares what a transaction wrote for this partition with want; expirable says
// up to which end windows may go.
func (t *truth) check(cfg *Config, changes []state.Change, dead []DeadLetter, want written, expirable int64) error {
	got, tombstones := written{}, 0
	for i := range dead {
		got.dead(dead[i].Offset, dead[i].Reason, dead[i].AllTime)
	}
	for i := range changes {
		c := &changes[i]
		switch {
		case c.Kind == state.MetaKind:
			if i != len(changes)-1 {
				return fmt.Errorf("the meta is change %d of %d, not the last", i, len(changes))
			}
			if err := t.checkMeta(c.Meta, expirable); err != nil {
				return err
			}
		case c.Kind == state.CountKind && c.Deleted:
			tombstones++
			if err := t.tombstone(cfg, c, expirable); err != nil {
				return err
			}
		case c.Kind == state.NumbersKind && c.Deleted:
			if err := t.tombstone(cfg, c, expirable); err != nil {
				return err
			}
		case c.Kind == state.CountKind:
			got.count(c.Scope, c.Drink, c.Count)
		case c.Kind == state.NumbersKind:
			got.number(c.Scope.Start, *c.Numbers)
		}
	}
	if tombstones > cfg.keysAtOnce() {
		return fmt.Errorf("%d tombstones in one transaction, more than %d", tombstones, cfg.keysAtOnce())
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("wrote %v\nwant  %v", got, want)
	}
	for start := range t.numbers {
		if start+int64(cfg.Window) <= t.meta.ExpiredThrough {
			return fmt.Errorf("expired through %d, but the window of %d still has keys", t.meta.ExpiredThrough, start)
		}
	}
	return nil
}

// checkMeta takes over the expired-through of a meta, which depends on the chunk, and
// compares everything else.
func (t *truth) checkMeta(m *state.Meta, expirable int64) error {
	if m.ExpiredThrough < t.meta.ExpiredThrough || m.ExpiredThrough > max(expirable, t.meta.ExpiredThrough) {
		return fmt.Errorf("expired through %d, was %d, allowed %d", m.ExpiredThrough, t.meta.ExpiredThrough, expirable)
	}
	t.meta.ExpiredThrough = m.ExpiredThrough
	if *m != t.meta {
		return fmt.Errorf("meta is %+v\nwant    %+v", *m, t.meta)
	}
	return nil
}

func (t *truth) tombstone(cfg *Config, c *state.Change, expirable int64) error {
	start := c.Scope.Start
	if c.Scope.AllTime || start+int64(cfg.Window) > expirable {
		return fmt.Errorf("tombstone of %v %q, but only windows with end <= %d may go", c.Scope, c.Drink, expirable)
	}
	if c.Kind == state.NumbersKind {
		if _, ok := t.numbers[start]; !ok || len(t.counts[c.Scope]) > 0 {
			return fmt.Errorf("tombstone of the numbers of %d, which are not there or still have drinks", start)
		}
		delete(t.numbers, start)
		return nil
	}
	if _, ok := t.counts[c.Scope][c.Drink]; !ok {
		return fmt.Errorf("tombstone of %v %q, which has no count", c.Scope, c.Drink)
	}
	delete(t.counts[c.Scope], c.Drink)
	return nil
}
