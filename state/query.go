package state

import (
	"fmt"

	"windowed/internal/fault"
	"windowed/watermark"
	"windowed/window"
)

// Version rises with every Apply; equal versions mean equal answers.
func (s *State) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Meta is the meta of an input partition; false if it has none yet.
func (s *State) Meta(p int32) (Meta, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := s.metas[p]
	if !ok {
		return Meta{}, false
	}
	return *m, true
}

// Global is the global record; false if there is none yet.
func (s *State) Global() (Global, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.global == nil {
		return Global{CloseThrough: window.None}, false
	}
	return *s.global, true
}

// Position is the changelog offset to read next in partition p; 0 if nothing was read.
func (s *State) Position(p int32) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.positions[p]
}

// Positions are the changelog offsets to read next, by partition.
func (s *State) Positions() map[int32]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[int32]int64, len(s.positions))
	for p, offset := range s.positions {
		all[p] = offset
	}
	return all
}

// NewestClosed is the start of the newest window with a final; window.None if none has.
func (s *State) NewestClosed() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newestClosed
}

// NewestOpen is the start of the newest window without a final; false if none is open.
func (s *State) NewestOpen() (int64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unfinished.tree.Max()
}

// Count is the count of a drink in a scope of one partition; 0 if it has none.
func (s *State) Count(p int32, drink string, scope window.Scope) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts.peek(place{p: p, scope: scope}, drink)
}

// AddCounts makes counts of a scope that partition p adds what they will be with those that
// it has, and says which of them are new. The counts stay in memory, since they are about
// to change. The drink's mark, and its text as the state has it, are set for Apply, which
// knows the drink by them and need not look at its bytes.
//
// Where there are more drinks than a cache holds most of the time goes by waiting for
// memory; a loop that does little waits for many of them at once.
func (s *State) AddCounts(p int32, scope window.Scope, changes []Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.scopeNumbers(scope)
	if err != nil {
		return err
	}
	l, w := s.counts, place{p: p, scope: scope}
	for i := range changes {
		c := &changes[i]
		c.Mark = l.drinks.number(c.Drink, c.Mark)
		c.Drink = l.drinks.names[c.Mark]
	}
	if n.Drinks == 0 {
		for i := range changes {
			changes[i].New = true
		}
		return nil
	}
	g := l.group(scope, n.Drinks)
	t := g.part(p)
	for i := range changes {
		c := &changes[i]
		mine, err := l.slot(g, t, w, c.Mark)
		if err != nil {
			return err
		}
		old := mine.count()
		if c.Count > maxCount-old {
			return fmt.Errorf("%w: %q in %v of input partition %d: %d + %d", ErrOverflow, c.Drink, scope, p, old, c.Count)
		}
		c.New, c.Count = old == 0, old+c.Count
	}
	return nil
}

// Numbers are one partition's Numbers of a window.
func (s *State) Numbers(p int32, start int64) (window.Numbers, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.cells.get(appendControlKey(nil, p, numbersKey, start))
	if err != nil || !c.exists {
		return window.Numbers{}, err
	}
	n, err := decodeNumbers(c.raw)
	if err != nil {
		return n, corrupt(err)
	}
	return n, nil
}

// Emitted is what the last final of a window said; false if it has none.
func (s *State) Emitted(start int64) (Emitted, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emittedLocked(start)
}

// Unfinished appends the starts of the windows that accepted a record, have no final
// and end at or before end, ascending, at most limit.
func (s *State) Unfinished(dst []int64, end int64, limit int) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unfinished.through(dst, end, limit)
}

// Grown appends the starts of the windows that counted more than their last final says,
// ascending, at most limit.
func (s *State) Grown(dst []int64, limit int) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grown.tree.Ascend(func(start int64) bool {
		if len(dst) < limit {
			dst = append(dst, start)
		}
		return len(dst) < limit
	})
	return dst
}

// Times are the watermarks of the partitions that take part in the close-through, in
// order of partition. A partition without a meta has seen nothing.
func (s *State) Times() []watermark.Partition {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.timesLocked()
}

func (s *State) timesLocked() []watermark.Partition {
	if s.global == nil {
		return nil
	}
	partitions := s.global.Partitions
	if fault.Planted(fault.LocalCount) {
		partitions = int32(len(s.metas))
	}
	times := make([]watermark.Partition, partitions)
	for p := range times {
		times[p] = watermark.NewPartition()
		if m, ok := s.metas[int32(p)]; ok {
			times[p] = m.Time
		}
	}
	return times
}

// Raise is the close-through the silent partition p may be raised to by rule.
func (s *State) Raise(p int32, rule watermark.Idleness, now int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	times := s.timesLocked()
	if int(p) >= len(times) {
		return window.None
	}
	return rule.Raise(int(p), times, s.unfinished, now)
}

// Totals are the counters of all partitions added up.
func (s *State) Totals() Counters {
	s.mu.Lock()
	defer s.mu.Unlock()
	return totals(s.metas)
}

func totals(metas map[int32]*Meta) (t Counters) {
	for _, m := range metas {
		t = t.Plus(m.Counters)
	}
	return t
}

// Window is one window over all partitions.
type Window struct {
	Start int64
	window.Numbers
	Drinks  uint64 // distinct
	Final   bool   // it has a final
	Emitted Emitted
}

// Window is the window that starts at start; false if it has no numbers.
func (s *State) Window(start int64) (Window, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.scopeNumbers(window.At(start))
	if err != nil || n == (scopeNumbers{}) {
		return Window{}, false, err
	}
	return s.windowLocked(start, n)
}

func (s *State) windowLocked(start int64, n scopeNumbers) (Window, bool, error) {
	f, final, err := s.emittedLocked(start)
	return Window{Start: start, Numbers: n.Numbers, Drinks: n.Drinks, Final: final, Emitted: f}, true, err
}

// AllTimeDrinks is the number of distinct drinks of all time.
func (s *State) AllTimeDrinks() (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.scopeNumbers(window.AllTime)
	if err != nil {
		return 0, fmt.Errorf("count drinks: %w", err)
	}
	return n.Drinks, nil
}
