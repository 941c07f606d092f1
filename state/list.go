package state

import (
	"slices"
	"strings"

	"windowed/window"
)

// Windows are the windows with start in [from, to) that accepted a record, newest
// first, at most limit.
func (s *State) Windows(from, to int64, limit int) ([]Window, error) {
	found, _, err := s.List(from, to, limit)
	return found, err
}

// List is Windows together with the View they are as of.
func (s *State) List(from, to int64, limit int) (found []Window, v *View, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, err = s.View(); err != nil || limit <= 0 {
		return nil, v, err
	}
	err = s.eachScope(appendScopeKey(nil, scopeKind, window.At(from)), appendScopeKey(nil, scopeKind, window.At(to)),
		func(key, value []byte) error {
			n, err := decodeScopeNumbers(value)
			if err != nil || n.Records == 0 {
				return err
			}
			w, _, err := s.windowLocked(startOf(key), n)
			if err != nil {
				return err
			}
			if found = append(found, w); len(found) == limit {
				return errStop
			}
			return nil
		})
	return found, v, err
}

// eachScope calls f for the keys in [from, to), the last one first, those that only the
// layer above Pebble has among them: a checkpoint would make readers slow the engine.
func (s *State) eachScope(from, to []byte, f func(key, value []byte) error) error {
	newer := s.cells.newer(from, to)
	layer := func(key string) error {
		if c := s.cells.m[key]; c.exists {
			return f([]byte(key), c.raw)
		}
		return nil
	}
	err := lastKeys(s.db, from, to, func(key, value []byte) error {
		for len(newer) > 0 && newer[0] > string(key) {
			if err := layer(newer[0]); err != nil {
				return err
			}
			newer = newer[1:]
		}
		if len(newer) > 0 && newer[0] == string(key) {
			newer = newer[1:]
			return layer(string(key))
		}
		return f(key, value)
	})
	for i := 0; i < len(newer) && err == nil; i++ {
		err = iterated(layer(newer[i]), nil)
	}
	return err
}

// newer are the dirty keys in [from, to), the last one first.
func (s *cells) newer(from, to []byte) (keys []string) {
	for _, key := range s.dirty {
		if key >= string(from) && key < string(to) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int { return strings.Compare(b, a) })
	return keys
}
