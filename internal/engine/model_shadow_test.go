package engine

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"

	"windowed/state"
	"windowed/window"
)

// shadow is what an instance has read of all changelogs: the last value per key, in
// maps. Everything the state derives is computed from it by brute force.
type shadow struct {
	counts  map[partCount]uint64
	numbers map[partWindow]window.Numbers
	metas   map[int32]state.Meta
	global  *state.Global
	emitted map[int64]state.Emitted
}

type partCount struct {
	p     int32
	scope window.Scope
	drink string
}

type partWindow struct {
	p     int32
	start int64
}

func newShadow() *shadow {
	return &shadow{
		counts: map[partCount]uint64{}, numbers: map[partWindow]window.Numbers{},
		metas: map[int32]state.Meta{}, emitted: map[int64]state.Emitted{},
	}
}

func (s *shadow) apply(p int32, changes []state.Change) {
	for i := range changes {
		c := &changes[i]
		switch c.Kind {
		case state.CountKind:
			setOrDelete(s.counts, partCount{p, c.Scope, c.Drink}, &c.Count, c.Deleted)
		case state.NumbersKind:
			setOrDelete(s.numbers, partWindow{p, c.Scope.Start}, c.Numbers, c.Deleted)
		case state.EmittedKind:
			setOrDelete(s.emitted, c.Scope.Start, c.Emitted, c.Deleted)
		case state.MetaKind:
			s.metas[p] = *c.Meta
		case state.GlobalKind:
			g := *c.Global
			s.global = &g
		}
	}
}

func setOrDelete[K comparable, V any](m map[K]V, k K, v *V, deleted bool) {
	if deleted {
		delete(m, k)
	} else {
		m[k] = *v
	}
}

// closeThrough is the committed C as this instance knows it.
func (s *shadow) closeThrough() int64 {
	if s.global == nil {
		return math.MinInt64
	}
	return s.global.CloseThrough
}

func (s *shadow) partitions() int32 {
	if s.global == nil {
		return 0
	}
	return s.global.Partitions
}

func (s *shadow) newestClosed() int64 {
	newest := int64(math.MinInt64)
	for start := range s.emitted {
		newest = max(newest, start)
	}
	return newest
}

// lowest is the minimum of L_p over the given number of partitions; None while one of
// them has none, or there is none.
func (s *shadow) lowest(partitions int32) int64 {
	low := int64(math.MaxInt64)
	for p := range partitions {
		low = min(low, s.through(p))
	}
	if partitions == 0 {
		return math.MinInt64
	}
	return low
}

func (s *shadow) through(p int32) int64 {
	if m, ok := s.metas[p]; ok {
		return m.Time.CloseThrough
	}
	return math.MinInt64
}

// windows are the numbers of all windows over all partitions.
func (s *shadow) windows() map[int64]window.Numbers {
	all := map[int64]window.Numbers{}
	for k, n := range s.numbers {
		all[k.start] = all[k.start].Plus(n)
	}
	return all
}

// open are the windows that accepted a record and have no final, ascending.
func (s *shadow) open() []int64 {
	var open []int64
	for start, n := range s.windows() {
		if _, final := s.emitted[start]; !final && n.Records > 0 {
			open = append(open, start)
		}
	}
	slices.Sort(open)
	return open
}

func (s *shadow) grown() []int64 {
	var grown []int64
	for start, n := range s.windows() {
		if f, final := s.emitted[start]; final && n.Portions > f.Total {
			grown = append(grown, start)
		}
	}
	slices.Sort(grown)
	return grown
}

// top is the whole ranking of a scope.
func (s *shadow) top(scope window.Scope) []state.Entry {
	sums := map[string]uint64{}
	for k, n := range s.counts {
		if k.scope == scope {
			sums[k.drink] += n
		}
	}
	return ranked(sums)
}

func ranked(sums map[string]uint64) []state.Entry {
	var top []state.Entry
	for drink, n := range sums {
		top = append(top, state.Entry{Drink: drink, Count: n})
	}
	slices.SortFunc(top, func(a, b state.Entry) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Drink, b.Drink))
	})
	return top
}

// allIdle says whether all partitions but p are flagged idle.
func (s *shadow) allIdle(p, partitions int32) bool {
	for q := range partitions {
		if m, ok := s.metas[q]; q != p && (!ok || !m.Time.Idle) {
			return false
		}
	}
	return true
}

// raise is the rule for a silent partition, written from the design's text: what p is
// raised to at the wall clock now, while partitions take part.
func (s *shadow) raise(cfg *Config, p, partitions int32, now int64) int64 {
	var active []int64
	own := s.through(p)
	all := own
	for q := range partitions {
		if q == p {
			continue
		}
		all = max(all, s.through(q))
		if m, ok := s.metas[q]; !ok || !m.Time.Idle {
			active = append(active, s.through(q))
		}
	}
	open := s.open()
	if len(active) > 0 {
		to := slices.Min(active)
		for _, start := range open {
			if end := start + int64(cfg.Window); end > own && end <= to {
				return to
			}
		}
		return own
	}
	if len(open) == 0 {
		return own
	}
	newest := open[len(open)-1] + int64(cfg.Window)
	return max(all, min(now-cfg.IdleTimeout-cfg.Grace, newest))
}

// compare says where the state differs from what the instance has read.
func (s *shadow) compare(cfg *Config, st *state.State) error {
	if g, ok := st.Global(); ok != (s.global != nil) || ok && g != *s.global {
		return fmt.Errorf("global record is %+v, want %+v", g, s.global)
	}
	var want state.Counters
	for p, m := range s.metas {
		if got, ok := st.Meta(p); !ok || got != m {
			return fmt.Errorf("meta of %d is %+v, want %+v", p, got, m)
		}
		want = addCounters(want, m.Counters)
	}
	if got := st.Totals(); got != want {
		return fmt.Errorf("totals are %+v, want %+v", got, want)
	}
	for k, n := range s.counts {
		if got, err := st.Count(k.p, k.drink, k.scope); err != nil || got != n {
			return fmt.Errorf("count %+v is %d (%v), want %d", k, got, err, n)
		}
	}
	for k, n := range s.numbers {
		if got, err := st.Numbers(k.p, k.start); err != nil || got != n {
			return fmt.Errorf("numbers %+v are %+v (%v), want %+v", k, got, err, n)
		}
	}
	return s.compareWindows(cfg, st)
}

func (s *shadow) compareWindows(cfg *Config, st *state.State) error {
	if got, want := st.Unfinished(nil, math.MaxInt64, math.MaxInt), s.open(); !slices.Equal(got, want) {
		return fmt.Errorf("open windows are %v, want %v", got, want)
	}
	if got, want := st.Grown(nil, math.MaxInt), s.grown(); !slices.Equal(got, want) {
		return fmt.Errorf("grown windows are %v, want %v", got, want)
	}
	if got, want := st.NewestClosed(), s.newestClosed(); got != want {
		return fmt.Errorf("newest closed window is %d, want %d", got, want)
	}
	if err := s.compareTop(st, window.AllTime, cfg.Top); err != nil {
		return err
	}
	for start, n := range s.windows() {
		w, ok, err := st.Window(start)
		f, final := s.emitted[start]
		if err != nil || !ok || w.Numbers != n || w.Final != final || w.Emitted != f {
			return fmt.Errorf("window %d is %+v (%v %v), want %+v, final %v %+v", start, w, ok, err, n, final, f)
		}
		if err := s.compareTop(st, window.At(start), cfg.Top); err != nil {
			return err
		}
	}
	return nil
}

func (s *shadow) compareTop(st *state.State, scope window.Scope, n int) error {
	all := s.top(scope)
	for _, n := range []int{n, 1, 1000} {
		got, err := st.Top(scope, n)
		if want := all[:min(n, len(all))]; err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			return fmt.Errorf("top %d of %v is %v (%v), want %v", n, scope, got, err, want)
		}
	}
	return nil
}

func addCounters(a, b state.Counters) state.Counters {
	a.Records, a.Counted, a.Portions = a.Records+b.Records, a.Counted+b.Counted, a.Portions+b.Portions
	a.Late, a.LatePortions = a.Late+b.Late, a.LatePortions+b.LatePortions
	a.LateIdle, a.LateIdlePortions = a.LateIdle+b.LateIdle, a.LateIdlePortions+b.LateIdlePortions
	a.Amended, a.AmendedPortions = a.Amended+b.Amended, a.AmendedPortions+b.AmendedPortions
	for i, n := range b.Invalid {
		a.Invalid[i] += n
	}
	return a
}
