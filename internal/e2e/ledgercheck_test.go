//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/state"
	"windowed/window"
)

// readOrder reads an order and its event time, in ms.
func readOrder(r *kgo.Record) (o order, ms int64, err error) {
	if err = json.Unmarshal(r.Value, &o); err != nil {
		return o, 0, err
	}
	ms, err = millis(o.TS, r.Timestamp)
	return o, ms, err
}

// check counts the input of one transaction and compares it with what it has written:
// counts, times and position move together (volga#169, KAFKA-20685).
func (l *ledger) check(g *entry) {
	a := l.accounts[g.partition]
	before := a.meta
	if g.meta.Next < before.Next {
		l.f.add("partition %d: the position goes back from %d to %d", g.partition, before.Next, g.meta.Next)
		return
	}
	changed := make(map[string]bool)
	read := 0
	for len(a.input) > 0 && a.input[0].Offset < g.meta.Next {
		l.count(a, g, a.input[0], changed)
		a.input, read = a.input[1:], read+1
	}
	a.meta.Next = g.meta.Next
	l.checkMeta(a, g, &before, read)
	for i := range g.changes {
		l.checkChange(a, g, i, changed)
	}
	for key := range changed {
		l.f.add("partition %d: %q has changed, and the commit before offset %d does not say so", g.partition, key, g.records[len(g.records)-1].Offset)
	}
	for start := range a.numbers {
		if start+l.window.Milliseconds() <= g.meta.ExpiredThrough {
			l.f.add("partition %d: window %s is left, though it is expired through %d", g.partition, label(start), g.meta.ExpiredThrough)
		}
	}
	a.meta = *g.meta
	a.counters[g.meta.Next] = g.meta.Counters
}

// checkMeta compares the meta of a transaction with the model's.
func (l *ledger) checkMeta(a *account, g *entry, before *state.Meta, read int) {
	want, have := &a.meta, g.meta
	if want.Counters != have.Counters {
		l.f.add("partition %d counted up to %d: %+v, not %+v", g.partition, have.Next, have.Counters, want.Counters)
	}
	raised := have.Time.CloseThrough > want.Time.CloseThrough
	switch {
	case have.Time.Watermark != want.Time.Watermark || have.Time.CloseThrough < want.Time.CloseThrough:
		l.f.add("partition %d counted up to %d: times %+v, not %+v", g.partition, have.Next, have.Time, want.Time)
	case read > 0 && (raised || have.Time.Idle):
		l.f.add("partition %d counted up to %d: times %+v, not %+v, by records", g.partition, have.Next, have.Time, want.Time)
	case raised && (!l.idle || !have.Time.Idle || have.Time.CloseThrough > l.highest(g)):
		l.f.add("partition %d is raised to %d, from %d; the highest is %d", g.partition, have.Time.CloseThrough, want.Time.CloseThrough, l.highest(g))
	}
	if raised {
		l.raised++
	}
	if limit := l.mayExpire(g); have.ExpiredThrough < before.ExpiredThrough || have.ExpiredThrough > max(limit, before.ExpiredThrough) {
		l.f.add("partition %d: expired through %d, was %d, may be %d", g.partition, have.ExpiredThrough, before.ExpiredThrough, limit)
	}
}

// highest is how far a silent partition may be raised at most: to the furthest of the
// others, or to the end of the newest window.
func (l *ledger) highest(g *entry) int64 {
	limit := window.None
	for _, a := range l.accounts {
		limit = max(limit, a.through.by(g.at))
	}
	for start, w := range l.e.windows {
		if w.orders > 0 {
			limit = max(limit, start+l.window.Milliseconds())
		}
	}
	return limit
}

// mayExpire is the end up to which windows may be expired by a transaction: by the C that
// was committed by then, and never the newest closed window.
func (l *ledger) mayExpire(g *entry) int64 {
	life := window.Lifecycle{Size: window.Size(l.window.Milliseconds()), Retention: l.retention.Milliseconds()}
	return life.ExpiredThrough(l.closes.by(g.at), l.newest.by(g.at))
}

// checkChange compares one changelog record with the model, and takes note of it.
func (l *ledger) checkChange(a *account, g *entry, i int, changed map[string]bool) {
	c, r := &g.changes[i], g.records[i]
	key := string(r.Key)
	a.offset = r.Offset
	if a.last[key] = r.Value; r.Value == nil {
		delete(a.last, key)
	}
	delete(changed, key)
	switch {
	case c.Deleted:
		l.checkTombstone(a, g, c, key)
	case c.Kind == state.CountKind:
		if l.counters++; a.counts[key] != c.Count {
			l.f.add("partition %d offset %d: %q is %d, not %d", g.partition, r.Offset, key, c.Count, a.counts[key])
		}
	case c.Kind == state.NumbersKind:
		if have := a.numbers[c.Scope.Start]; have != *c.Numbers {
			l.f.add("partition %d offset %d: window %s has %+v, not %+v", g.partition, r.Offset, label(c.Scope.Start), *c.Numbers, have)
		}
	case c.Kind == state.GlobalKind:
		l.checkGlobal(g, c.Global)
	case c.Kind == state.EmittedKind:
		l.checkEmitted(g, c)
	}
}

// checkTombstone: only windows that have expired by the committed C go, and only after
// their final.
func (l *ledger) checkTombstone(a *account, g *entry, c *state.Change, key string) {
	end := c.Scope.Start + l.window.Milliseconds()
	if c.Scope.AllTime || end > l.mayExpire(g) {
		l.f.add("partition %d: a tombstone of %q, though only windows up to %d may go", g.partition, key, l.mayExpire(g))
	}
	switch c.Kind {
	case state.CountKind:
		if _, ok := a.counts[key]; !ok {
			l.f.add("partition %d: a tombstone of %q, which is not there", g.partition, key)
		}
		delete(a.counts, key)
		w, closed := l.e.windows[c.Scope.Start], l.closed[c.Scope.Start]
		if !l.amend && w != nil && w.orders > 0 && (closed.IsZero() || closed.After(g.at)) {
			l.f.add("a tombstone of %q before the window's final", key)
		}
	case state.NumbersKind:
		delete(a.numbers, c.Scope.Start)
		for left := range a.counts {
			if strings.HasSuffix(left, fmt.Sprintf(":%d", c.Scope.Start)) {
				l.f.add("partition %d: %q is left of a window that is gone", g.partition, left)
			}
		}
	case state.EmittedKind:
		delete(l.emitted, c.Scope.Start)
		l.expired++
		for p, other := range l.accounts {
			if other.gone.by(g.at) < end {
				l.f.add("the final of %s is forgotten, and partition %d has not expired it", label(c.Scope.Start), p)
			}
		}
	}
}

// checkGlobal: C is never above what every partition is closed through.
func (l *ledger) checkGlobal(g *entry, have *state.Global) {
	if have.CloseThrough == window.None {
		return
	}
	for p, a := range l.accounts {
		if through := a.through.by(g.at); have.CloseThrough > through {
			l.f.add("C is %d, and partition %d is closed through %d only", have.CloseThrough, p, through)
		}
	}
}

// checkEmitted: a window is closed once, by a C at or behind its end, and again only with
// the next revision and more in it.
func (l *ledger) checkEmitted(g *entry, c *state.Change) {
	start := c.Scope.Start
	old, again := l.emitted[start]
	if again && old.Revision == c.Emitted.Revision && old.Total == c.Emitted.Total {
		return // all live records were written again
	}
	name := fmt.Sprintf("%s r%d", label(start), c.Emitted.Revision)
	_, twice := l.finals[name]
	switch {
	case start+l.window.Milliseconds() > l.closes.by(g.at):
		l.f.add("final %s, and C is %d", name, l.closes.by(g.at))
	case twice || again && (!l.amend || c.Emitted.Revision != old.Revision+1 || c.Emitted.Total <= old.Total) || !again && c.Emitted.Revision != 0:
		l.f.add("final %s of %d portions; before it: %v, revision %d of %d portions", name, c.Emitted.Total, again, old.Revision, old.Total)
	}
	l.emitted[start], l.finals[name] = *c.Emitted, c.Emitted.Total
}

// checkEnd checks, once all is counted and closed, that every window has had its finals
// and every refused or late order its dead letter.
func (l *ledger) checkEnd() {
	l.t.Helper()
	f := faults{t: l.t, what: "final"}
	c := l.closes[len(l.closes)-1].value
	for _, start := range l.e.starts() {
		end, last := start+l.window.Milliseconds(), fmt.Sprintf("%s r0", label(start))
		for r := 1; ; r++ {
			next := fmt.Sprintf("%s r%d", label(start), r)
			if _, ok := l.finals[next]; !ok {
				break
			}
			last = next
		}
		left, ok := l.finals[last]
		kept := end > c-l.retention.Milliseconds()
		switch e, retained := l.emitted[start]; {
		case !ok && (kept || !l.amend):
			f.add("window %s has none", label(start))
		case left != 0:
			f.add("%s is not in the output topic", last)
		case retained && kept && e.Total != l.e.windows[start].portions:
			f.add("%s says %d portions, not %d", last, e.Total, l.e.windows[start].portions)
		}
	}
	l.wrong += f.end()
	l.e.checkLetters(l.t, l.o, false)
}

// checkStore compares a store with the changelog, record by record; ok says that it is
// neither behind nor ahead of what was read. A store that was away may keep that a window,
// which has expired everywhere, had a final: if it counts, it buries that soon.
func (l *ledger) checkStore(what string, st *state.State, counts bool) (ok bool) {
	l.t.Helper()
	f := faults{t: l.t, what: "store of " + what}
	defer func() { l.wrong += f.end() }()
	positions := st.Positions()
	for p, a := range l.accounts {
		if at := positions[int32(p)]; at <= a.offset || at > l.at[l.o.topics.Changelog][int32(p)] {
			return false
		}
	}
	for p, a := range l.accounts {
		have := make(map[string][]byte)
		if _, err := st.Live(int32(p), func(key, value []byte) error {
			have[string(key)] = slices.Clone(value)
			return nil
		}); err != nil {
			f.add("partition %d: %v", p, err)
		}
		for key, value := range a.last {
			if l.counters++; !bytes.Equal(have[key], value) {
				f.add("partition %d: %q is %x, not %x", p, key, have[key], value)
			}
		}
		for key, value := range have {
			if _, ok := a.last[key]; !ok && l.leftOver(key) {
				if counts {
					return false
				}
			} else if !ok {
				f.add("partition %d: %q is %x, which the changelog does not have", p, key, value)
			}
		}
	}
	return true
}

// leftOver says whether key is that of a final whose window has expired everywhere.
func (l *ledger) leftOver(key string) bool {
	c, err := state.DecodeChange([]byte(key), nil)
	if err != nil || c.Kind != state.EmittedKind {
		return false
	}
	for _, a := range l.accounts {
		if c.Scope.Start+l.window.Milliseconds() > a.meta.ExpiredThrough {
			return false
		}
	}
	return true
}
