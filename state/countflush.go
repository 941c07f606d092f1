package state

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// placed is a table and where it is kept.
type placed struct {
	*table
	place
}

// changed are the tables with something that is newer than Pebble, in order of their keys.
func (l *counts) changed() (all []placed) {
	for scope, g := range l.groups {
		if len(g.sums.dirty) > 0 {
			all = append(all, placed{g.sums, place{sum: true, scope: scope}})
		}
		for p, t := range g.parts {
			if len(t.dirty) > 0 {
				all = append(all, placed{t, place{p: p, scope: scope}})
			}
		}
	}
	slices.SortFunc(all, func(a, b placed) int {
		return cmp.Or(compareBool(a.sum, b.sum), cmp.Compare(a.p, b.p), -compareBool(a.scope.AllTime, b.scope.AllTime), cmp.Compare(a.scope.Start, b.scope.Start))
	})
	return all
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// flushBytes is about what flush writes, and a little more: a batch that has no room left
// takes twice as much, beside what it has, and a checkpoint may write millions of counts.
func (l *counts) flushBytes() (size int) {
	l.drinks.sort()
	average := l.drinks.bytes / max(1, len(l.drinks.order))
	for _, t := range l.changed() {
		// Pebble puts a kind and two lengths before a key and a count.
		size += len(t.dirty) * (3 + len(t.prefix(nil)) + average + 8)
	}
	return size + size/16
}

// flush writes what is newer than Pebble to batch, in order of the keys. The caller
// commits the batch and then calls flushed.
func (l *counts) flush(batch *pebble.Batch) error {
	l.drinks.sort()
	var prefix []byte
	for _, t := range l.changed() {
		l.drinks.inOrder(t.dirty)
		prefix = t.prefix(prefix[:0])
		for _, id := range t.dirty {
			if err := l.write(batch, prefix, id, t.find(id)); err != nil {
				return fmt.Errorf("write %x%s: %w", prefix, l.drinks.names[id], err)
			}
		}
	}
	return nil
}

func (l *counts) write(batch *pebble.Batch, prefix []byte, id uint32, s *slot) error {
	name, n := l.drinks.name(id), s.count()
	if n == 0 {
		if !s.stored() {
			return nil // it came and went since the last checkpoint
		}
		op := batch.DeleteDeferred(len(prefix) + len(name))
		copy(op.Key[copy(op.Key, prefix):], name)
		return op.Finish()
	}
	op := batch.SetDeferred(len(prefix)+len(name), 8)
	copy(op.Key[copy(op.Key, prefix):], name)
	binary.BigEndian.PutUint64(op.Value, n)
	return op.Finish()
}

// flushed marks all counts clean, drops the tables that have become empty, and keeps the
// bounds.
func (l *counts) flushed() {
	for scope, g := range l.groups {
		g.sums.flushed()
		for p, t := range g.parts {
			if t.flushed(); t.live == 0 {
				l.forget(t)
				delete(g.parts, p)
			}
		}
		if g.sums.live == 0 && len(g.parts) == 0 {
			l.forget(g.sums)
			delete(l.groups, scope)
		}
	}
	l.news = 0
	l.evict()
}

func (t *table) flushed() {
	for _, id := range t.dirty {
		s := t.find(id)
		if s.tag &^= dirtyFlag | storedFlag; s.count() > 0 {
			s.tag |= storedFlag
		}
	}
	// Most tables that had much to write have nothing the next time.
	if t.dirty = t.dirty[:0]; cap(t.dirty) > 64 {
		t.dirty = nil
	}
}

// forget gives back what a table holds.
func (l *counts) forget(t *table) {
	l.used -= t.used
	for i := range t.slots {
		if s := &t.slots[i]; s.tag != 0 {
			l.drinks.refs[s.id()]--
		}
	}
}

// evict drops the scopes that were used least lately until the bounds are kept. All counts
// are clean.
func (l *counts) evict() {
	if l.used <= l.maxUsed && l.drinks.len() <= l.maxDrinks {
		return
	}
	oldest := make([]*group, 0, len(l.groups))
	for _, g := range l.groups {
		oldest = append(oldest, g)
	}
	slices.SortFunc(oldest, func(a, b *group) int { return cmp.Compare(a.used, b.used) })
	// A drink is mostly in several scopes, so how many go with one shows at the end only.
	for len(oldest) > 0 {
		for ; len(oldest) > 0 && l.used > l.maxUsed*3/4; oldest = oldest[1:] {
			l.drop(oldest[0])
		}
		l.drinks.release()
		if l.drinks.len() <= l.maxDrinks || len(oldest) == 0 {
			return
		}
		some := 1 + len(oldest)/8
		for _, g := range oldest[:some] {
			l.drop(g)
		}
		oldest = oldest[some:]
	}
}

func (l *counts) drop(g *group) {
	l.forget(g.sums)
	for _, t := range g.parts {
		l.forget(t)
	}
	delete(l.groups, g.scope)
}
