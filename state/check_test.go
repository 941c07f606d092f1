package state

import (
	"maps"
	"math"
	"reflect"
	"slices"

	"windowed/window"
)

const testPartitions = 3

// check compares every answer of a state with the model.
func (m *model) check(t fataler, st *State) {
	t.Helper()
	m.checkScopes(t, st)
	m.checkWindows(t, st)
	m.checkPartitions(t, st)
	m.checkAnswers(t, st)
}

func (m *model) checkScopes(t fataler, st *State) {
	t.Helper()
	scopes := append(m.scopes(), window.At(-12340)) // and one nobody ever saw
	keys := uint64(0)
	for _, scope := range scopes {
		all := m.top(scope)
		keys += uint64(len(all))
		for n := range len(all) + 3 {
			if top := mustTop(t, st, scope, n); !slices.Equal(top, all[:min(n, len(all))]) {
				t.Fatalf("top %d of %v: %v, want of %v", n, scope, top, all)
			}
		}
		for p := range int32(testPartitions + 1) {
			m.checkCounts(t, st, p, scope, all)
		}
	}
	if h, err := st.Health(); err != nil || h.Keys != keys {
		t.Fatalf("%d keys, %v, want %d", h.Keys, err, keys)
	}
	drinks, err := st.AllTimeDrinks()
	if want := uint64(len(m.sums(window.AllTime))); err != nil || drinks != want {
		t.Fatalf("%d drinks of all time, %v, want %d", drinks, err, want)
	}
}

// checkCounts compares the partial counts of the drinks of a scope.
func (m *model) checkCounts(t fataler, st *State, p int32, scope window.Scope, all []Entry) {
	t.Helper()
	const more = 3
	has := func(drink string) uint64 { return m.counts[p][scope][drink] }
	var added []Change
	for _, e := range append(all[:len(all):len(all)], Entry{Drink: "no such drink"}) {
		if has(e.Drink) <= maxCount-more {
			added = append(added, Change{Kind: CountKind, Scope: scope, Drink: e.Drink, Count: more, Mark: uint32(len(added))})
		}
	}
	if err := st.AddCounts(p, scope, added); err != nil {
		t.Fatalf("%v", err)
	}
	for _, c := range added {
		if n := has(c.Drink); c.Count != n+more || c.New != (n == 0) {
			t.Fatalf("%q of partition %d in %v: %d and %d are %d, new: %t", c.Drink, p, scope, n, more, c.Count, c.New)
		}
	}
	for _, e := range all {
		if n, err := st.Count(p, e.Drink, scope); err != nil || n != has(e.Drink) {
			t.Fatalf("%q of partition %d in %v: %d, %v, want %d", e.Drink, p, scope, n, err, has(e.Drink))
		}
	}
	if !scope.AllTime {
		if n, err := st.Numbers(p, scope.Start); err != nil || n != m.numbers[p][scope.Start] {
			t.Fatalf("numbers of partition %d in %v: %+v, %v, want %+v", p, scope, n, err, m.numbers[p][scope.Start])
		}
	}
}

func (m *model) checkWindows(t fataler, st *State) {
	t.Helper()
	for _, scope := range append(m.scopes(), window.At(-12340))[1:] {
		w, ok, err := st.Window(scope.Start)
		want, wantOK := m.window(scope.Start)
		if err != nil || ok != wantOK || w != want {
			t.Fatalf("window %d: %+v, %v, %v, want %+v, %v", scope.Start, w, ok, err, want, wantOK)
		}
		f, ok, err := st.Emitted(scope.Start)
		wantF, wantOK := m.emitted[scope.Start]
		if err != nil || ok != wantOK || f != wantF {
			t.Fatalf("emitted %d: %+v, %v, %v, want %+v, %v", scope.Start, f, ok, err, wantF, wantOK)
		}
	}
	for _, bounds := range [][2]int64{{math.MinInt64, math.MaxInt64}, {-10, 21}, {0, 0}, {20, 10}} {
		want := m.windows(bounds[0], bounds[1])
		for limit := 1; limit <= len(want)+1; limit++ {
			ws, err := st.Windows(bounds[0], bounds[1], limit)
			if err != nil || !slices.Equal(ws, want[:min(limit, len(want))]) {
				t.Fatalf("%d windows in %v: %+v, %v, want of %+v", limit, bounds, ws, err, want)
			}
		}
	}
	for _, end := range []int64{math.MinInt64, 0, 10, 29, math.MaxInt64} {
		want := m.unfinished(end)
		for limit := range len(want) + 2 {
			if got := st.Unfinished(nil, end, limit); !slices.Equal(got, want[:min(limit, len(want))]) {
				t.Fatalf("unfinished through %d, at most %d: %v, want of %v", end, limit, got, want)
			}
		}
	}
	if got, want := st.Grown(nil, 100), m.grown(); !slices.Equal(got, want) {
		t.Fatalf("grown %v, want %v", got, want)
	}
	if got, want := st.NewestClosed(), m.newestClosed(); got != want {
		t.Fatalf("newest closed %d, want %d", got, want)
	}
	open := m.unfinished(math.MaxInt64)
	if newest, ok := st.NewestOpen(); ok != (len(open) > 0) || ok && newest != open[len(open)-1] {
		t.Fatalf("newest open %d, %v, want of %v", newest, ok, open)
	}
}

func (m *model) checkPartitions(t fataler, st *State) {
	t.Helper()
	for p := range int32(testPartitions + 1) {
		mine, ok := st.Meta(p)
		want, wantOK := m.metas[p]
		if ok != wantOK || mine != want {
			t.Fatalf("meta of partition %d: %+v, %v, want %+v, %v", p, mine, ok, want, wantOK)
		}
		m.checkLive(t, st, p)
	}
	if got := st.Totals(); got != m.totals() {
		t.Fatalf("totals %+v, want %+v", got, m.totals())
	}
	if got := st.Times(); !reflect.DeepEqual(got, m.times()) {
		t.Fatalf("times %+v, want %+v", got, m.times())
	}
	g, ok := st.Global()
	if ok != (m.global != nil) || ok && g != *m.global {
		t.Fatalf("global %+v, %v, want %+v", g, ok, m.global)
	}
}

func (m *model) checkLive(t fataler, st *State, p int32) {
	t.Helper()
	live, last := make(map[string]string), ""
	n, err := st.Live(p, func(key, value []byte) error {
		last = string(key)
		live[last] = string(value)
		return nil
	})
	if want := m.records(p); err != nil || n != len(want) || !maps.Equal(live, want) {
		t.Fatalf("live records of partition %d: %d %q, %v, want %d %q", p, n, live, err, len(want), want)
	}
	if _, ok := m.metas[p]; ok && last != "\xffm" {
		t.Fatalf("the last live record of partition %d is %q, want the meta", p, last)
	}
}
