package state

import (
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"

	"windowed/window"
)

// Top is the first n entries of a scope: count descending, then name ascending by
// bytes. It is exact for every n. Up to the rank capacity it comes from a ranking;
// beyond it, and the first time after a restore, the scope is scanned.
func (s *State) Top(scope window.Scope, n int) ([]Entry, error) {
	return s.top(scope, n, func() error { return nil })
}

// TopOfWindow is the window that starts at start together with its first n entries, both
// as of one moment; ok is false if it has no numbers.
func (s *State) TopOfWindow(start int64, n int) (w Window, top []Entry, ok bool, err error) {
	scope := window.At(start)
	top, err = s.top(scope, n, func() error {
		numbers, err := s.scopeNumbers(scope)
		if err == nil && numbers != (scopeNumbers{}) {
			w, ok, err = s.windowLocked(start, numbers)
		}
		return err
	})
	return w, top, ok, err
}

// top is Top; also is called under the lock that the entries are as of.
func (s *State) top(scope window.Scope, n int, also func() error) ([]Entry, error) {
	n = max(n, 0)
	s.mu.Lock()
	if err := also(); err != nil {
		s.mu.Unlock()
		return nil, err
	}
	top, ok, err := s.topLocked(scope, n)
	if ok || err != nil {
		s.mu.Unlock()
		return top, err
	}
	if err := s.checkpointLocked(false); err != nil {
		s.mu.Unlock()
		return nil, err
	}
	snapshot, version := s.db.NewSnapshot(), s.version
	s.scans.Add(1)
	s.mu.Unlock()
	defer s.scans.Done()
	defer snapshot.Close()

	r, err := scan(snapshot, scope, max(n, s.opts.RankCapacity))
	if err != nil {
		return nil, err
	}
	if r.capacity == s.opts.RankCapacity {
		s.offer(scope, r, version)
	}
	return r.top(nil, n), nil
}

func (s *State) topLocked(scope window.Scope, n int) ([]Entry, bool, error) {
	if r := s.rankings.get(scope); r != nil {
		if !r.answers(n) {
			return nil, false, nil
		}
		return r.top(make([]Entry, 0, min(n, len(r.counts))), n), true, nil
	}
	c, err := s.cells.get(appendScopeKey(nil, rankingKind, scope))
	if err != nil {
		return nil, false, err
	}
	if c.exists {
		return storedRanking(c.raw, n)
	}
	numbers, err := s.scopeNumbers(scope)
	return nil, numbers.Drinks == 0, err
}

// offer keeps a scanned ranking if nothing was applied since the scan began. A stored
// one, which another capacity made, goes: it would not see what is applied from now on.
func (s *State) offer(scope window.Scope, r *ranking, version uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.version != version || s.rankings.get(scope) != nil {
		return
	}
	if _, open := s.unfinished.tree.Get(scope.Start); open || scope.AllTime {
		if s.dropStoredRanking(scope) == nil {
			s.keepRanking(scope, r)
		}
		return
	}
	s.storeRanking(scope, r)
}

// scan builds a ranking from the sums of a scope.
func scan(r pebble.Reader, scope window.Scope, capacity int) (*ranking, error) {
	made := newRanking(capacity)
	prefix := appendScopeKey(nil, sumKind, scope)
	err := eachKey(r, prefix, func(key, value []byte) error {
		made.update(string(key[len(prefix):]), binary.BigEndian.Uint64(value))
		return nil
	})
	return made, err
}
