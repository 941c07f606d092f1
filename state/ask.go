package state

import (
	"windowed/window"
)

// Answer is the beginning of a top list and what belongs to it, all as of one moment.
type Answer struct {
	View   *View
	Window Window // the scope's numbers; of all time only Drinks
	Known  bool   // the scope has numbers
	Top    []Entry
}

// Ask is the first n entries of a scope: count descending, then name ascending by bytes.
// It is exact for every n, and answered without the lock for n up to 100 in all time and
// the newest 256 windows. The caller must not change the entries.
func (s *State) Ask(scope window.Scope, n int) (Answer, error) {
	v, err := s.View()
	if err != nil {
		return Answer{}, err
	}
	if a, ok := v.Ask(scope, n); ok {
		return a, nil
	}
	var a Answer
	a.Top, err = s.top(scope, n, func() error {
		s.show(map[window.Scope]bool{scope: true}) // so that the next one need not wait
		a.View = s.view.Load()
		return s.numbersOf(scope, &a)
	})
	return a, err
}

// Ask is State.Ask as of v, if v holds as much of the list; it takes no lock.
func (v *View) Ask(scope window.Scope, n int) (Answer, bool) {
	h := v.heads[scope]
	if n = max(n, 0); h == nil || !h.answers(n) {
		return Answer{}, false
	}
	return Answer{View: v, Window: h.window, Known: true, Top: h.entries[:min(n, len(h.entries))]}, true
}

// numbersOf fills in what a scope counts, under the lock.
func (s *State) numbersOf(scope window.Scope, a *Answer) error {
	n, err := s.scopeNumbers(scope)
	if err != nil || n == (scopeNumbers{}) {
		return err
	}
	if a.Known = true; scope.AllTime {
		a.Window.Drinks = n.Drinks
		return nil
	}
	a.Window, _, err = s.windowLocked(scope.Start, n)
	return err
}

// Place is where one drink stands in a scope.
type Place struct {
	Count uint64
	Rank  int // 1 is the first; 0: not among the first RankCapacity
}

// RankCapacity is how many entries a ranking holds.
func (s *State) RankCapacity() int { return s.opts.RankCapacity }

// Places are where a drink stands in each of the scopes, as of one moment, but for the
// scopes whose ranking is not at hand: each of those is as of a moment of its own.
func (s *State) Places(drink string, scopes []window.Scope) ([]Place, *View, error) {
	places := make([]Place, len(scopes))
	view, missing, err := s.places(drink, scopes, places)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range missing {
		top, err := s.top(scopes[i], s.opts.RankCapacity, func() (err error) {
			places[i].Count, err = s.sumOf(drink, scopes[i])
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		places[i].Rank = rankOf(drink, places[i].Count, top)
	}
	return places, view, nil
}

// places fills in what one look under the lock can tell; missing are the others.
func (s *State) places(drink string, scopes []window.Scope, places []Place) (view *View, missing []int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if view, err = s.View(); err != nil {
		return nil, nil, err
	}
	for i, scope := range scopes {
		if places[i].Count, err = s.sumOf(drink, scope); err != nil {
			return nil, nil, err
		}
		if places[i].Count == 0 {
			continue
		}
		top, ok, err := s.topLocked(scope, s.opts.RankCapacity)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			missing = append(missing, i)
			continue
		}
		places[i].Rank = rankOf(drink, places[i].Count, top)
	}
	return view, missing, nil
}

func (s *State) sumOf(drink string, scope window.Scope) (uint64, error) {
	return s.counts.peek(place{sum: true, scope: scope}, drink)
}

func rankOf(drink string, count uint64, top []Entry) int {
	if count == 0 {
		return 0
	}
	for i := range top {
		if top[i].Drink == drink {
			return i + 1
		}
	}
	return 0
}
