//go:build unix

package e2e

import (
	"slices"

	"windowed/state"
	"windowed/window"
)

// checkState compares a state with what must be in it: totals, the top of all time and of
// every window, and each window's numbers.
func (s *simulation) checkState(e *expectation, st *state.State) {
	s.t.Helper()
	f := faults{t: s.t, what: "state"}
	defer f.end()
	totals := st.Totals()
	if totals.Counted != e.allTime.orders-e.late || totals.Portions != e.allTime.portions || totals.Late != e.late || totals.LateIdle != 0 {
		f.add("%+v; not %d orders, %d late, %d portions", totals, e.allTime.orders, e.late, e.allTime.portions)
	}
	compare := func(what string, t *tally, have []state.Entry, err error) {
		list := make([]ranked, len(have))
		for i, entry := range have {
			list[i] = ranked{Rank: i + 1, Drink: entry.Drink, Count: entry.Count}
		}
		if err != nil || !slices.Equal(list, t.top(maxTop)) {
			f.add("%s is %v (%v), not %v", what, list, err, t.top(maxTop))
		}
	}
	have, err := st.Top(window.AllTime, maxTop)
	compare("all time", &e.allTime, have, err)
	for _, start := range e.starts() {
		want := e.windows[start]
		w, have, ok, err := st.TopOfWindow(start, maxTop)
		if !ok || w.Numbers.Records != want.orders || w.Numbers.Portions != want.portions || w.Numbers.LateRecords != want.late {
			f.add("window %s: %+v (%v); not %d orders, %d portions, %d late", label(start), w.Numbers, ok, want.orders, want.portions, want.late)
		}
		compare("window "+label(start), want, have, err)
	}
}
