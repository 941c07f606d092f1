package watermark

import (
	"testing"

	"pgregory.net/rapid"
)

func TestRaise(t *testing.T) {
	// Silent for 60, grace 10: the clock may close through now - 70.
	rule := Idleness{Timeout: 60, Grace: 10}
	active := func(l int64) Partition { return Partition{CloseThrough: l} }
	idle := func(l int64) Partition { return Partition{CloseThrough: l, Idle: true} }
	cases := []struct {
		name  string
		parts []Partition // the silent one is the first
		open  []int64
		now   int64
		want  int64
	}{
		{"follows the slowest active one", []Partition{active(5), active(40), active(30), idle(7)}, []int64{20}, 1000, 30},
		{"as far as that, not as far as the window", []Partition{active(5), active(30)}, []int64{20, 40}, 1000, 30},
		{"an end at the minimum counts", []Partition{active(5), active(30)}, []int64{30}, 1000, 30},
		{"an end at its own does not", []Partition{active(20), active(30)}, []int64{20}, 1000, 20},
		{"no window needs it", []Partition{active(5), active(30)}, []int64{31}, 1000, 5},
		{"no window is open", []Partition{active(5), active(30)}, nil, 1000, 5},
		{"others hold C back all the same", []Partition{active(5), active(30), idle(None)}, []int64{20}, 1000, 30},
		{"another active one has no time yet", []Partition{active(5), active(30), active(None)}, []int64{20}, 1000, 5},
		{"the active one has no time yet", []Partition{active(None), active(None)}, []int64{20}, 1000, None},
		{"never had an order", []Partition{active(None), active(30)}, []int64{20}, 1000, 30},
		{"an idle one without time is no hindrance", []Partition{active(5), active(30), idle(None)}, []int64{20}, 1000, 30},
		{"the others are behind", []Partition{active(50), active(30)}, []int64{20, 60}, 1000, 50},
		{"its own idle flag does not matter", []Partition{idle(5), active(30)}, []int64{20}, 1000, 30},

		{"all idle, the clock is past the newest end", []Partition{active(5), idle(3)}, []int64{20, 40}, 1000, 40},
		{"all idle, the clock is before it", []Partition{active(5), idle(3)}, []int64{20, 40}, 95, 25},
		{"all idle, the clock is at the end", []Partition{active(5), idle(3)}, []int64{40}, 110, 40},
		{"all idle, one ms short of the end", []Partition{active(5), idle(3)}, []int64{40}, 109, 39},
		{"all idle, the clock is behind", []Partition{active(5), idle(3)}, []int64{40}, 10, 5},
		{"all idle, at least the highest", []Partition{active(5), idle(33), idle(None)}, []int64{40}, 10, 33},
		{"all idle, the highest is beyond the newest open", []Partition{active(5), idle(50)}, []int64{40}, 1000, 50},
		{"all idle, nothing is open", []Partition{active(5), idle(33)}, nil, 1000, 5},
		{"all idle, never any time", []Partition{active(None), idle(None)}, []int64{40}, 100, 30},
		{"alone", []Partition{active(5)}, []int64{40}, 100, 30},
		{"alone, nothing is open", []Partition{active(5)}, nil, 1000, 5},
		{"alone, negative times", []Partition{active(-90)}, []int64{-40}, 0, -70},
	}
	for _, c := range cases {
		open := make(ends)
		for _, end := range c.open {
			open[end] = true
		}
		if got := rule.Raise(0, c.parts, open, c.now); got != c.want {
			t.Errorf("%s: raised to %d, want %d", c.name, got, c.want)
		}
		// The position among the partitions decides nothing.
		last := len(c.parts) - 1
		turned := append([]Partition(nil), c.parts...)
		turned[0], turned[last] = turned[last], turned[0]
		if got := rule.Raise(last, turned, open, c.now); got != c.want {
			t.Errorf("%s: raised to %d as the last one, want %d", c.name, got, c.want)
		}
	}
}

// TestRaiseBounds draws any partitions and windows and checks what every raise keeps to.
func TestRaiseBounds(t *testing.T) {
	values := rapid.OneOf(rapid.Int64Range(-50, 50), rapid.Just(None))
	rapid.Check(t, func(t *rapid.T) {
		rule := Idleness{Timeout: rapid.Int64Range(1, 20).Draw(t, "timeout"), Grace: rapid.Int64Range(0, 20).Draw(t, "grace")}
		parts := make([]Partition, rapid.IntRange(1, 5).Draw(t, "partitions"))
		for i := range parts {
			parts[i] = Partition{CloseThrough: values.Draw(t, "L"), Idle: rapid.Bool().Draw(t, "idle")}
		}
		open := make(ends)
		for _, end := range rapid.SliceOfN(rapid.Int64Range(-50, 50), 0, 4).Draw(t, "open") {
			open[end] = true
		}
		p := rapid.IntRange(0, len(parts)-1).Draw(t, "p")
		now := rapid.Int64Range(-100, 200).Draw(t, "now")
		raised, own := rule.Raise(p, parts, open, now), parts[p].CloseThrough
		if raised < own {
			t.Fatalf("raised to %d, below its own %d", raised, own)
		}
		if raised == own {
			return
		}
		newest, ok := open.NewestEnd()
		if !ok {
			t.Fatal("raised though no window is open")
		}
		highest, slowest, active := own, int64(1<<62), false
		for q := range parts {
			if q == p {
				continue
			}
			highest = max(highest, parts[q].CloseThrough)
			if !parts[q].Idle {
				active, slowest = true, min(slowest, parts[q].CloseThrough)
			}
		}
		if active && raised != slowest {
			t.Fatalf("raised to %d, the slowest active partition is at %d", raised, slowest)
		}
		if active && !open.AnyEnd(own, raised) {
			t.Fatalf("raised from %d to %d, but no window ends there", own, raised)
		}
		if !active && raised > highest && (raised > newest || raised > now-rule.Timeout-rule.Grace) {
			t.Fatalf("raised to %d by the clock: newest end %d, clock %d", raised, newest, now)
		}
	})
}

// TestIdlePartitionsDoNotWaitForEachOther: two idle partitions and an active one close
// the window, whoever has its turn first; the first turn only tells of the idleness.
func TestIdlePartitionsDoNotWaitForEachOther(t *testing.T) {
	for _, turn := range [][]int{{1, 2}, {2, 1}} {
		j := newJob(3, 10, 0)
		for p := range 3 {
			j.add(p, 5)
		}
		j.add(0, 25)
		for _, p := range append(turn, turn...) {
			j.idle(p, 0)
		}
		if j.through != 25 {
			t.Errorf("turns %v: closed through %d, want 25", turn, j.through)
		}
	}
}
