package state

import (
	"errors"
	"math"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/window"
)

// TestOverflow: a sum over the partitions that no signed 64-bit integer holds is an
// error, and nothing of what led to it reaches the disk.
func TestOverflow(t *testing.T) {
	for _, scope := range []window.Scope{window.AllTime, window.At(10)} {
		change := func(n uint64) Change { return Change{Kind: CountKind, Scope: scope, Drink: "tea", Count: n} }
		fs := vfs.NewMem()
		st, want := mustOpen(t, testOptions(fs)), newModel()
		for p, changes := range [][]Change{
			{change(math.MaxInt64 - 1), numbers(10, 1, 1), meta(NewMeta(1))},
			{change(1), numbers(10, 1, 1), meta(NewMeta(1))},
		} {
			mustApply(t, st, int32(p), 1, changes...)
			want.apply(int32(p), changes)
		}
		if top := mustTop(t, st, scope, 1); top[0].Count != math.MaxInt64 {
			t.Fatalf("the largest sum is %d", top[0].Count)
		}
		mustCheckpoint(t, st)
		half := []Change{numbers(10, 9, 9), count(20, "tea", 1), change(2), meta(NewMeta(2))}
		err := st.Apply(1, half, 2)
		if !errors.Is(err, ErrOverflow) || !errors.Is(err, ErrUnusable) || errors.Is(err, ErrCorrupt) {
			t.Fatalf("%v, want ErrOverflow and ErrUnusable", err)
		}
		for what, err := range map[string]error{
			"apply": st.Apply(0, nil, 2), "checkpoint": st.Checkpoint(false), "close": st.Close(),
		} {
			if !errors.Is(err, ErrOverflow) {
				t.Errorf("%s afterwards: %v, want what made the state unusable", what, err)
			}
		}
		st = mustOpen(t, testOptions(fs))
		want.check(t, st)
		want.checkStore(t, st)
		if err := st.Abandon(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTwiceIsOnce: values are absolute, so changes that are applied again change nothing,
// and an older position does not bring the position back.
func TestTwiceIsOnce(t *testing.T) {
	st, want := openMem(t), newModel()
	changes := []Change{
		total("tea", 3), numbers(0, 1, 3), count(0, "tea", 3), emitted(0, 0, 3), meta(NewMeta(1)),
		global(Global{CloseThrough: 10, Partitions: 1}), gone(0, "latte"), numbersGone(10), emittedGone(10),
	}
	want.apply(0, changes)
	for _, position := range []int64{9, 9, 4, 0} {
		mustApply(t, st, 0, position, changes...)
		want.check(t, st)
		if st.Position(0) != 9 {
			t.Errorf("position %d after one of %d, want 9", st.Position(0), position)
		}
	}
	want.checkStore(t, st)
}

// TestChangesAreNotKept: the caller may use them again.
func TestChangesAreNotKept(t *testing.T) {
	st, m, g := openMem(t), NewMeta(5), Global{Partitions: 2}
	changes := []Change{{Kind: MetaKind, Meta: &m}, {Kind: GlobalKind, Global: &g}}
	mustApply(t, st, 0, 1, changes...)
	m.Next, g.Partitions = 77, 77
	if mine, _ := st.Meta(0); mine.Next != 5 {
		t.Errorf("next %d, want 5", mine.Next)
	}
	if all, _ := st.Global(); all.Partitions != 2 {
		t.Errorf("%d partitions, want 2", all.Partitions)
	}
	mine, _ := st.Meta(0)
	mine.Next = 88
	st.Positions()[0] = 99
	if again, _ := st.Meta(0); again.Next != 5 || st.Position(0) != 1 {
		t.Errorf("answers are not copies: next %d, position %d", again.Next, st.Position(0))
	}
}

func TestVersion(t *testing.T) {
	st := openMem(t)
	before := st.Version()
	mustCheckpoint(t, st)
	mustTop(t, st, window.AllTime, 5)
	if st.Version() != before {
		t.Error("reading and checkpoints do not change answers")
	}
	mustApply(t, st, 0, 1, total("x", 1))
	if st.Version() == before {
		t.Error("the version did not rise with a change")
	}
}

// TestEmptyState: a state that holds nothing answers everything.
func TestEmptyState(t *testing.T) {
	st := openMem(t)
	newModel().check(t, st)
	newModel().checkStore(t, st)
	if tombstones, done, err := st.Expirable(0, math.MaxInt64, 5); len(tombstones) > 0 || !done || err != nil {
		t.Errorf("expirable: %v, %v, %v", tombstones, done, err)
	}
	if err := st.Sweep(); err != nil {
		t.Error(err)
	}
	if st.Position(3) != 0 || len(st.Positions()) > 0 || st.NewestClosed() != window.None {
		t.Error("it says that it has read something")
	}
}

func TestFingerprintDifference(t *testing.T) {
	f := Fingerprint{WindowSize: 10, Grace: 1, TimeField: "ts", TimeUnit: 1, LateMode: 0}
	cases := []struct {
		name       string
		change     func(*Fingerprint)
		changeable bool
	}{
		{"--window was 10ms and is now 20ms", func(g *Fingerprint) { g.WindowSize = 20 }, false},
		{`--time-field was "ts" and is now ""`, func(g *Fingerprint) { g.TimeField = "" }, false},
		{"--time-unit was number 1 and is now number 2", func(g *Fingerprint) { g.TimeUnit = 2 }, false},
		{`the mapping of records was that of orders and is now {name="x"}`, func(g *Fingerprint) { g.Mapping = `name="x"` }, false},
		{"--grace was 1ms and is now 5ms", func(g *Fingerprint) { g.Grace = 5 }, true},
		{"--late was dead-letter and is now amend", func(g *Fingerprint) { g.LateMode = 1 }, true},
		// What may not be changed is named first.
		{"--window was 10ms and is now 20ms", func(g *Fingerprint) { g.WindowSize, g.Grace, g.LateMode = 20, 5, 1 }, false},
		{"", func(*Fingerprint) {}, false},
	}
	for _, c := range cases {
		g := f
		c.change(&g)
		if what, changeable := f.Difference(g); what != c.name || changeable != c.changeable {
			t.Errorf("%q, %v, want %q, %v", what, changeable, c.name, c.changeable)
		}
	}
}

func TestCounters(t *testing.T) {
	m := goldenMeta()
	if got := m.Counters.AllTimeRecords(); got != 2+4+8 {
		t.Errorf("%d records of all time, want those counted, late and amended: 14", got)
	}
	if got := m.Counters.InvalidRecords(); got != 10*0x20+45 {
		t.Errorf("%d invalid records, want the sum of all reasons: %d", got, 10*0x20+45)
	}
}

func TestDefaults(t *testing.T) {
	opts := Options{}.withDefaults()
	if opts.FS != vfs.Default || opts.RankCapacity != 1000 || opts.RankWindows != 64 {
		t.Errorf("%+v", opts)
	}
}
