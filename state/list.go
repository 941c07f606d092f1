package state

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

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

// eachScope calls f for the keys in [from, to), the last one first, until it returns
// errStop. The layer above Pebble is read together with it, since a checkpoint would make
// readers slow the engine.
func (s *State) eachScope(from, to []byte, f func(key, value []byte) error) error {
	newer, stopped := s.cells.newer(from, to), false
	call := func(key, value []byte) error {
		err := f(key, value)
		stopped = errors.Is(err, errStop)
		return err
	}
	// above calls it for the keys of the layer that lie behind key, and takes them off.
	above := func(key string) error {
		for len(newer) > 0 && newer[0] > key {
			next := newer[0]
			newer = newer[1:]
			if c := s.cells.m[next]; c.exists {
				if err := call([]byte(next), c.raw); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err := lastKeys(s.db, from, to, func(key, value []byte) error {
		if err := above(string(key)); err != nil {
			return err
		}
		if len(newer) == 0 || newer[0] != string(key) {
			return call(key, value)
		}
		newer = newer[1:]
		if c := s.cells.m[string(key)]; c.exists {
			return call(key, c.raw)
		}
		return nil
	})
	if err != nil || stopped {
		return err
	}
	return iterated(above(""), nil)
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

// eachRecord calls f for the keys in [from, to) that are no counts, until it returns
// errStop, the layer above Pebble read together with it.
func (s *State) eachRecord(from, to []byte, f func(key []byte) error) error {
	newer, stopped := s.cells.newer(from, to), false
	slices.Reverse(newer)
	call := func(key []byte) error {
		err := f(key)
		stopped = errors.Is(err, errStop)
		return err
	}
	// below calls it for the keys of the layer that lie before key, and takes them off.
	below := func(key string, all bool) error {
		for len(newer) > 0 && (all || newer[0] < key) {
			next := newer[0]
			newer = newer[1:]
			if s.cells.m[next].exists {
				if err := call([]byte(next)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return corrupt(fmt.Errorf("iterate: %w", err))
	}
	var ferr error
	for ok := it.First(); ok && ferr == nil; ok = it.Next() {
		if ferr = below(string(it.Key()), false); ferr != nil {
			break
		}
		if len(newer) > 0 && newer[0] == string(it.Key()) {
			continue // below calls it
		}
		ferr = call(it.Key())
	}
	err = errors.Join(it.Error(), it.Close())
	if err == nil && ferr == nil && !stopped {
		ferr = below("", true)
	}
	return iterated(ferr, err)
}
