package state

import (
	"fmt"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/window"
)

// fataler is what a *testing.T and a *rapid.T share.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// fatal is what a testLogger panics with when Pebble gives up.
type fatal string

// testLogger keeps Pebble's errors. A Fatalf ends the process in real life.
type testLogger struct {
	mu     sync.Mutex
	errors []string
}

func (l *testLogger) Infof(string, ...any) {}

func (l *testLogger) Errorf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errors = append(l.errors, fmt.Sprintf(format, args...))
}

func (l *testLogger) Fatalf(format string, args ...any) { panic(fatal(fmt.Sprintf(format, args...))) }

// testSize is the window size of most tests.
const testSize = 10

// testOptions have rankings so small that every way of dropping them runs.
func testOptions(fs vfs.FS) Options {
	return Options{
		FS: fs, Window: window.Lifecycle{Size: testSize, Retention: 30},
		RankCapacity: 3, RankWindows: 2, Logger: &testLogger{},
	}
}

func mustOpen(t fataler, opts Options) *State {
	t.Helper()
	st, err := Open("state", opts)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return st
}

// openMem is an empty state in memory that closes with the test.
func openMem(t testing.TB) *State {
	t.Helper()
	st := mustOpen(t, testOptions(vfs.NewMem()))
	t.Cleanup(func() {
		if err := st.Abandon(); err != nil {
			t.Error(err)
		}
	})
	return st
}

func mustApply(t fataler, st *State, p int32, position int64, changes ...Change) {
	t.Helper()
	if err := st.Apply(p, changes, position); err != nil {
		t.Fatalf("apply: %v", err)
	}
}

func mustCheckpoint(t fataler, st *State) {
	t.Helper()
	if err := st.Checkpoint(true); err != nil {
		t.Fatalf("checkpoint: %v", err)
	}
}

func mustTop(t fataler, st *State, scope window.Scope, n int) []Entry {
	t.Helper()
	top, err := st.Top(scope, n)
	if err != nil {
		t.Fatalf("top %d of %v: %v", n, scope, err)
	}
	return top
}

// Changes, in short.

func count(start int64, drink string, n uint64) Change {
	return Change{Kind: CountKind, Scope: window.At(start), Drink: drink, Count: n}
}

func total(drink string, n uint64) Change {
	return Change{Kind: CountKind, Scope: window.AllTime, Drink: drink, Count: n}
}

func gone(start int64, drink string) Change {
	return Change{Kind: CountKind, Scope: window.At(start), Drink: drink, Deleted: true}
}

func numbers(start int64, records, portions uint64) Change {
	return Change{Kind: NumbersKind, Scope: window.At(start), Numbers: &window.Numbers{Records: records, Portions: portions}}
}

func lateNumbers(start int64, records uint64) Change {
	return Change{Kind: NumbersKind, Scope: window.At(start), Numbers: &window.Numbers{LateRecords: records, LatePortions: records}}
}

func numbersGone(start int64) Change {
	return Change{Kind: NumbersKind, Scope: window.At(start), Deleted: true}
}

func emitted(start int64, revision uint32, total uint64) Change {
	return Change{Kind: EmittedKind, Scope: window.At(start), Emitted: &Emitted{Revision: revision, Total: total}}
}

func emittedGone(start int64) Change {
	return Change{Kind: EmittedKind, Scope: window.At(start), Deleted: true}
}

func meta(m Meta) Change { return Change{Kind: MetaKind, Meta: &m} }

func global(g Global) Change { return Change{Kind: GlobalKind, Global: &g} }
