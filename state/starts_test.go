package state

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"windowed/watermark"
	"windowed/window"
)

// TestStarts compares the ordered set with a plain list.
func TestStarts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := newStarts(testSize)
		var all []int64
		for range rapid.IntRange(0, 12).Draw(t, "changes") {
			start, in := 10*rapid.Int64Range(-5, 5).Draw(t, "start"), rapid.Bool().Draw(t, "in")
			set.set(start, in)
			all = slices.DeleteFunc(all, func(s int64) bool { return s == start })
			if in {
				all = append(all, start)
			}
		}
		slices.Sort(all)
		bounds := rapid.OneOf(rapid.Int64Range(-70, 70), rapid.Just(window.None))
		after, through := bounds.Draw(t, "after"), bounds.Draw(t, "through")
		want := slices.ContainsFunc(all, func(s int64) bool { return s+testSize > after && s+testSize <= through })
		if got := set.AnyEnd(after, through); got != want {
			t.Fatalf("an end in (%d, %d]: %v of %v", after, through, got, all)
		}
		newest, ok := set.NewestEnd()
		if ok != (len(all) > 0) || ok && newest != all[len(all)-1]+testSize {
			t.Fatalf("newest end %d, %v of %v", newest, ok, all)
		}
		limit := rapid.IntRange(0, 5).Draw(t, "limit")
		var ended []int64
		for _, s := range all {
			if s+testSize <= through && len(ended) < limit {
				ended = append(ended, s)
			}
		}
		if got := set.through(nil, through, limit); !slices.Equal(got, ended) {
			t.Fatalf("at most %d through %d: %v of %v", limit, through, got, all)
		}
	})
}

// TestRaise: the rule of package watermark, with the partitions and the open windows
// that the state knows.
func TestRaise(t *testing.T) {
	st := openMem(t)
	rule := watermark.Idleness{Timeout: 60, Grace: 10}
	if got := st.Raise(0, rule, 1000); got != window.None {
		t.Errorf("without a global record: %d", got)
	}
	mustApply(t, st, 0, 1, global(Global{CloseThrough: window.None, Partitions: 2}))
	if got := st.Raise(2, rule, 1000); got != window.None {
		t.Errorf("a partition that does not take part yet: %d", got)
	}
	m := NewMeta(1)
	m.Time = watermark.Partition{Watermark: 45, CloseThrough: 35}
	mustApply(t, st, 0, 2, numbers(20, 1, 1), count(20, "x", 1), meta(m))
	if got := st.Raise(1, rule, 1000); got != 35 {
		t.Errorf("raised to %d, want 35: a window ends at 30", got)
	}
	mustApply(t, st, 0, 3, emitted(20, 0, 1))
	if got := st.Raise(1, rule, 1000); got != window.None {
		t.Errorf("raised to %d although no window is open", got)
	}
	mustApply(t, st, 0, 4, numbers(50, 1, 1), count(50, "x", 1))
	if got := st.Raise(1, rule, 1000); got != window.None {
		t.Errorf("raised to %d although the open window ends later", got)
	}
	m.Time.Idle = true
	mustApply(t, st, 0, 5, meta(m))
	if got := st.Raise(1, rule, 1000); got != 60 {
		t.Errorf("raised to %d, want 60, the end of the newest open window: all are idle", got)
	}
}
