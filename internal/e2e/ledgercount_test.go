//go:build unix

package e2e

import (
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/event"
	"windowed/state"
	"windowed/window"
)

// count counts one input record, as part of g.
func (l *ledger) count(a *account, g *entry, r *kgo.Record, changed map[string]bool) {
	at := spot{g.partition, r.Offset}
	c := &a.meta.Counters
	c.Records++
	reason, o, ms := l.judge(at, g, r)
	if reason != event.None {
		c.Invalid[reason]++
		l.e.invalid[reason.String()]++
		l.e.letters[at] = letter{reason: reason.String(), counted: "none", value: r.Value}
		return
	}
	l.accept(a, g, r, at, &o, ms, changed)
}

// accept counts a good order, late or not.
func (l *ledger) accept(a *account, g *entry, r *kgo.Record, at spot, o *order, ms int64, changed map[string]bool) {
	start, portions := floor(ms, l.window.Milliseconds()), uint64(0)
	end := start + l.window.Milliseconds()
	late := end <= a.meta.Time.CloseThrough
	into := !late || l.amend && l.kept(a, g, start)
	w := l.e.windowAt(start)
	for _, i := range o.Items {
		portions += i.Quantity
		l.e.allTime.add(i)
		l.add(a, changed, i.Drink+":all", i.Quantity)
		if into {
			w.add(i)
			l.add(a, changed, fmt.Sprintf("%s:%d", i.Drink, start), i.Quantity)
		}
	}
	l.e.allTime.orders++
	a.meta.Counters.Portions += portions
	if into {
		w.orders++
		l.number(a, changed, start, window.Numbers{Records: 1, Portions: portions})
	}
	if late {
		l.late(a, end, portions, into)
	} else {
		a.meta.Counters.Counted++
		if t := &a.meta.Time; ms > t.Watermark {
			t.Watermark, t.CloseThrough = ms, max(t.CloseThrough, ms-l.grace.Milliseconds())
		}
	}
	if into {
		return
	}
	l.e.letters[at] = letter{reason: "late", counted: "all-time", value: r.Value}
	if l.kept(a, g, start) {
		w.late++
		l.number(a, changed, start, window.Numbers{LateRecords: 1, LatePortions: portions})
	}
}

// late counts a late order, which went into its window or not.
func (l *ledger) late(a *account, end int64, portions uint64, into bool) {
	l.e.late++
	l.e.lateSum += portions
	c, t := &a.meta.Counters, &a.meta.Time
	if t.Watermark == window.None || end > t.Watermark-l.grace.Milliseconds() {
		c.LateIdle, c.LateIdlePortions = c.LateIdle+1, c.LateIdlePortions+portions
	}
	if into {
		c.Amended, c.AmendedPortions = c.Amended+1, c.AmendedPortions+portions
	} else {
		c.Late, c.LatePortions = c.Late+1, c.LatePortions+portions
	}
}

func (l *ledger) add(a *account, changed map[string]bool, key string, n uint64) {
	a.counts[key] += n
	changed[key] = true
}

func (l *ledger) number(a *account, changed map[string]bool, start int64, n window.Numbers) {
	a.numbers[start] = a.numbers[start].Plus(n)
	c := state.Change{Kind: state.NumbersKind, Scope: window.At(start)}
	changed[string(c.AppendKey(nil))] = true
}

// kept says whether a closed window still takes late orders. The owner goes by the C it
// had read when its batch began, which may lie behind; what it decided is whether it
// wrote the window's numbers.
func (l *ledger) kept(a *account, g *entry, start int64) bool {
	kept := slices.ContainsFunc(g.changes, func(c state.Change) bool {
		return c.Kind == state.NumbersKind && c.Scope.Start == start && !c.Deleted
	})
	end, c := start+l.window.Milliseconds(), l.closes.by(g.at)
	surely := c == window.None || end > c-l.retention.Milliseconds()
	if kept && end <= a.meta.ExpiredThrough || !kept && surely && end > a.meta.ExpiredThrough {
		l.f.add("partition %d: a late order of window %s, expired through %d, C %d: taken %v", g.partition, label(start), a.meta.ExpiredThrough, c, kept)
	}
	return kept
}

// judge reads an order. Whether its time lies in the future is up to the clock that the
// job had; the dead letter says what it decided.
func (l *ledger) judge(at spot, g *entry, r *kgo.Record) (reason event.Reason, o order, ms int64) {
	if r.Value == nil {
		return event.NullValue, o, 0
	}
	if text, ok := bad[string(r.Value)]; ok {
		reason, _ = event.ParseReason(text)
		return reason, o, 0
	}
	o, ms, err := readOrder(r)
	if err != nil {
		l.t.Fatalf("the model cannot read %q: %v", r.Value, err)
	}
	future := l.letters[at] == "future"
	low, high := l.clock.bounds()
	ahead := l.maxFuture.Milliseconds()
	if future && ms <= r.Timestamp.Add(low).UnixMilli()+ahead || !future && ms > g.at.Add(high).UnixMilli()+ahead {
		l.f.add("%v of %s, sent at %v: future %v", at, label(ms), r.Timestamp, future)
	}
	if future {
		return event.Future, o, ms
	}
	return event.None, o, ms
}
