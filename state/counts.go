package state

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"windowed/window"
)

// counts is the layer of committed counts and sums in front of Pebble, which may lag
// behind; what it lacks is replayed from the changelog. All counts of a scope come and go
// together, so that a scope that had none when it came needs no look into Pebble.
type counts struct {
	rest   *cells // the other keys: the store, and why it failed
	drinks *drinks
	groups map[window.Scope]*group
	clock  uint64
	used   int // slots in all tables
	news   int // counts that are newer than Pebble
	reads  uint64

	maxUsed, maxDrinks int // bounds after a checkpoint
	loadAfter          int // reads of a table, after which it is read as a whole
}

// Bounds of the counts in memory. A count takes some 15 to 30 bytes, a drink some 100.
const (
	maxCounts      = 16 << 20
	maxCountDrinks = 2 << 20
)

// group are the tables of a scope.
type group struct {
	scope window.Scope
	born  bool   // the store had no count of it when it came
	size  uint64 // drinks
	sums  *table // over all partitions
	parts map[int32]*table
	used  uint64 // clock of the last use
}

func newCounts(c *cells) *counts {
	return &counts{
		rest: c, drinks: newDrinks(), groups: make(map[window.Scope]*group),
		maxUsed: maxCounts, maxDrinks: maxCountDrinks, loadAfter: readsToLoad,
	}
}

// group is the group of a scope with so many drinks in all.
func (l *counts) group(scope window.Scope, drinks uint64) *group {
	g := l.groups[scope]
	if g == nil {
		g = &group{scope: scope, born: drinks == 0, parts: make(map[int32]*table)}
		g.sums = &table{whole: g.born}
		l.groups[scope] = g
	}
	l.clock++
	g.used, g.size = l.clock, drinks
	return g
}

// part is the table of a partition.
func (g *group) part(p int32) *table {
	t := g.parts[p]
	if t == nil {
		t = &table{whole: g.born}
		g.parts[p] = t
	}
	return t
}

// place says where a table is kept in Pebble.
type place struct {
	p     int32
	sum   bool
	scope window.Scope
}

func (w place) prefix(dst []byte) []byte {
	if w.sum {
		return appendScopeKey(dst, sumKind, w.scope)
	}
	return appendCountPrefix(dst, w.p, w.scope)
}

// Where many counts of a table are asked for one after another, as after a start, it is
// cheaper to read all of them, unless they are too many to do that at once.
const (
	readsToLoad = 64
	maxLoad     = 256 << 10
)

// slot is the slot of a drink, read from Pebble if it has to be.
func (l *counts) slot(g *group, t *table, w place, id uint32) (*slot, error) {
	if s := t.find(id); s != nil {
		return s, nil
	}
	if !t.whole && t.reads >= l.loadAfter && g.size <= maxLoad {
		if err := l.load(t, w); err != nil {
			return nil, err
		}
		if s := t.find(id); s != nil {
			return s, nil
		}
	}
	if t.whole {
		return l.add(t, id), nil
	}
	n, err := l.read(w, l.drinks.names[id])
	if err != nil {
		return nil, err
	}
	t.reads++
	return l.known(t, id, n), nil
}

// load reads all counts of a table that are not in memory.
func (l *counts) load(t *table, w place) error {
	if l.rest.failed != nil {
		return l.rest.failed
	}
	prefix := w.prefix(nil)
	err := eachKey(l.rest.db, prefix, func(key, value []byte) error {
		n, err := decodeCount(key, value)
		if err != nil {
			return err
		}
		id, ok := l.drinks.ids[string(key[len(prefix):])] // without a copy
		if !ok {
			id = l.drinks.number(string(key[len(prefix):]), 0)
		}
		if t.find(id) == nil {
			l.known(t, id, n)
		}
		return nil
	})
	if err == nil {
		t.whole = true
	}
	return err
}

// add adds a slot to a table that has none for the drink.
func (l *counts) add(t *table, id uint32) *slot {
	l.used++
	l.drinks.refs[id]++
	return t.add(id)
}

// known adds what Pebble holds.
func (l *counts) known(t *table, id uint32, n uint64) *slot {
	s := l.add(t, id)
	if s.setCount(n); n > 0 {
		s.tag |= storedFlag
		t.live++
		t.next = 0
	}
	return s
}

// set sets a count.
func (l *counts) set(t *table, s *slot, n uint64) {
	if t.set(s, n) {
		l.news++
	}
}

// read is the count in Pebble; 0 if there is none.
func (l *counts) read(w place, drink string) (uint64, error) {
	if l.rest.failed != nil {
		return 0, l.rest.failed
	}
	l.reads++
	key := append(w.prefix(make([]byte, 0, 64)), drink...)
	value, closer, err := l.rest.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, corrupt(fmt.Errorf("read %x: %w", key, err))
	}
	n, err := decodeCount(key, value)
	return n, errors.Join(err, closer.Close())
}

func decodeCount(key, value []byte) (uint64, error) {
	if len(value) != 8 {
		return 0, corrupt(fmt.Errorf("count %x has %d bytes, not 8", key, len(value)))
	}
	return binary.BigEndian.Uint64(value), nil
}

// peek is the count of a drink without keeping it: questions must not take the place of
// what is counted.
func (l *counts) peek(w place, drink string) (uint64, error) {
	if l.rest.failed != nil {
		return 0, l.rest.failed
	}
	g := l.groups[w.scope]
	if g == nil {
		return l.read(w, drink)
	}
	t := g.parts[w.p]
	if w.sum {
		t = g.sums
	}
	if t == nil {
		if g.born {
			return 0, nil
		}
		return l.read(w, drink)
	}
	if id, ok := l.drinks.find(drink, 0); ok {
		if s := t.find(id); s != nil {
			return s.count(), nil
		}
	}
	if t.whole {
		return 0, nil
	}
	return l.read(w, drink)
}
