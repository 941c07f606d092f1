package window

import (
	"testing"

	"pgregory.net/rapid"
)

func TestLifecycle(t *testing.T) {
	l := Lifecycle{Size: 10, Retention: 25}
	cases := []struct {
		name         string
		start, c     int64
		newestClosed int64
		want         State
		retained     bool
	}{
		{name: "nothing is committed", start: -1000, c: None, newestClosed: None, want: Open, retained: true},
		{name: "before its end", start: 0, c: 9, newestClosed: -10, want: Open, retained: true},
		{name: "at its end", start: 0, c: 10, newestClosed: 0, want: Closed, retained: true},
		{name: "one short of the retention", start: 0, c: 34, newestClosed: 20, want: Closed, retained: true},
		{name: "at the retention", start: 0, c: 35, newestClosed: 20, want: Expired},
		{name: "long ago", start: -1000, c: 35, newestClosed: 20, want: Expired},
		{name: "newest closed, jump far ahead", start: 0, c: 1_000_000, newestClosed: 0, want: Closed},
		{name: "the one before the newest closed", start: -10, c: 1_000_000, newestClosed: 0, want: Expired},
		{name: "newer than the newest closed, without a record", start: 10, c: 1_000_000, newestClosed: 0, want: Closed},
		{name: "newest closed within its retention", start: 0, c: 20, newestClosed: 0, want: Closed, retained: true},
		{name: "no window has a final", start: 0, c: 1_000_000, newestClosed: None, want: Closed},
		{name: "negative times", start: -40, c: -5, newestClosed: -20, want: Expired},
		{name: "negative times, retained", start: -30, c: -5, newestClosed: -20, want: Closed, retained: true},
	}
	for _, c := range cases {
		if got := l.State(c.start, c.c, c.newestClosed); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if got := l.Retained(l.Size.End(c.start), c.c); got != c.retained {
			t.Errorf("%s: retained %v, want %v", c.name, got, c.retained)
		}
	}
}

func TestStateNames(t *testing.T) {
	for state, want := range map[State]string{Open: "open", Closed: "closed", Expired: "expired"} {
		if got := state.String(); got != want {
			t.Errorf("%d: %s, want %s", state, got, want)
		}
	}
}

// TestLifecycleOnlyMovesOn checks that no window goes back in its life while the
// close-through and the newest closed window rise, that the newest closed window never
// expires, and that State and ExpiredThrough agree.
func TestLifecycleOnlyMovesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Lifecycle{Size: sizes().Draw(t, "size"), Retention: rapid.Int64Range(0, 1<<40).Draw(t, "retention")}
		near := rapid.Int64Range(-8, 8)
		start := l.Size.Start(times().Draw(t, "ts"))
		newest, was := None, Open
		c := None
		for range 12 {
			switch {
			case c == None:
				c = l.Size.End(start) + near.Draw(t, "c")
			default:
				step := rapid.SampledFrom([]int64{0, 1, int64(l.Size), l.Retention, l.Retention + 1}).Draw(t, "step")
				c += step
			}
			if last := l.Size.Start(c) - int64(l.Size); rapid.Bool().Draw(t, "a window closed") {
				newest = max(newest, last) // its end is at or before c
			}
			state := l.State(start, c, newest)
			if state < was {
				t.Fatalf("c %d, newest closed %d: %v after %v", c, newest, state, was)
			}
			was = state
			if newest != None && l.State(newest, c, newest) != Closed {
				t.Fatalf("c %d: the newest closed window %d is %v", c, newest, l.State(newest, c, newest))
			}
			if end := l.Size.End(start); (state == Expired) != (end <= l.ExpiredThrough(c, newest) && end <= c) {
				t.Fatalf("c %d: %v, but expired through %d", c, state, l.ExpiredThrough(c, newest))
			}
			if l.Retained(l.Size.End(start), c) && state == Expired {
				t.Fatalf("c %d: expired and retained", c)
			}
		}
	})
}
