package state

import (
	"fmt"

	"windowed/window"
)

// Apply takes changes of changelog partition p, in the order of the changelog, and the
// offset to read next there. Either all of them are in the state afterwards, or the
// error says that the state must not be used any more. The changes are not kept.
func (s *State) Apply(p int32, changes []Change, position int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := applier{State: s, p: p, touched: make(map[window.Scope]bool)}
	if err := a.all(changes); err != nil {
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
}

func (a *applier) all(changes []Change) error {
	if err := a.usable(); err != nil {
		return err
	}
	for i := range changes {
		if err := a.apply(&changes[i]); err != nil {
			return err
		}
	}
	return a.close()
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
	a.ranking, err = a.rankingOf(scope, n)
	return err
}

// cell is the cell of a.key, a key of the current scope.
func (a *applier) cell() (*cell, error) {
	if a.before.Drinks == 0 {
		return a.cells.known(a.key), nil
	}
	return a.cells.get(a.key)
}

// partial is the cell of a.key, the key of a count.
func (a *applier) partial(c *Change) (*cell, error) {
	if c.New {
		return a.cells.known(a.key), nil
	}
	return a.cell()
}

// count sets a partial count and changes the sum over the partitions by the difference.
func (a *applier) count(c *Change) error {
	if err := a.enter(c.Scope); err != nil {
		return err
	}
	a.key = appendCountKey(a.key[:0], a.p, c.Drink, c.Scope)
	partial, err := a.partial(c)
	if err != nil {
		return err
	}
	old := partial.num
	switch {
	case c.Deleted:
		a.cells.remove(a.key, partial)
	default:
		a.cells.setNumber(a.key, partial, c.Count)
	}
	if !c.Scope.AllTime && (old == 0) != c.Deleted {
		a.index(c)
	}
	return a.sum(c.Drink, old, c.Count)
}

// index adds a window's key to the index of its partition, or removes it. It has an entry
// exactly when there is a count, so what the entry is need not be looked up.
func (a *applier) index(c *Change) {
	a.key = appendIndexKey(a.key[:0], a.p, c.Scope.Start, c.Drink)
	entry := a.cells.known(a.key)
	entry.exists = !c.Deleted
	a.cells.touch(a.key, entry)
}

// sum changes the sum of a drink in the current scope by the difference of a partial.
func (a *applier) sum(drink string, old, count uint64) error {
	if old == count {
		return nil
	}
	a.key = appendSumKey(a.key[:0], a.scope, drink)
	sum, err := a.cell()
	if err != nil {
		return err
	}
	was := sum.num
	now := was - old + count
	if now > maxCount {
		return fmt.Errorf("%w: %q in %v: %d - %d + %d", ErrOverflow, drink, a.scope, was, old, count)
	}
	switch {
	case now == 0:
		a.cells.remove(a.key, sum)
		a.numbers.Drinks--
	default:
		if was == 0 {
			a.newDrink()
		}
		a.cells.setNumber(a.key, sum, now)
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
	a.numbers.Numbers = a.numbers.Numbers.Plus(c.Numbers)
	if old, ok := a.oldest[a.p]; !ok || c.Scope.Start < old {
		a.oldest[a.p] = c.Scope.Start
	}
	a.cells.setRaw(a.key, appendNumbers(nil, c.Numbers))
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
