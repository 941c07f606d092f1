package state

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"windowed/window"
)

// TestExpirable expires windows of any size in chunks of any size, with the tombstones of
// each chunk applied before the next is asked for.
func TestExpirable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st, want := mustOpen(t, testOptions(vfs.NewMem())), newModel()
		defer func() { _ = st.Abandon() }()
		through := 10 * rapid.Int64Range(-3, 6).Draw(t, "through")
		through += rapid.Int64Range(0, 9).Draw(t, "and")
		var all []Change // the tombstones to expect
		for start := int64(-20); start <= 40; start += 10 {
			drinks := rapid.IntRange(-1, 6).Draw(t, "drinks")
			if drinks < 0 {
				continue // no such window
			}
			changes := []Change{lateNumbers(start, 1)}
			for i := range drinks {
				changes = append(changes, count(start, fmt.Sprint(i), 1))
				if start+testSize <= through {
					all = append(all, gone(start, fmt.Sprint(i)))
				}
			}
			if start+testSize <= through {
				all = append(all, numbersGone(start))
			}
			for p := range int32(2) {
				mustApply(t, st, p, start+100, changes...)
				want.apply(p, changes)
			}
		}
		limit := rapid.IntRange(1, 8).Draw(t, "limit")
		var got []Change
		for chunk, done := 0, false; !done; chunk++ {
			if chunk > len(all)+1 {
				t.Fatal("it does not end")
			}
			tombstones, last, err := st.Expirable(1, through, limit)
			if err != nil {
				t.Fatalf("%v", err)
			}
			if again, _, _ := st.Expirable(1, through, limit); !slices.Equal(again, tombstones) {
				t.Fatalf("the same again: %v, was %v", again, tombstones)
			}
			drinks := 0
			for _, c := range tombstones {
				if c.Kind == CountKind {
					drinks++
				}
			}
			if drinks > limit || len(tombstones) == 0 && !last {
				t.Fatalf("%d drinks in a chunk of %d, done %v", drinks, len(tombstones), last)
			}
			got, done = append(got, tombstones...), last
			mustApply(t, st, 1, 200, tombstones...)
			if rapid.IntRange(0, 2).Draw(t, "checkpoint") == 0 {
				mustCheckpoint(t, st)
			}
		}
		sortDrinks(got)
		if !slices.Equal(got, all) {
			t.Fatalf("tombstones %v, want %v", got, all)
		}
		want.apply(1, all)
		want.check(t, st)
		want.checkStore(t, st)
		if tombstones, done, err := st.Expirable(1, through, limit); len(tombstones) > 0 || !done || err != nil {
			t.Fatalf("behind the last chunk: %v, %v, %v", tombstones, done, err)
		}
		if st.ExpiryDue(1, window.None, through) {
			t.Fatal("due although all is gone")
		}
	})
}

// sortDrinks puts the drinks of each window in order, which they need not be in.
func sortDrinks(tombstones []Change) {
	for i := range tombstones {
		tombstones[i].Mark = 0
	}
	for from := 0; from < len(tombstones); {
		to := from + 1
		for to < len(tombstones) && tombstones[to].Kind == CountKind && tombstones[to].Scope == tombstones[from].Scope {
			to++
		}
		if tombstones[from].Kind == CountKind {
			slices.SortFunc(tombstones[from:to], func(a, b Change) int { return strings.Compare(a.Drink, b.Drink) })
		}
		from = to
	}
}

func TestExpiryDue(t *testing.T) {
	st := openMem(t)
	mustApply(t, st, 0, 1, numbers(20, 1, 1), count(20, "x", 1))
	mustApply(t, st, 1, 1, numbers(-20, 1, 1), count(-20, "x", 1))
	cases := []struct {
		p             int32
		from, through int64
		want          bool
	}{
		{0, window.None, 29, false},
		{0, window.None, 30, true},
		{0, 20, 30, true},
		{0, 29, 30, true},
		{0, 30, 30, false}, // it has done that
		{0, 30, 39, false}, // no window ends between them
		{0, 31, 1000, true},
		{0, 40, 30, false},
		{1, window.None, -11, false},
		{1, window.None, -10, true},
		{1, -20, -11, false},
		{1, -11, -10, true},
		{2, window.None, 1000, false}, // has no keys, and no window has a final
	}
	for _, c := range cases {
		if got := st.ExpiryDue(c.p, c.from, c.through); got != c.want {
			t.Errorf("partition %d, from %d through %d: %v, want %v", c.p, c.from, c.through, got, c.want)
		}
	}
	mustApply(t, st, 0, 2, emitted(0, 0, 1))
	if st.ExpiryDue(2, window.None, 9) || !st.ExpiryDue(2, window.None, 10) {
		t.Error("a partition without keys must say that it has expired a window with a final, and none before")
	}
	if st.EmittedThrough(9) || !st.EmittedThrough(10) {
		t.Error("the window with a final ends at 10")
	}
}

// TestExpiryDueIsALowerBound: a tombstone tells a store that a final is gone, not where the
// next one is. It says yes there until all have expired so far and it looks.
func TestExpiryDueIsALowerBound(t *testing.T) {
	st := openMem(t)
	m := NewMeta(1)
	m.ExpiredThrough = 10
	mustApply(t, st, 0, 1, emitted(0, 0, 1), emitted(50, 0, 1), global(Global{CloseThrough: 60, Partitions: 1}), meta(m))
	mustApply(t, st, 0, 2, emittedGone(0))
	if !st.ExpiryDue(0, 10, 20) {
		t.Error("the oldest final is known too well: say so where it is a lower bound")
	}
	m.ExpiredThrough = 20
	mustApply(t, st, 0, 3, meta(m))
	if gone, err := st.Forgettable(9); len(gone) > 0 || err != nil {
		t.Errorf("forgettable: %v, %v", gone, err)
	}
	if st.ExpiryDue(0, 20, 59) {
		t.Error("due, though the oldest final ends at 60")
	}
	if !st.ExpiryDue(0, 20, 60) {
		t.Error("not due, though a final ends at 60")
	}
}

// TestForgettable: the record of a final goes when every partition that takes part says
// that the window has expired.
func TestForgettable(t *testing.T) {
	st := openMem(t)
	for start := int64(0); start < 50; start += 10 {
		mustApply(t, st, 0, start+1, emitted(start, 0, 1))
	}
	expired := func(p int32, through int64) {
		m := NewMeta(1)
		m.ExpiredThrough = through
		mustApply(t, st, p, 100, meta(m))
	}
	forgettable := func(limit int, want ...int64) []Change {
		t.Helper()
		tombstones, err := st.Forgettable(limit)
		if err != nil {
			t.Fatal(err)
		}
		var all []Change
		for _, start := range want {
			all = append(all, emittedGone(start))
		}
		if !slices.Equal(tombstones, all) {
			t.Errorf("forgettable: %v, want %v", tombstones, all)
		}
		return tombstones
	}
	forgettable(9) // no global record
	mustApply(t, st, 0, 100, global(Global{CloseThrough: 50, Partitions: 2}))
	forgettable(9) // no metas
	expired(0, 35)
	forgettable(9) // one has none yet
	expired(1, window.None)
	forgettable(9)
	expired(1, 9)
	forgettable(9)
	expired(1, 10)
	forgettable(9, 0)
	forgettable(9, 0) // not applied yet
	expired(1, 40)
	expired(2, 5) // takes no part
	forgettable(2, 0, 10)
	forgettable(2, 0, 10)
	mustApply(t, st, 0, 101, forgettable(2, 0, 10)...)
	mustApply(t, st, 0, 102, forgettable(2, 20)...)
	forgettable(2)
	expired(0, 50)
	mustApply(t, st, 0, 103, forgettable(2, 30)...)
	if st.NewestClosed() != 40 {
		t.Errorf("newest closed %d, want 40", st.NewestClosed())
	}
	if st.EmittedThrough(49) || !st.EmittedThrough(50) {
		t.Error("the one window with a final ends at 50")
	}
}

// TestSweep: a store that was away while windows expired, and any of their tombstones
// with them, holds nothing of them after a restore (KAFKA-20663, KAFKA-9481, KAFKA-8522).
func TestSweep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs := vfs.NewMem()
		st, want := mustOpen(t, testOptions(fs)), newModel()
		defer func() { _ = st.Abandon() }()
		for p := range int32(testPartitions) {
			expired := 10*rapid.Int64Range(-2, 4).Draw(t, "expired through") + rapid.Int64Range(0, 1).Draw(t, "and")
			var old, rest []Change
			for start := int64(-20); start <= 20; start += 10 {
				drinks := rapid.SliceOfDistinct(rapid.SampledFrom(machineDrinks), rapid.ID).Draw(t, "drinks")
				changes := []Change{numbers(start, uint64(len(drinks)), uint64(len(drinks)))}
				for _, drink := range drinks {
					changes = append(changes, count(start, drink, 1))
				}
				old = append(old, changes...)
				for _, c := range changes {
					if start+testSize > expired {
						continue
					}
					if c.Deleted, c.Count, c.Numbers = true, 0, nil; rapid.Bool().Draw(t, "tombstone is still there") {
						rest = append(rest, c)
					}
				}
				if start+testSize > expired {
					want.apply(p, changes)
				}
			}
			mustApply(t, st, p, 100, old...)
			m := NewMeta(7)
			m.ExpiredThrough = expired
			mustApply(t, st, p, 200, append(rest, meta(m))...)
			want.apply(p, []Change{meta(m)})
		}
		if rapid.Bool().Draw(t, "restart") {
			if err := st.Close(); err != nil {
				t.Fatalf("close: %v", err)
			}
			st = mustOpen(t, testOptions(fs))
		}
		for range 2 {
			if err := st.Sweep(); err != nil {
				t.Fatalf("sweep: %v", err)
			}
			want.check(t, st)
			want.checkStore(t, st)
		}
		if st.Position(0) != 200 {
			t.Fatalf("position %d after a sweep, want 200", st.Position(0))
		}
	})
}

// TestSweepInChunks sweeps more drinks than one chunk holds.
func TestSweepInChunks(t *testing.T) {
	st := openMem(t)
	var changes []Change
	for i := range sweepChunk + 5 {
		changes = append(changes, count(0, fmt.Sprint(i), 1), count(10, fmt.Sprint(i), 1))
	}
	m := NewMeta(1)
	m.ExpiredThrough = 10
	mustApply(t, st, 0, 1, append(changes, numbers(0, 1, 1), numbers(10, 1, 1), meta(m))...)
	if err := st.Sweep(); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := st.Window(0); ok || err != nil {
		t.Errorf("the expired window is still there: %v, %v", ok, err)
	}
	if w, ok, err := st.Window(10); !ok || err != nil || w.Drinks != sweepChunk+5 {
		t.Errorf("the other window: %+v, %v, %v", w, ok, err)
	}
	for _, c := range []struct {
		start int64
		want  int
	}{{0, 0}, {10, sweepChunk + 5}} {
		mustCheckpoint(t, st)
		n := 0
		err := st.each(appendCountPrefix(nil, 0, window.At(c.start)), func(_, _ []byte) error {
			n++
			return nil
		})
		if err != nil || n != c.want {
			t.Errorf("%d counts of %d in the store, %v, want %d", n, c.start, err, c.want)
		}
	}
}

func TestLiveStops(t *testing.T) {
	st := openMem(t)
	mustApply(t, st, 0, 1, total("a", 1), total("b", 1), meta(NewMeta(1)))
	stop, seen := errors.New("enough"), 0
	_, err := st.Live(0, func(_, _ []byte) error {
		seen++
		return stop
	})
	if !errors.Is(err, stop) || seen != 1 {
		t.Errorf("%v after %d records, want it to stop at the first", err, seen)
	}
	if n, err := st.Live(7, func(_, _ []byte) error { return stop }); n != 0 || err != nil {
		t.Errorf("a partition without records: %d, %v", n, err)
	}
}
