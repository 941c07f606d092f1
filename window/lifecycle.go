package window

import "math"

// State is where a window is in its life.
type State uint8

// A window is open until its end is at or before the committed close-through, then
// closed, and expired once the retention after its end has passed too.
const (
	Open State = iota
	Closed
	Expired
)

// String is the state's name in answers: open, closed, expired.
func (s State) String() string { return [...]string{"open", "closed", "expired"}[s] }

// None is the value of a time that is not there yet. It is below every event time, so
// comparisons and maxima need no special case.
const None int64 = math.MinInt64

// Lifecycle decides a window's state from committed values alone, never from a clock.
type Lifecycle struct {
	Size      Size
	Retention int64 // ms a closed window stays queryable, counted in event time
}

// ExpiredThrough is the largest end a window may have and be expired, given the
// committed close-through c (None: nothing is) and the start of the newest closed
// window (None: there is no closed one). The newest closed window stays until a newer
// one has its final, so that "the last hour" always has an answer.
func (l Lifecycle) ExpiredThrough(c, newestClosed int64) int64 {
	if c == None || newestClosed == None {
		return None
	}
	return min(c-l.Retention, l.Size.End(newestClosed)-1)
}

// Retained says whether a window with the given end may still take amendments and
// revisions under the committed close-through c.
func (l Lifecycle) Retained(end, c int64) bool {
	return c == None || end > c-l.Retention
}

// State is the state of the window that starts at start.
func (l Lifecycle) State(start, c, newestClosed int64) State {
	end := l.Size.End(start)
	switch {
	case c == None || end > c:
		return Open
	case end <= l.ExpiredThrough(c, newestClosed):
		return Expired
	}
	return Closed
}
