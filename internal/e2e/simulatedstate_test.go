//go:build unix

package e2e

import (
	"slices"
	"strconv"
	"strings"

	"windowed/state"
	"windowed/window"
)

// checkState compares what a state answers with the model: totals, the top of all time
// and of every window that has not expired, and each window's numbers. ok says that it
// has not moved on meanwhile.
func (s *simulation) checkState(who string, st *state.State) (ok bool) {
	s.t.Helper()
	version := st.Version()
	totals := st.Totals()
	tops := make(map[window.Scope][]state.Entry)
	var err error
	answer := func(scope window.Scope) {
		var aerr error
		if tops[scope], aerr = st.Top(scope, maxTop); err == nil {
			err = aerr
		}
	}
	answer(window.AllTime)
	windows := s.windows(st)
	numbers := make(map[int64]window.Numbers)
	for start := range windows {
		w, _, _, werr := st.TopOfWindow(start, 1)
		numbers[start] = w.Numbers
		if answer(window.At(start)); err == nil {
			err = werr
		}
	}
	if st.Version() != version {
		return false
	}
	if err != nil {
		s.t.Errorf("answers of %s: %v", who, err)
	}
	s.checkAnswers(who, totals, windows, numbers, tops)
	return true
}

// checkAnswers compares what a state has answered.
func (s *simulation) checkAnswers(who string, totals state.Counters, windows map[int64]*tally, numbers map[int64]window.Numbers, tops map[window.Scope][]state.Entry) {
	s.t.Helper()
	e, f := s.ledger.e, faults{t: s.t, what: "answers of " + who}
	defer func() { s.ledger.wrong += f.end() }()
	records := e.allTime.orders + refused(e)
	if totals.Records != records || totals.Portions != e.allTime.portions || totals.AllTimeRecords() != e.allTime.orders {
		f.add("%+v; not %d records, %d orders, %d portions", totals, records, e.allTime.orders, e.allTime.portions)
	}
	compare := func(what string, t *tally, have []state.Entry) {
		list := make([]ranked, len(have))
		for i, entry := range have {
			list[i] = ranked{Rank: i + 1, Drink: entry.Drink, Count: entry.Count}
		}
		if s.ledger.counters += len(list); !slices.Equal(list, t.top(maxTop)) {
			f.add("%s is %v, not %v", what, list, t.top(maxTop))
		}
	}
	compare("all time", &e.allTime, tops[window.AllTime])
	for start, want := range windows {
		compare("window "+label(start), want, tops[window.At(start)])
		if numbers[start].Records != want.orders || numbers[start].Portions != want.portions || numbers[start].LateRecords != want.late {
			f.add("window %s: %+v; not %d orders, %d portions, %d late", label(start), numbers[start], want.orders, want.portions, want.late)
		}
	}
}

// windows are the windows that have not expired, as the model has them, added up over the
// partitions.
func (s *simulation) windows(st *state.State) map[int64]*tally {
	g, _ := st.Global()
	all := make(map[int64]*tally)
	for _, a := range s.ledger.accounts {
		for start, n := range a.numbers {
			if s.job.Lifecycle().State(start, g.CloseThrough, st.NewestClosed()) == window.Expired {
				continue
			}
			w := all[start]
			if w == nil {
				w = &tally{drinks: make(map[string]uint64)}
				all[start] = w
			}
			w.orders, w.portions, w.late = w.orders+n.Records, w.portions+n.Portions, w.late+n.LateRecords
		}
		for key, n := range a.counts {
			at := strings.LastIndexByte(key, ':')
			start, err := strconv.ParseInt(key[at+1:], 10, 64)
			if w := all[start]; err == nil && w != nil {
				w.drinks[key[:at]] += n
			}
		}
	}
	return all
}
