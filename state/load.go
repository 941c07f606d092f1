package state

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"windowed/window"
)

// load reads what is kept in memory: metas, positions, the global record and the sets of
// windows without a final.
func (s *State) load() error {
	if err := s.loadLayout(); err != nil {
		return err
	}
	if err := s.loadChain(); err != nil {
		return err
	}
	if err := s.each([]byte{positionKind}, func(key, value []byte) error {
		if len(key) != 5 || len(value) != 8 {
			return corrupt(fmt.Errorf("position %x = %x", key, value))
		}
		p := int32(binary.BigEndian.Uint32(key[1:]))
		s.positions[p] = int64(binary.BigEndian.Uint64(value))
		s.oldPositions[p] = s.positions[p]
		return nil
	}); err != nil {
		return err
	}
	for p := range s.positions {
		if err := s.loadPartition(p); err != nil {
			return err
		}
	}
	return s.loadWindows()
}

func (s *State) loadPartition(p int32) error {
	prefix := appendPartition(nil, recordKind, p)
	first := true
	return s.each(prefix, func(key, value []byte) error {
		c, err := DecodeChange(key[5:], value)
		if err != nil {
			return corrupt(err)
		}
		switch c.Kind {
		case MetaKind:
			s.metas[p] = c.Meta
		case GlobalKind:
			s.global = c.Global
		case EmittedKind:
			s.oldestEmitted = min(s.oldestEmitted, c.Scope.Start)
			s.newestClosed = max(s.newestClosed, c.Scope.Start)
		case NumbersKind:
			if first {
				s.oldest[p], first = c.Scope.Start, false
			}
		}
		return nil
	})
}

func (s *State) loadWindows() error {
	allTime, err := s.scopeNumbers(window.AllTime)
	if err != nil {
		return err
	}
	s.keys = allTime.Drinks
	return s.each([]byte{scopeKind, 1}, func(key, value []byte) error {
		n, err := decodeScopeNumbers(value)
		if err != nil {
			return err
		}
		s.keys += n.Drinks
		start := startOf(key)
		f, emitted, err := s.emittedLocked(start)
		if err != nil {
			return err
		}
		s.unfinished.set(start, n.Records > 0 && !emitted)
		s.grown.set(start, emitted && n.Portions > f.Total)
		return nil
	})
}

// each calls f for every key with the prefix, as of the last checkpoint.
func (s *State) each(prefix []byte, f func(key, value []byte) error) error {
	return eachKey(s.db, prefix, f)
}

// errStop ends an iteration without an error.
var errStop = errors.New("stop")

func eachKey(r pebble.Reader, prefix []byte, f func(key, value []byte) error) error {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: prefixEnd(prefix)})
	if err != nil {
		return corrupt(fmt.Errorf("iterate: %w", err))
	}
	var ferr error
	for ok := it.First(); ok && ferr == nil; ok = it.Next() {
		ferr = f(it.Key(), it.Value())
	}
	return iterated(ferr, errors.Join(it.Error(), it.Close()))
}

// lastKeys calls f for the keys in [from, to), the last one first.
func lastKeys(r pebble.Reader, from, to []byte, f func(key, value []byte) error) error {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return corrupt(fmt.Errorf("iterate: %w", err))
	}
	var ferr error
	for ok := it.Last(); ok && ferr == nil; ok = it.Prev() {
		ferr = f(it.Key(), it.Value())
	}
	return iterated(ferr, errors.Join(it.Error(), it.Close()))
}

// iterated is the outcome of an iteration: the error of its function, unless that only
// ended it, else that of the store.
func iterated(ferr, err error) error {
	switch {
	case ferr != nil && !errors.Is(ferr, errStop):
		return ferr
	case err != nil:
		return corrupt(fmt.Errorf("iterate: %w", err))
	}
	return nil
}

func (s *State) scopeNumbers(scope window.Scope) (scopeNumbers, error) {
	c, err := s.cells.get(appendScopeKey(nil, scopeKind, scope))
	if err != nil || !c.exists {
		return scopeNumbers{}, err
	}
	return decodeScopeNumbers(c.raw)
}

func (s *State) emittedLocked(start int64) (Emitted, bool, error) {
	c, err := s.cells.get(appendControlKey(nil, 0, emittedKey, start))
	if err != nil || !c.exists {
		return Emitted{}, false, err
	}
	e, err := decodeEmitted(c.raw)
	if err != nil {
		return e, false, corrupt(err)
	}
	return e, true, nil
}
