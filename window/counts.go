package window

import "slices"

// Counts is what one batch of one input partition adds: portions per drink for all of
// time and per window, and each window's Numbers. It holds only differences; absolute
// counts live in the state. Not safe for concurrent use.
type Counts struct {
	names   *Names
	windows map[int64]*WindowCounts
	late    tally // portions of all time that are in no window
	allTime tally // late and all windows together, when Each was last called for it

	// The window of the previous order: streams mostly stay in one.
	last *WindowCounts

	free []*WindowCounts // of earlier batches, for reuse
}

// WindowCounts is what a batch adds to one window, and so to all of time.
type WindowCounts struct {
	start    int64
	portions tally
	numbers  Numbers
}

// NewCounts returns an empty batch that numbers its drinks by names.
func NewCounts(names *Names) *Counts {
	return &Counts{names: names, windows: make(map[int64]*WindowCounts)}
}

// Names is the numbering that the ids of drinks refer to.
func (c *Counts) Names() *Names { return c.names }

// AddLate adds portions of a drink to all of time that came too late for their window.
func (c *Counts) AddLate(id uint32, portions uint64) { c.late.add(id, portions) }

// Window is for adding to the window that starts at start. It is valid until Reset.
func (c *Counts) Window(start int64) *WindowCounts {
	if c.last != nil && c.last.start == start {
		return c.last
	}
	w, ok := c.windows[start]
	if !ok {
		if n := len(c.free); n > 0 {
			w, c.free = c.free[n-1], c.free[:n-1]
		} else {
			w = &WindowCounts{}
		}
		w.start, w.portions.limit = start, denseLimit(len(c.windows))
		c.windows[start] = w
	}
	c.last = w
	return w
}

// Add adds portions of a drink.
func (w *WindowCounts) Add(id uint32, portions uint64) { w.portions.add(id, portions) }

// Accepted adds an order of so many portions to the Numbers.
func (w *WindowCounts) Accepted(portions uint64) {
	w.numbers.Records++
	w.numbers.Portions += portions
}

// AddNumbers adds to the Numbers.
func (w *WindowCounts) AddNumbers(n Numbers) { w.numbers = w.numbers.Plus(n) }

// Empty says that the batch adds nothing.
func (c *Counts) Empty() bool { return len(c.late.dirty) == 0 && len(c.windows) == 0 }

// Keys is how many distinct keys the batch adds portions to, or some more if it has many
// windows.
func (c *Counts) Keys() int {
	n := 0
	for _, w := range c.windows {
		n += len(w.portions.dirty)
	}
	return n + min(n+len(c.late.dirty), c.names.Len())
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

// Each calls f with the number of every drink the batch adds portions of in scope, in the
// order in which the numbering met the drinks.
func (c *Counts) Each(scope Scope, f func(id uint32, portions uint64)) {
	t := &c.allTime
	if scope.AllTime {
		c.sum()
	} else {
		w, ok := c.windows[scope.Start]
		if !ok {
			return
		}
		t = &w.portions
	}
	for _, id := range t.ids() {
		f(id, t.get(id))
	}
}

// sum makes allTime what the batch adds to all of time.
func (c *Counts) sum() {
	c.allTime.reset()
	c.allTime.plus(&c.late)
	for _, w := range c.windows {
		c.allTime.plus(&w.portions)
	}
}

// Reset empties the batch for reuse with the same numbering.
func (c *Counts) Reset() {
	c.late.reset()
	for _, w := range c.windows {
		w.portions.reset()
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
