package state

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/window"
)

// looseLog is a changelog partition written without transactions.
type looseLog struct {
	keys, values [][]byte
}

func (l *looseLog) write(changes ...Change) {
	for i := range changes {
		l.keys = append(l.keys, changes[i].AppendKey(nil))
		var value []byte
		if !changes[i].Deleted {
			value = changes[i].AppendValue(nil)
		}
		l.values = append(l.values, value)
	}
}

// readInto reads the log into an empty state in pieces of n records.
func (l *looseLog) readInto(t *testing.T, n int) (*State, *Tail) {
	t.Helper()
	st, tail := mustOpen(t, testOptions(vfs.NewMem())), new(Tail)
	for i := range l.keys {
		key, value := bytes.Clone(l.keys[i]), bytes.Clone(l.values[i])
		tail.AddLoose(int64(i), key, value)
		clear(key) // they are whoever's it read them from
		clear(value)
		if i%n == n-1 || i == len(l.keys)-1 {
			if err := tail.Apply(st, 0, int64(i+1)); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Cleanup(func() { _ = st.Close() })
	return st, tail
}

func metaAt(next int64) Change {
	m := NewMeta(next)
	return Change{Kind: MetaKind, Meta: &m}
}

// TestTailCut cuts a commit that is no transaction at every record: what there is of it
// must not be in the state, and can be repaired.
func TestTailCut(t *testing.T) {
	whole := []Change{total("latte", 1), total("tea", 1), metaAt(1)}
	second := []Change{total("latte", 5), total("mocha", 7), {Kind: NumbersKind, Scope: window.At(0), Numbers: &window.Numbers{Records: 1}}, metaAt(2)}
	for n := range second {
		for piece := 1; piece < 5; piece++ {
			t.Run(fmt.Sprintf("%d records in pieces of %d", n, piece), func(t *testing.T) {
				var log looseLog
				log.write(whole...)
				log.write(second[:n]...)
				st, tail := log.readInto(t, piece)
				mustHold(t, st, 1, map[string]uint64{"latte": 1, "tea": 1})
				if st.Position(0) != int64(len(whole)) {
					t.Errorf("position %d, not before the cut commit", st.Position(0))
				}
				cut, err := tail.Cut()
				if err != nil || len(cut) != n {
					t.Fatalf("%d records are cut, not %d (%v)", len(cut), n, err)
				}
				now, err := st.Current(0, cut)
				if err != nil {
					t.Fatal(err)
				}
				// What the owner writes then, and another commit.
				log.write(append(now, metaAt(1))...)
				st, _ = log.readInto(t, piece)
				mustHold(t, st, 1, map[string]uint64{"latte": 1, "tea": 1})
				log.write(total("tea", 3), metaAt(3))
				st, tail = log.readInto(t, piece)
				mustHold(t, st, 3, map[string]uint64{"latte": 1, "tea": 3})
				if cut, _ := tail.Cut(); len(cut) != 0 || st.Position(0) != int64(len(log.keys)) {
					t.Errorf("%d records are cut, position %d of %d", len(cut), st.Position(0), len(log.keys))
				}
			})
		}
	}
}

// TestTailRepairedByTransaction reads a cut commit that the owner repaired in a
// transaction.
func TestTailRepairedByTransaction(t *testing.T) {
	st, tail := mustOpen(t, testOptions(vfs.NewMem())), new(Tail)
	t.Cleanup(func() { _ = st.Close() })
	for i, c := range []Change{total("latte", 5), total("tea", 5)} {
		tail.AddLoose(int64(i), c.AppendKey(nil), c.AppendValue(nil))
	}
	for _, c := range []Change{total("latte", 1), metaAt(4)} {
		tail.Add(c.AppendKey(nil), c.AppendValue(nil))
	}
	if err := tail.Apply(st, 0, 4); err != nil {
		t.Fatal(err)
	}
	mustHold(t, st, 4, map[string]uint64{"latte": 1})
	if st.Position(0) != 4 {
		t.Errorf("position %d", st.Position(0))
	}
}

// TestTailHolds bounds what is held: a compacted log may have no meta before its end.
func TestTailHolds(t *testing.T) {
	var tail Tail
	for i := range maxHeld + 2 {
		c := total(fmt.Sprint(i), 1)
		tail.AddLoose(int64(i), c.AppendKey(nil), c.AppendValue(nil))
	}
	if len(tail.held) > maxHeld || tail.Len() < maxHeld/2 {
		t.Errorf("%d records are held, %d taken", len(tail.held), tail.Len())
	}
}

// mustHold checks the all-time counts of partition 0 and its next input offset.
func mustHold(t *testing.T, st *State, next int64, counts map[string]uint64) {
	t.Helper()
	m, _ := st.Meta(0)
	top, err := st.Top(window.AllTime, 100)
	if err != nil || m.Next != next || len(top) != len(counts) {
		t.Fatalf("next %d, %v (%v); want %d, %v", m.Next, top, err, next, counts)
	}
	for _, e := range top {
		if counts[e.Drink] != e.Count {
			t.Errorf("%s is %d, want %d", e.Drink, e.Count, counts[e.Drink])
		}
	}
}
