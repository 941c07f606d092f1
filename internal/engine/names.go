package engine

import "windowed/window"

// names is the numbering of the drinks for new batches. Partitions that are worked on by
// one goroutine share it: most drinks come in all of them.
//
// The state numbers drinks too, and has their counts and names in that order. A batch goes
// through its drinks in order of its own numbering, so with many drinks it takes two misses of
// every cache for each, unless both orders are about the same. They are for whoever met the
// drinks first; others take over the order of the state once.
type names struct {
	now    *window.Names
	limit  int // see window.NewNamesUpTo
	mixed  bool
	sorted int // names that the numbering had when it was sorted
}

// get is the numbering to use, another one when the last is full. No batch of the same
// numbering may be worked on meanwhile.
func (n *names) get() *window.Names {
	switch {
	case n.now == nil || n.now.Full():
		n.now, n.sorted = window.NewNamesUpTo(n.limit), 0
	case n.mixed && 2*n.now.Len() >= 3*n.sorted: // not again for some that are new
		n.now, n.sorted = n.now.Sorted(), n.now.Len()
	}
	n.mixed = false
	return n.now
}

// judge takes note of the order in which drinks numbered by now were met in the state.
func (n *names) judge(now *window.Names, o order) {
	if now == n.now && o.drinks >= manyDrinks && o.back > o.drinks/8 {
		n.mixed = true
	}
}

// manyDrinks is more than caches hold all of.
const manyDrinks = 4 << 10

// order counts how often the drinks that are met lie in front of the last one.
type order struct {
	drinks, back int
	last         uint32
}

func (o *order) add(mark uint32) {
	o.drinks++
	if mark < o.last {
		o.back++
	}
	o.last = mark
}
