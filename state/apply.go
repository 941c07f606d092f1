package state

import (
	"fmt"

	"windowed/window"
)

// Apply takes changes of changelog partition p, in the order of the changelog, and the
// offset to read next there. Either all of them are in the state afterwards, or the
// error says that the state must not be used any more. The changes are not kept.
func (s *State) Apply(p int32, changes []Change, position int64) error {
	return s.take(p, position, func(a *applier) error {
		for i := range changes {
			if err := a.apply(&changes[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// applyLatest is Apply for the last records of all keys of a part of the changelog.
func (s *State) applyLatest(p int32, l *latest, position int64) error {
	return s.take(p, position, func(a *applier) error {
		for _, i := range l.byScope() {
			c, err := a.latest(l, &l.records[i])
			if err != nil {
				return err
			}
			if err := a.apply(&c); err != nil {
				return err
			}
		}
		return nil
	})
}

// take lets all apply changes of partition p, up to position.
func (s *State) take(p int32, position int64, all func(*applier) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := applier{State: s, p: p, touched: make(map[window.Scope]bool)}
	err := a.usable()
	if err == nil {
		err = all(&a)
	}
	if err == nil {
		err = a.close()
	}
	if err != nil {
		// Half of the changes are in the layer; none of them may reach Pebble.
		s.cells.failed = fmt.Errorf("%w: apply changelog partition %d before offset %d: %w", ErrUnusable, p, position, err)
		s.hide(s.cells.failed)
		return s.cells.failed
	}
	if position > s.positions[p] {
		s.positions[p] = position
	}
	s.version++
	s.show(a.touched)
	return nil
}

// applier applies the changes of one partition; it collects the differences of a scope
// while its changes follow each other.
type applier struct {
	*State
	p       int32
	key     []byte
	touched map[window.Scope]bool // those that were collected

	scope   window.Scope
	open    bool // a scope is being collected
	numbers scopeNumbers
	before  scopeNumbers
	ranking *ranking // of scope; nil: not in memory
	fallen  bool     // a count of the scope has fallen: it has no ranking any more
	group   *group   // the counts of scope
	mine    *table   // those of the partition; nil: not asked for yet
}

// latest is a record as a change; a drink that the state knows is not copied.
func (a *applier) latest(l *latest, r *latestRecord) (Change, error) {
	if r.scope == 0 {
		return DecodeChange(l.key(r), l.get(r))
	}
	c, drink := l.count(r)
	if id, ok := a.counts.drinks.ids[string(drink)]; ok {
		c.Drink, c.Mark = a.counts.drinks.names[id], id
	} else {
		c.Drink = string(drink)
	}
	return c, nil
}

func (a *applier) apply(c *Change) error {
	switch c.Kind {
	case CountKind:
		return a.count(c)
	case NumbersKind:
		return a.windowNumbers(c)
	case EmittedKind:
		return a.emitted(c)
	case MetaKind:
		m := *c.Meta
		a.metas[a.p] = &m
	case GlobalKind:
		g := *c.Global
		a.global = &g
	}
	a.key = appendRecordKey(a.key[:0], a.p, c)
	a.cells.setRaw(a.key, c.AppendValue(nil))
	return nil
}

// enter makes scope the one whose differences are collected.
func (a *applier) enter(scope window.Scope) error {
	if a.open && a.scope == scope {
		return nil
	}
	if err := a.close(); err != nil {
		return err
	}
	n, err := a.scopeNumbers(scope)
	if err != nil {
		return err
	}
	a.scope, a.open, a.numbers, a.before, a.fallen = scope, true, n, n, false
	a.group, a.mine = nil, nil
	a.ranking, err = a.rankingOf(scope, n)
	return err
}

// partial is the slot of a count of the partition in the current scope.
func (a *applier) partial(c *Change, id uint32) (*slot, error) {
	if a.mine == nil {
		a.group = a.counts.group(a.scope, a.numbers.Drinks)
		a.mine = a.group.part(a.p)
	}
	if c.New {
		if s := a.mine.find(id); s != nil {
			return s, nil
		}
		return a.counts.add(a.mine, id), nil
	}
	return a.counts.slot(a.group, a.mine, place{p: a.p, scope: a.scope}, id)
}

// count sets a partial count and changes the sum over the partitions by the difference.
func (a *applier) count(c *Change) error {
	if err := a.enter(c.Scope); err != nil {
		return err
	}
	id := a.counts.drinks.number(c.Drink, c.Mark)
	partial, err := a.partial(c, id)
	if err != nil {
		return err
	}
	old := partial.count()
	a.counts.set(a.mine, partial, c.Count)
	return a.sum(c.Drink, id, old, c.Count)
}

// sum changes the sum of a drink in the current scope by the difference of a partial.
func (a *applier) sum(drink string, id uint32, old, count uint64) error {
	if old == count {
		return nil
	}
	sum, err := a.counts.slot(a.group, a.group.sums, place{sum: true, scope: a.scope}, id)
	if err != nil {
		return err
	}
	was := sum.count()
	now := was - old + count
	if now > maxCount {
		return fmt.Errorf("%w: %q in %v: %d - %d + %d", ErrOverflow, drink, a.scope, was, old, count)
	}
	a.counts.set(a.group.sums, sum, now)
	switch {
	case now == 0:
		a.numbers.Drinks--
	case was == 0:
		a.newDrink()
	}
	if now < was {
		// Counts fall only when a window expires or a partition's state is replaced.
		return a.fall()
	}
	if a.ranking != nil {
		a.ranking.update(drink, now)
	}
	return nil
}

// fall drops the ranking of the current scope, which holds what only grows.
func (a *applier) fall() error {
	if a.fallen {
		return nil
	}
	a.fallen, a.ranking = true, nil
	a.rankings.drop(a.scope)
	return a.dropStoredRanking(a.scope)
}

// newDrink counts a drink of the current scope. The first one gives the scope a ranking,
// nothing before it: numbers and finals also come to windows without drinks, and an empty
// ranking would take the place of one that is used, and stay in the store for ever.
func (a *applier) newDrink() {
	if a.numbers.Drinks++; a.numbers.Drinks == 1 {
		a.ranking, a.fallen = newRanking(a.opts.RankCapacity), false
		a.keepRanking(a.scope, a.ranking)
	}
}

func (a *applier) windowNumbers(c *Change) error {
	if err := a.enter(c.Scope); err != nil {
		return err
	}
	a.key = appendControlKey(a.key[:0], a.p, numbersKey, c.Scope.Start)
	mine, err := a.cells.get(a.key)
	if err != nil {
		return err
	}
	var old window.Numbers
	if mine.exists {
		if old, err = decodeNumbers(mine.raw); err != nil {
			return corrupt(err)
		}
	}
	a.numbers.Numbers = a.numbers.Numbers.Minus(old)
	if c.Deleted {
		a.cells.remove(a.key, mine)
		if a.oldest[a.p] == c.Scope.Start {
			a.oldest[a.p] = a.opts.Window.Size.End(c.Scope.Start) // or later
		}
		return nil
	}
	a.numbers.Numbers = a.numbers.Numbers.Plus(*c.Numbers)
	if old, ok := a.oldest[a.p]; !ok || c.Scope.Start < old {
		a.oldest[a.p] = c.Scope.Start
	}
	a.cells.setRaw(a.key, appendNumbers(nil, *c.Numbers))
	return nil
}

func (a *applier) emitted(c *Change) error {
	if err := a.enter(c.Scope); err != nil {
		return err
	}
	a.key = appendControlKey(a.key[:0], a.p, emittedKey, c.Scope.Start)
	f, err := a.cells.get(a.key)
	if err != nil {
		return err
	}
	if c.Deleted {
		a.cells.remove(a.key, f)
		if a.oldestEmitted == c.Scope.Start {
			a.oldestEmitted = a.opts.Window.Size.End(c.Scope.Start) // or later
		}
		return nil
	}
	a.newestClosed = max(a.newestClosed, c.Scope.Start)
	a.oldestEmitted = min(a.oldestEmitted, c.Scope.Start)
	a.cells.setRaw(a.key, c.Emitted.append(nil))
	return nil
}

// close writes the collected differences of the current scope.
func (a *applier) close() error {
	if !a.open {
		return nil
	}
	a.open = false
	a.touched[a.scope] = true
	if a.numbers != a.before {
		a.keys += a.numbers.Drinks - a.before.Drinks // modulo 2^64: it may fall
		a.key = appendScopeKey(a.key[:0], scopeKind, a.scope)
		if err := a.storeScope(); err != nil {
			return err
		}
	}
	if a.scope.AllTime {
		return nil
	}
	return a.classify(a.scope, a.numbers)
}

func (a *applier) storeScope() error {
	if a.numbers != (scopeNumbers{}) {
		a.cells.setRaw(a.key, a.numbers.append(nil))
		return nil
	}
	c, err := a.cells.get(a.key)
	if err != nil {
		return err
	}
	a.cells.remove(a.key, c)
	a.rankings.drop(a.scope)
	return a.dropStoredRanking(a.scope)
}
