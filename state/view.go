package state

import (
	"maps"

	"windowed/watermark"
	"windowed/window"
)

// View is the committed state at one moment, as far as it fits into memory: what was read,
// the times, and the heads of the top lists of all time and of the newest windows. It
// never changes, so readers need no lock, which an Apply holds for as long as its
// transaction is large. Every Apply makes a new one. Safe for concurrent use.
type View struct {
	Version      uint64 // rises with every Apply; equal versions of a state mean equal answers
	Global       Global // without one: no partitions, no close-through
	HasGlobal    bool
	NewestClosed int64 // start of the newest window with a final; window.None if none has
	Open         int   // windows without a final

	newestOpen int64
	open       bool
	metas      map[int32]*Meta
	heads      map[window.Scope]*head
	err        error // why nothing may be answered
}

// Sizes of the heads: maxHead entries each, of all time and of the maxHeads newest
// windows. What goes beyond them is answered under the lock.
const (
	maxHead  = 100
	maxHeads = 256
)

// head is the beginning of the top list of one scope, and the scope's numbers.
type head struct {
	window  Window
	entries []Entry
	whole   bool // there are no other entries
}

func (h *head) answers(n int) bool { return h.whole || n <= len(h.entries) }

// View is the state now; the error is that of a state that must not be used any more.
func (s *State) View() (*View, error) {
	v := s.view.Load()
	if err := s.found.Load(); err != nil && v.err == nil {
		return nil, *err
	}
	if v.err != nil {
		return nil, v.err
	}
	return v, nil
}

// NewestOpen is the start of the newest window without a final; false if none is open.
func (v *View) NewestOpen() (int64, bool) { return v.newestOpen, v.open }

// Meta is the meta of an input partition; false if it has none yet.
func (v *View) Meta(p int32) (Meta, bool) {
	m, ok := v.metas[p]
	if !ok {
		return Meta{}, false
	}
	return *m, true
}

// Times are the watermarks of the partitions that take part in the close-through, in
// order of partition. A partition without a meta has seen nothing.
func (v *View) Times() []watermark.Partition {
	times := make([]watermark.Partition, v.Global.Partitions)
	for p := range times {
		times[p] = watermark.NewPartition()
		if m, ok := v.metas[int32(p)]; ok {
			times[p] = m.Time
		}
	}
	return times
}

// Holding are the partitions at the lowest close-through, for which all windows stay open;
// none if all partitions are equally far.
func (v *View) Holding() []int32 {
	times := v.Times()
	lowest := watermark.CloseThrough(times)
	var held []int32
	for p := range times {
		if times[p].CloseThrough == lowest {
			held = append(held, int32(p))
		}
	}
	if len(held) == len(times) && lowest != window.None {
		return nil
	}
	return held
}

// Totals are the counters of all partitions added up.
func (v *View) Totals() Counters { return totals(v.metas) }

// show makes the state of now visible, with new heads for the scopes given. The caller
// holds the lock.
func (s *State) show(touched map[window.Scope]bool) {
	old := s.view.Load()
	v := &View{Version: s.version, NewestClosed: s.newestClosed, metas: maps.Clone(s.metas), heads: old.heads, Open: s.unfinished.tree.Len()}
	v.Global = Global{CloseThrough: window.None}
	if s.global != nil {
		v.Global, v.HasGlobal = *s.global, true
	}
	v.newestOpen, v.open = s.unfinished.tree.Max()
	if len(touched) > 0 {
		v.heads = make(map[window.Scope]*head, len(old.heads)+len(touched))
		maps.Copy(v.heads, old.heads)
	}
	for scope := range touched {
		if h := s.head(scope); h != nil {
			v.put(scope, h)
		} else {
			delete(v.heads, scope)
		}
	}
	s.view.Store(v)
}

// hide ends what is visible: err answers everything from now on.
func (s *State) hide(err error) { s.view.Store(&View{err: err}) }

// put adds a head, unless there are newer ones enough.
func (v *View) put(scope window.Scope, h *head) {
	if _, ok := v.heads[scope]; !ok && len(v.heads) > maxHeads {
		oldest := scope
		for other := range v.heads {
			if !other.AllTime && (oldest.AllTime || other.Start < oldest.Start) {
				oldest = other
			}
		}
		if oldest == scope {
			return
		}
		delete(v.heads, oldest)
	}
	v.heads[scope] = h
}

// head is the head of a scope, if a ranking is at hand; nil if only a scan can tell, or
// if there is nothing.
func (s *State) head(scope window.Scope) *head {
	n, err := s.scopeNumbers(scope)
	if err != nil || n == (scopeNumbers{}) {
		return nil
	}
	h := &head{window: Window{Numbers: n.Numbers, Drinks: n.Drinks}, whole: n.Drinks <= maxHead}
	if !scope.AllTime {
		if h.window, _, err = s.windowLocked(scope.Start, n); err != nil {
			return nil
		}
	}
	limit := int(min(n.Drinks, maxHead))
	if r, ok := s.rankings.m[scope]; ok {
		limit = min(limit, len(r.counts))
		h.entries = r.top(make([]Entry, 0, limit), limit)
	} else if h.entries = s.storedHead(scope, limit); h.entries == nil && limit > 0 {
		return nil
	}
	h.whole = uint64(len(h.entries)) == n.Drinks
	return h
}

// storedHead is the beginning of a scope's stored ranking; nil if there is none.
func (s *State) storedHead(scope window.Scope, limit int) []Entry {
	c, err := s.cells.get(appendScopeKey(nil, rankingKind, scope))
	if err != nil || !c.exists {
		return nil
	}
	entries, ok, err := storedRanking(c.raw, limit)
	if err != nil || !ok {
		return nil
	}
	return entries
}
