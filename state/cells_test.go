package state

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/window"
)

// TestCellsAreBounded: neither writes nor reads, of keys that are there or not, make the
// layer grow beyond its bound while nothing is dirty.
func TestCellsAreBounded(t *testing.T) {
	st, want := mustOpen(t, testOptions(vfs.NewMem())), newModel()
	defer func() { _ = st.Abandon() }()
	st.cells.maxClean = 50
	st.counts.maxUsed, st.counts.maxDrinks = 100, 60
	for i := range int64(40) {
		var changes []Change
		for d := range 10 {
			changes = append(changes, total(fmt.Sprint(i, d), uint64(d)+1), count(10*i, fmt.Sprint(d), uint64(d)+1))
		}
		changes = append(changes, numbers(10*i, 10, 55), emitted(10*i, 0, 55))
		mustApply(t, st, 0, i+1, changes...)
		want.apply(0, changes)
		checkCells(t, st)
		if i%3 == 0 {
			mustCheckpoint(t, st)
			if len(st.cells.m) > 50 || st.counts.used > 100 || st.counts.drinks.len() > 60 {
				t.Fatalf("%d cells, %d counts and %d drinks after a checkpoint", len(st.cells.m), st.counts.used, st.counts.drinks.len())
			}
		}
	}
	mustCheckpoint(t, st)
	for i := range 1000 {
		start := int64(10 * i)
		if _, err := st.Count(1, fmt.Sprint("nobody ordered ", i), window.At(start)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := st.Window(start); err != nil {
			t.Fatal(err)
		}
		mustTop(t, st, window.At(start), 5)
		if checkCells(t, st); len(st.cells.m) > 50 || st.counts.used > 100 {
			t.Fatalf("%d cells and %d counts after reads", len(st.cells.m), st.counts.used)
		}
	}
	want.check(t, st) // with a full layer
	for i := range int64(40) {
		changes := []Change{count(10*i, "0", 7), count(10*i, "new", 1), gone(10*i, "9"), numbers(10*i, 12, 60)}
		mustApply(t, st, 0, 100+i, changes...)
		want.apply(0, changes)
	}
	want.check(t, st)
	want.checkStore(t, st)
}

// TestDirty counts the keys that the next checkpoint writes, each once.
func TestDirty(t *testing.T) {
	st := openMem(t)
	if st.Dirty() != 0 {
		t.Errorf("%d dirty keys in a new state", st.Dirty())
	}
	for i := range int64(3) {
		mustApply(t, st, 0, i+1, total("x", uint64(i)+1)) // the count, its sum, the number of drinks
		if st.Dirty() != 3 {
			t.Errorf("%d dirty keys, want 3", st.Dirty())
		}
	}
	mustCheckpoint(t, st)
	if st.Dirty() != 0 {
		t.Errorf("%d dirty keys after a checkpoint", st.Dirty())
	}
	mustApply(t, st, 0, 9, total("x", 3))
	if st.Dirty() != 0 {
		t.Errorf("%d dirty keys of a count that was set to what it was", st.Dirty())
	}
}
