package state

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"windowed/window"
)

// leaving appends tombstones of the counts that partition p has in a scope, at most limit.
// Afterwards the counts and their sums are in memory, so that applying the tombstones
// reads nothing.
func (s *State) leaving(dst []Change, p int32, scope window.Scope, limit int) ([]Change, error) {
	n, err := s.scopeNumbers(scope)
	if err != nil || n.Drinks == 0 {
		return dst, err
	}
	g := s.counts.group(scope, n.Drinks)
	t := g.part(p)
	if t.whole {
		return s.counts.leaving(dst, t, scope, limit), nil
	}
	if len(t.dirty) > 0 {
		// Only the store has all of them.
		if err := s.checkpointLocked(false); err != nil {
			return nil, err
		}
		g = s.counts.group(scope, n.Drinks) // the checkpoint may have dropped it
		t = g.part(p)
	}
	return s.counts.leavingStore(dst, g, t, p, limit)
}

// leaving are tombstones from a table that has all there is. It begins where counts were
// left the last time.
func (l *counts) leaving(dst []Change, t *table, scope window.Scope, limit int) []Change {
	first := len(t.slots)
	for i := t.next; i < len(t.slots) && limit > 0; i++ {
		c := &t.slots[i]
		if c.tag == 0 || c.count() == 0 {
			continue
		}
		first = min(first, i)
		dst = append(dst, Change{Kind: CountKind, Scope: scope, Drink: l.drinks.names[c.id()], Mark: c.id(), Deleted: true})
		limit--
	}
	t.next = first
	return dst
}

// leavingStore are tombstones of what Pebble has.
func (l *counts) leavingStore(dst []Change, g *group, t *table, p int32, limit int) ([]Change, error) {
	prefix := appendCountPrefix(nil, p, g.scope)
	before := len(dst)
	err := eachKey(l.rest.db, prefix, func(key, value []byte) error {
		n, err := decodeCount(key, value)
		if err != nil {
			return err
		}
		drink := string(key[len(prefix):])
		id := l.drinks.number(drink, 0)
		if t.find(id) == nil {
			l.known(t, id, n)
		}
		dst = append(dst, Change{Kind: CountKind, Scope: g.scope, Drink: drink, Mark: id, Deleted: true})
		if len(dst)-before == limit {
			return errStop
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return dst, l.loadSums(g, dst[before:])
}

// loadSums reads the sums of drinks, which are in order of their names, in one go. It
// stops where too many others lie between them: these are read one by one later.
func (l *counts) loadSums(g *group, tombstones []Change) error {
	if g.sums.whole || len(tombstones) == 0 {
		return nil
	}
	prefix := appendScopeKey(nil, sumKind, g.scope)
	from := append(slices.Clip(prefix), tombstones[0].Drink...)
	it, err := l.rest.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: prefixEnd(prefix)})
	if err != nil {
		return corrupt(fmt.Errorf("iterate: %w", err))
	}
	var ferr error
	ok := it.First()
	for passed := 0; ok && len(tombstones) > 0 && ferr == nil && passed < 64; ok = it.Next() {
		switch bytes.Compare(it.Key()[len(prefix):], []byte(tombstones[0].Drink)) {
		case -1:
			passed++
			continue
		case 0:
			var n uint64
			n, ferr = decodeCount(it.Key(), it.Value())
			if id := tombstones[0].Mark; ferr == nil && g.sums.find(id) == nil {
				l.known(g.sums, id, n)
			}
			passed = max(0, passed-16)
		}
		tombstones = tombstones[1:]
	}
	return iterated(ferr, errors.Join(it.Error(), it.Close()))
}
