package state

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// cell is one Pebble key as of the last committed transaction.
type cell struct {
	raw    []byte
	exists bool
	dirty  bool // newer than Pebble
}

// cells is the layer of committed keys in front of Pebble that hold anything but counts
// and sums. Pebble may lag behind the
// Kafka commit: what it lacks is replayed from the changelog. Clean cells are a cache,
// but for stored rankings, which are large and come from Pebble each time. The cache
// has two generations: what was used since the last turn moves to the young one, and at
// the next turn the old one goes, so keys in use stay.
type cells struct {
	db       *pebble.DB
	m        map[string]*cell // all dirty cells, and the young clean ones
	old      map[string]*cell // clean ones
	dirty    []string
	maxClean int   // in each generation
	failed   error // why nothing may be read or written any more
}

// Some 200 bytes a cell with its key: two generations of 64 Ki are up to 25 MB.
const maxCleanCells = 64 << 10

func newCells(db *pebble.DB) *cells {
	return &cells{db: db, m: make(map[string]*cell), maxClean: maxCleanCells}
}

// get is the cell of key, which may be one that does not exist.
func (s *cells) get(key []byte) (*cell, error) {
	if s.failed != nil {
		return nil, s.failed
	}
	if c := s.cached(key); c != nil {
		return c, nil
	}
	value, closer, err := s.db.Get(key)
	c := &cell{}
	switch {
	case errors.Is(err, pebble.ErrNotFound):
	case err != nil:
		return nil, corrupt(fmt.Errorf("read %x: %w", key, err))
	default:
		c.exists, c.raw = true, append([]byte(nil), value...)
		if err := closer.Close(); err != nil {
			return nil, err
		}
	}
	s.keep(key, c)
	return c, nil
}

// cached is the cell of key if it is in memory; it is young from now on.
func (s *cells) cached(key []byte) *cell {
	if c, ok := s.m[string(key)]; ok {
		return c
	}
	c, ok := s.old[string(key)]
	if ok {
		s.keep(key, c)
	}
	return c
}

// keep caches a clean cell.
func (s *cells) keep(key []byte, c *cell) {
	if key[0] == rankingKind {
		return
	}
	if len(s.m)-len(s.dirty) >= s.maxClean {
		s.turn()
	}
	s.m[string(key)] = c
}

// turn makes the young cells old.
func (s *cells) turn() {
	young := make(map[string]*cell, s.maxClean)
	for _, key := range s.dirty {
		young[key] = s.m[key]
		delete(s.m, key)
	}
	s.m, s.old = young, s.m
}

// known is the cell of a key whose value in Pebble does not matter, since it is about to
// be set, which saves a look there.
func (s *cells) known(key []byte) *cell {
	c := s.cached(key)
	if c == nil {
		c = &cell{}
		s.keep(key, c)
	}
	return c
}

// touch marks the cell of key as newer than Pebble; the caller has changed it and has
// not asked for the key again since it got the cell.
func (s *cells) touch(key []byte, c *cell) {
	if !c.dirty {
		c.dirty = true
		k := string(key)
		s.m[k] = c
		s.dirty = append(s.dirty, k)
	}
}

// setRaw sets a key, whatever it held before.
func (s *cells) setRaw(key, value []byte) {
	c := s.known(key)
	c.raw, c.exists = append(c.raw[:0], value...), true
	s.touch(key, c)
}

func (s *cells) remove(key []byte, c *cell) {
	if c.exists {
		*c = cell{dirty: c.dirty}
		s.touch(key, c)
	}
}

// flush writes the dirty cells with keys in [from, to) to batch, sorted: Pebble's skip list
// takes sorted keys at twice the speed. The caller commits the batch and then calls
// flushed.
func (s *cells) flush(batch *pebble.Batch, from, to byte) error {
	slices.Sort(s.dirty)
	for _, key := range s.dirty {
		if key[0] < from || key[0] >= to {
			continue
		}
		c, k := s.m[key], []byte(key)
		err := error(nil)
		if c.exists {
			err = batch.Set(k, c.raw, nil)
		} else {
			err = batch.Delete(k, nil)
		}
		if err != nil {
			return fmt.Errorf("write %x: %w", k, err)
		}
	}
	return nil
}

// flushed marks all cells clean.
func (s *cells) flushed() {
	for _, key := range s.dirty {
		if s.m[key].dirty = false; key[0] == rankingKind {
			delete(s.m, key)
		}
	}
	s.dirty = s.dirty[:0]
	if len(s.m) > s.maxClean {
		s.turn()
	}
}
