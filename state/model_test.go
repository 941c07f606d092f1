package state

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"windowed/watermark"
	"windowed/window"
)

// model is a State as plain maps, with every answer computed from scratch.
type model struct {
	counts  map[int32]map[window.Scope]map[string]uint64
	numbers map[int32]map[int64]window.Numbers
	emitted map[int64]Emitted
	metas   map[int32]Meta
	global  *Global
}

func newModel() *model {
	return &model{
		counts: make(map[int32]map[window.Scope]map[string]uint64), numbers: make(map[int32]map[int64]window.Numbers),
		emitted: make(map[int64]Emitted), metas: make(map[int32]Meta),
	}
}

func (m *model) apply(p int32, changes []Change) {
	for i := range changes {
		switch c := &changes[i]; c.Kind {
		case CountKind:
			m.count(p, c)
		case NumbersKind:
			if m.numbers[p] == nil {
				m.numbers[p] = make(map[int64]window.Numbers)
			}
			if delete(m.numbers[p], c.Scope.Start); !c.Deleted {
				m.numbers[p][c.Scope.Start] = *c.Numbers
			}
		case EmittedKind:
			if delete(m.emitted, c.Scope.Start); !c.Deleted {
				m.emitted[c.Scope.Start] = *c.Emitted
			}
		case MetaKind:
			m.metas[p] = *c.Meta
		case GlobalKind:
			g := *c.Global
			m.global = &g
		}
	}
}

func (m *model) count(p int32, c *Change) {
	if m.counts[p] == nil {
		m.counts[p] = make(map[window.Scope]map[string]uint64)
	}
	if m.counts[p][c.Scope] == nil {
		m.counts[p][c.Scope] = make(map[string]uint64)
	}
	if m.counts[p][c.Scope][c.Drink] = c.Count; c.Deleted {
		delete(m.counts[p][c.Scope], c.Drink)
	}
}

// sums are the counts of a scope over all partitions.
func (m *model) sums(scope window.Scope) map[string]uint64 {
	sums := make(map[string]uint64)
	for p := range m.counts {
		for drink, n := range m.counts[p][scope] {
			sums[drink] += n
		}
	}
	return sums
}

// top is the whole ranking of a scope.
func (m *model) top(scope window.Scope) []Entry {
	var all []Entry
	for drink, n := range m.sums(scope) {
		all = append(all, Entry{Drink: drink, Count: n})
	}
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Drink, b.Drink))
	})
	return all
}

// scopes are all time and every window something is known of.
func (m *model) scopes() []window.Scope {
	starts := make(map[int64]bool)
	for p := range m.counts {
		for scope, drinks := range m.counts[p] {
			if !scope.AllTime && len(drinks) > 0 {
				starts[scope.Start] = true
			}
		}
	}
	for p := range m.numbers {
		for start := range m.numbers[p] {
			starts[start] = true
		}
	}
	for start := range m.emitted {
		starts[start] = true
	}
	scopes := []window.Scope{window.AllTime}
	for _, start := range slices.Sorted(maps.Keys(starts)) {
		scopes = append(scopes, window.At(start))
	}
	return scopes
}

func (m *model) window(start int64) (w Window, ok bool) {
	w = Window{Start: start, Drinks: uint64(len(m.sums(window.At(start))))}
	for p := range m.numbers {
		w.Numbers = w.Numbers.Plus(m.numbers[p][start])
	}
	if w.Numbers == (window.Numbers{}) && w.Drinks == 0 {
		return Window{}, false
	}
	w.Emitted, w.Final = m.emitted[start]
	return w, true
}

// windows are the windows with accepted records in [from, to), newest first.
func (m *model) windows(from, to int64) (all []Window) {
	for _, scope := range m.scopes() {
		w, ok := m.window(scope.Start)
		if !scope.AllTime && ok && w.Records > 0 && scope.Start >= from && scope.Start < to {
			all = append(all, w)
		}
	}
	slices.Reverse(all)
	return all
}

// unfinished and grown are starts, ascending.
func (m *model) unfinished(end int64) (starts []int64) {
	for _, w := range m.windows(math.MinInt64, math.MaxInt64) {
		if !w.Final && w.Start+testSize <= end {
			starts = append(starts, w.Start)
		}
	}
	slices.Sort(starts)
	return starts
}

func (m *model) grown() (starts []int64) {
	for start, f := range m.emitted {
		if w, _ := m.window(start); w.Portions > f.Total {
			starts = append(starts, start)
		}
	}
	slices.Sort(starts)
	return starts
}

func (m *model) newestClosed() int64 {
	newest := window.None
	for start := range m.emitted {
		newest = max(newest, start)
	}
	return newest
}

func (m *model) totals() (t Counters) {
	for _, meta := range m.metas {
		c := meta.Counters
		t.Records += c.Records
		t.Counted += c.Counted
		t.Portions += c.Portions
		t.Late += c.Late
		t.LatePortions += c.LatePortions
		t.LateIdle += c.LateIdle
		t.LateIdlePortions += c.LateIdlePortions
		t.Amended += c.Amended
		t.AmendedPortions += c.AmendedPortions
		t.SkippedBatches += c.SkippedBatches
		for i, n := range c.Invalid {
			t.Invalid[i] += n
		}
	}
	return t
}

func (m *model) times() (times []watermark.Partition) {
	if m.global == nil {
		return nil
	}
	for p := range m.global.Partitions {
		if meta, ok := m.metas[p]; ok {
			times = append(times, meta.Time)
		} else {
			times = append(times, watermark.NewPartition())
		}
	}
	return times
}

// records are the live changelog records of a partition by key.
func (m *model) records(p int32) map[string]string {
	records := make(map[string]string)
	put := func(c Change) { records[string(c.AppendKey(nil))] = string(c.AppendValue(nil)) }
	for scope, drinks := range m.counts[p] {
		for drink, n := range drinks {
			put(Change{Kind: CountKind, Scope: scope, Drink: drink, Count: n})
		}
	}
	for start, n := range m.numbers[p] {
		put(Change{Kind: NumbersKind, Scope: window.At(start), Numbers: &n})
	}
	if mine, ok := m.metas[p]; ok {
		put(meta(mine))
	}
	if p > 0 {
		return records
	}
	for start, f := range m.emitted {
		put(emitted(start, f.Revision, f.Total))
	}
	if m.global != nil {
		put(global(*m.global))
	}
	return records
}
