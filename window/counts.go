package window

import "slices"

// Counts is what one batch of one input partition adds: portions per drink for all of
// time and per window, and each window's Numbers. It holds only differences; absolute
// counts live in the state. Not safe for concurrent use.
type Counts struct {
	names   *Names
	allTime tally
	windows map[int64]*windowCounts

	// The window of the previous order: streams mostly stay in one.
	lastStart int64
	last      *windowCounts

	free []*windowCounts // of earlier batches, for reuse
}

type windowCounts struct {
	tally
	numbers Numbers
}

// NewCounts returns an empty batch that numbers its drinks by names.
func NewCounts(names *Names) *Counts {
	return &Counts{names: names, windows: make(map[int64]*windowCounts)}
}

// Names is the numbering that the ids of AddAllTime and AddWindow refer to.
func (c *Counts) Names() *Names { return c.names }

// AddAllTime adds portions of a drink to all of time.
func (c *Counts) AddAllTime(id uint32, portions uint64) { c.allTime.add(id, portions) }

// AddWindow adds portions of a drink to the window that starts at start.
func (c *Counts) AddWindow(start int64, id uint32, portions uint64) {
	c.window(start).add(id, portions)
}

// AddNumbers adds to the Numbers of the window that starts at start.
func (c *Counts) AddNumbers(start int64, n Numbers) {
	w := c.window(start)
	w.numbers = w.numbers.Plus(n)
}

func (c *Counts) window(start int64) *windowCounts {
	if c.last != nil && c.lastStart == start {
		return c.last
	}
	w, ok := c.windows[start]
	if !ok {
		if n := len(c.free); n > 0 {
			w, c.free = c.free[n-1], c.free[:n-1]
		} else {
			w = &windowCounts{}
		}
		w.limit = denseLimit(len(c.windows))
		c.windows[start] = w
	}
	c.lastStart, c.last = start, w
	return w
}

// Empty says that the batch adds nothing.
func (c *Counts) Empty() bool { return len(c.allTime.dirty) == 0 && len(c.windows) == 0 }

// Keys is the number of distinct keys the batch adds portions to.
func (c *Counts) Keys() int {
	n := len(c.allTime.dirty)
	for _, w := range c.windows {
		n += len(w.dirty)
	}
	return n
}

// Starts are the starts of the windows the batch touches, ascending.
func (c *Counts) Starts() []int64 {
	starts := make([]int64, 0, len(c.windows))
	for s := range c.windows {
		starts = append(starts, s)
	}
	slices.Sort(starts)
	return starts
}

// Numbers is what the batch adds to the Numbers of the window that starts at start.
func (c *Counts) Numbers(start int64) Numbers {
	if w, ok := c.windows[start]; ok {
		return w.numbers
	}
	return Numbers{}
}

// Each calls f for every drink the batch adds portions of in scope, in the order in which
// the numbering met the drinks, until f returns false.
func (c *Counts) Each(scope Scope, f func(drink *Name, portions uint64) bool) {
	t := &c.allTime
	if !scope.AllTime {
		w, ok := c.windows[scope.Start]
		if !ok {
			return
		}
		t = &w.tally
	}
	for _, id := range t.ids() {
		if !f(c.names.Name(id), t.get(id)) {
			return
		}
	}
}

// Reset empties the batch for reuse with the same numbering.
func (c *Counts) Reset() {
	c.allTime.reset()
	for _, w := range c.windows {
		w.reset()
		w.numbers = Numbers{}
		if len(c.free) < maxFree {
			c.free = append(c.free, w)
		}
	}
	clear(c.windows)
	c.last = nil
}

// maxFree bounds the windows kept for reuse.
const maxFree = 16
