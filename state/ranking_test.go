package state

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"windowed/window"
)

// check compares a ranking with a full sort of all counts.
func (r *ranking) check(t fataler, counts map[string]uint64) {
	t.Helper()
	m := newModel()
	for drink, n := range counts {
		m.apply(0, []Change{total(drink, n)})
	}
	all := m.top(window.AllTime)
	if len(r.counts) != min(len(all), r.capacity) || r.tree.Len() != len(r.counts) {
		t.Fatalf("%d entries and %d counts of %d drinks, capacity %d", r.tree.Len(), len(r.counts), len(all), r.capacity)
	}
	if r.complete != (len(all) <= r.capacity) {
		t.Fatalf("complete: %v with %d drinks, capacity %d", r.complete, len(all), r.capacity)
	}
	for n := range len(all) + 3 {
		if can := n <= r.capacity || len(all) <= r.capacity; r.answers(n) != can {
			t.Fatalf("answers the first %d of %d: %v, capacity %d", n, len(all), r.answers(n), r.capacity)
		}
		want := all[:min(n, len(all), r.capacity)]
		if top := r.top(nil, n); !slices.Equal(top, want) {
			t.Fatalf("top %d: %v, want %v", n, top, want)
		}
		top, ok, err := storedRanking(r.append(nil), n)
		if err != nil || ok != r.answers(n) || ok && !slices.Equal(top, want) {
			t.Fatalf("top %d of the stored one: %v, %v, %v, want %v", n, top, ok, err, want)
		}
	}
}

// TestRankingAgainstSort updates drinks with growing counts, many of them equal, and
// stores and loads the ranking in between.
func TestRankingAgainstSort(t *testing.T) {
	drinks := rapid.SampledFrom([]string{"a", "b", "ä", "latte", "latte ", "mocha", "tea", "\x00", "z", "Z", "chai:all", "🍵"})
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 14).Draw(t, "capacity")
		r, counts := newRanking(capacity), make(map[string]uint64)
		r.check(t, counts)
		for range rapid.IntRange(1, 60).Draw(t, "updates") {
			drink := drinks.Draw(t, "drink")
			counts[drink] += rapid.SampledFrom([]uint64{1, 1, 1, 2, 7, 1 << 40}).Draw(t, "portions")
			r.update(drink, counts[drink])
			r.check(t, counts)
			if rapid.IntRange(0, 9).Draw(t, "load") > 0 {
				continue
			}
			loaded, err := loadRanking(r.append(nil), capacity)
			if err != nil || loaded == nil {
				t.Fatalf("load: %v, %v", loaded, err)
			}
			if other, err := loadRanking(r.append(nil), capacity+1); err != nil || other != nil {
				t.Fatalf("with another capacity: %v, %v, want none", other, err)
			}
			r = loaded
			r.check(t, counts)
		}
	})
}

// TestDamagedRanking: a stored ranking that is cut, or of a newer version, is no ranking.
func TestDamagedRanking(t *testing.T) {
	r := newRanking(3)
	for i, drink := range []string{"latte", "mocha", "tea", "chai"} {
		r.update(drink, uint64(i+1))
	}
	whole := r.append(nil)
	for n := range whole {
		if loaded, err := loadRanking(whole[:n], 3); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut to %d bytes: loaded %v, %v, want ErrCorrupt", n, loaded, err)
		}
		if top, ok, err := storedRanking(whole[:n], 3); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut to %d bytes: top %v, %v, %v, want ErrCorrupt", n, top, ok, err)
		}
	}
	size := slices.Clone(whole)
	size[9], size[10] = 0xFF, 0xFF
	if top, ok, err := storedRanking(size, 1<<30); !errors.Is(err, ErrCorrupt) {
		t.Errorf("of 4 billion entries: %v, %v, %v, want ErrCorrupt", top, ok, err)
	}
	if _, err := loadRanking(size, 3); !errors.Is(err, ErrCorrupt) {
		t.Errorf("load of 4 billion entries: %v, want ErrCorrupt", err)
	}
	whole[3] = 2
	if loaded, err := loadRanking(whole, 3); !errors.Is(err, ErrFormat) || errors.Is(err, ErrCorrupt) {
		t.Errorf("of a newer version: loaded %v, %v, want ErrFormat", loaded, err)
	}
}

// TestRankingOfAnotherCapacity: a store whose rankings were made with another capacity
// answers from the counts, whichever way the rankings come and go.
func TestRankingOfAnotherCapacity(t *testing.T) {
	fs, drinks, counts := vfs.NewMem(), []string{"a", "b", "c", "d", "e"}, make(map[string]uint64)
	want := newModel()
	position := int64(0)
	for _, capacity := range []int{2, 4, 9, 4, 2, 3, 9} {
		opts := testOptions(fs)
		opts.RankCapacity = capacity
		st := mustOpen(t, opts)
		for i, drink := range drinks {
			for _, n := range []int{0, 1, 2, 4, 6} {
				for _, scope := range []window.Scope{window.AllTime, window.At(10)} {
					if top := mustTop(t, st, scope, n); !slices.Equal(top, want.top(scope)[:min(n, len(counts))]) {
						t.Fatalf("capacity %d: top %d of %v is %v, want of %v", capacity, n, scope, top, want.top(scope))
					}
				}
			}
			counts[drink] += uint64(1 + (i*int(position))%3)
			position += 3
			changes := []Change{total(drink, counts[drink]), numbers(10, uint64(position), uint64(position)), count(10, drink, counts[drink])}
			mustApply(t, st, 0, position, changes...)
			want.apply(0, changes)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoRankingWithoutDrinks: numbers of late records, finals and tombstones come to
// windows without drinks. They must not push out rankings that are used, and nothing may
// stay in the store of a window that is gone.
func TestNoRankingWithoutDrinks(t *testing.T) {
	st := openMem(t)
	mustApply(t, st, 0, 1, numbers(0, 1, 1), count(0, "x", 1), total("x", 1))
	for i := range int64(20) {
		start := 10 * (i + 1)
		mustApply(t, st, 0, 2+i, lateNumbers(start, 1))
		mustApply(t, st, 0, 2+i, emitted(start, 0, 0))
		mustApply(t, st, 0, 2+i, numbersGone(start), gone(start, "y"))
		mustApply(t, st, 0, 2+i, emittedGone(start))
	}
	for _, scope := range []window.Scope{window.AllTime, window.At(0)} {
		if st.rankings.m[scope] == nil {
			t.Errorf("the ranking of %v was pushed out", scope)
		}
	}
	want := newModel()
	want.apply(0, []Change{numbers(0, 1, 1), count(0, "x", 1), total("x", 1)})
	want.checkStore(t, st)
}

// TestRankWindows: the rankings of the windows updated last stay in memory, with and
// without one of all time.
func TestRankWindows(t *testing.T) {
	for _, allTime := range []bool{false, true} {
		st := openMem(t)
		if allTime {
			mustApply(t, st, 0, 1, total("x", 1))
		}
		for i, start := range []int64{0, 10, 20, 0, 30, 10} {
			mustApply(t, st, 0, int64(i)+2, count(start, "x", uint64(i)+1))
		}
		var kept []string
		for scope := range st.rankings.m {
			kept = append(kept, fmt.Sprint(scope.Start, scope.AllTime))
		}
		slices.Sort(kept)
		want := []string{"10 false", "30 false"}
		if allTime {
			want = []string{"0 true", "10 false", "30 false"}
		}
		if !slices.Equal(kept, want) {
			t.Errorf("rankings in memory: %v, want %v", kept, want)
		}
	}
}

// TestScanThatMissedAChange: a scan that took a while is not kept if something was
// applied meanwhile, and neither if another scan was quicker.
func TestScanThatMissedAChange(t *testing.T) {
	st := openMem(t)
	mustApply(t, st, 0, 1, total("a", 1), numbers(0, 1, 1), count(0, "a", 1), emitted(10, 0, 1), count(10, "a", 1))
	for _, scope := range []window.Scope{window.AllTime, window.At(0), window.At(10)} {
		mustCheckpoint(t, st)
		r, err := scan(st.db, scope, 3)
		if err != nil {
			t.Fatal(err)
		}
		version := st.Version()
		mustApply(t, st, 0, 2, total("a", 5), count(0, "a", 5), count(10, "a", 5))
		st.rankings.drop(scope)
		if st.offer(scope, r, version); st.rankings.m[scope] != nil {
			t.Errorf("%v: an old ranking was kept", scope)
		}
		if top := mustTop(t, st, scope, 1); top[0].Count != 5 {
			t.Errorf("%v: %v, want 5", scope, top)
		}
		mustApply(t, st, 0, 3, total("a", 1), count(0, "a", 1), count(10, "a", 1))
	}
}

// TestRankingsSurviveRestart: the first answer after a restart needs no scan of a scope
// with more drinks than a ranking holds.
func TestRankingsSurviveRestart(t *testing.T) {
	opts := testOptions(vfs.NewMem())
	st := mustOpen(t, opts)
	for i := range uint64(9) {
		drink := fmt.Sprint(i)
		mustApply(t, st, 0, int64(i)+1, total(drink, i+1), numbers(10, i+1, i+1), count(10, drink, i+1))
		mustCheckpoint(t, st)
	}
	if err := st.Abandon(); err != nil {
		t.Fatal(err)
	}
	st = mustOpen(t, opts)
	defer func() { _ = st.Abandon() }()
	for _, scope := range []window.Scope{window.AllTime, window.At(10)} {
		top, ok, err := st.topLocked(scope, 3)
		if want := []Entry{{"8", 9}, {"7", 8}, {"6", 7}}; err != nil || !ok || !slices.Equal(top, want) {
			t.Errorf("%v: %v, %v, %v, want %v without a scan", scope, top, ok, err, want)
		}
	}
}

// TestTopBeyondTheEnd: any n is answered.
func TestTopBeyondTheEnd(t *testing.T) {
	st := openMem(t)
	for i := range 6 {
		mustApply(t, st, 0, int64(i)+1, total(fmt.Sprint(i), uint64(i)+1), count(0, fmt.Sprint(i), 1))
	}
	for _, scope := range []window.Scope{window.AllTime, window.At(0)} {
		for n, want := range map[int]int{-1 << 63: 0, -1: 0, 0: 0, 1: 1, 3: 3, 4: 4, 6: 6, 7: 6, 1 << 40: 6} {
			if top := mustTop(t, st, scope, n); len(top) != want {
				t.Errorf("top %d of %v has %d entries, want %d", n, scope, len(top), want)
			}
		}
	}
	if top := mustTop(t, st, window.At(10), 5); len(top) != 0 {
		t.Errorf("top of a window without drinks: %v", top)
	}
}
