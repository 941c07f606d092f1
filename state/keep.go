package state

import "windowed/window"

// classify keeps the sets of windows the emitter works from, and stores the ranking of
// a window whose final agrees with its counts.
func (s *State) classify(scope window.Scope, n scopeNumbers) error {
	f, emitted, err := s.emittedLocked(scope.Start)
	if err != nil {
		return err
	}
	s.unfinished.set(scope.Start, n.Records > 0 && !emitted)
	s.grown.set(scope.Start, emitted && n.Portions > f.Total)
	r, ok := s.rankings.m[scope]
	if !emitted || n.Portions != f.Total || !ok {
		return nil
	}
	s.rankings.drop(scope)
	s.storeRanking(scope, r.ranking)
	return nil
}

// rankingOf is the ranking of a scope to keep up to date: the one in memory or the stored
// one. It is nil for a scope without drinks, and if only a scan can tell.
func (s *State) rankingOf(scope window.Scope, n scopeNumbers) (*ranking, error) {
	if r := s.rankings.get(scope); r != nil {
		return r, nil
	}
	if n.Drinks == 0 {
		return nil, nil
	}
	key := appendScopeKey(nil, rankingKind, scope)
	c, err := s.cells.get(key)
	if err != nil || !c.exists {
		return nil, err
	}
	r, err := loadRanking(c.raw, s.opts.RankCapacity)
	if err != nil {
		return nil, err
	}
	// It is about to change; what Pebble holds must never be older than its sums.
	s.cells.remove(key, c)
	if r == nil {
		return nil, nil
	}
	s.keepRanking(scope, r)
	return r, nil
}

// keepRanking puts a ranking into memory; the one that makes room for it is stored.
func (s *State) keepRanking(scope window.Scope, r *ranking) {
	if dropped, old := s.rankings.put(scope, r); old != nil {
		s.storeRanking(dropped, old)
	}
}

func (s *State) storeRanking(scope window.Scope, r *ranking) {
	s.cells.setRaw(appendScopeKey(nil, rankingKind, scope), r.append(nil))
}

func (s *State) dropStoredRanking(scope window.Scope) error {
	key := appendScopeKey(nil, rankingKind, scope)
	c, err := s.cells.get(key)
	if err == nil {
		s.cells.remove(key, c)
	}
	return err
}
