package state

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"windowed/window"
)

// TestLatest compares with a map: keys of several scopes and of none, values of any length,
// tombstones, and what is kept of it for the next records.
func TestLatest(t *testing.T) {
	keys := rapid.Custom(func(t *rapid.T) string {
		drink := rapid.SampledFrom([]string{"tea", "latte", "a:b", ""}).Draw(t, "drink")
		if i := rapid.IntRange(0, 40).Draw(t, "other"); i > 20 {
			drink = fmt.Sprint("drink ", i)
		}
		return drink + rapid.SampledFrom([]string{":all", ":0", ":10", "", ":x", "\xffm"}).Draw(t, "scope")
	})
	var l latest
	rapid.Check(t, func(t *rapid.T) {
		l.clear()
		want := make(map[string][]byte)
		for range rapid.IntRange(0, 300).Draw(t, "records") {
			key := keys.Draw(t, "key")
			value := rapid.SampledFrom([][]byte{nil, {}, []byte("1"), []byte("12345678"), []byte("abcdefgh")}).Draw(t, "value")
			l.put([]byte(key), value)
			want[key] = value
		}
		if len(l.records) != len(want) {
			t.Fatalf("%d keys, want %d", len(l.records), len(want))
		}
		scope, done := uint32(0), make(map[uint32]bool)
		for _, i := range l.byScope() {
			r := &l.records[i]
			if done[i] || r.scope < scope {
				t.Fatalf("record %d comes twice, or scope %d behind %d", i, r.scope, scope)
			}
			done[i], scope = true, r.scope
			value, ok := want[string(l.key(r))]
			if got := l.get(r); !ok || string(got) != string(value) || (got == nil) != (value == nil) {
				t.Fatalf("%q is %q, want %q", l.key(r), got, value)
			}
			if r.scope > 0 {
				drink, s, err := window.ParseKey(l.key(r))
				if err != nil || s != l.scopes[r.scope-1] || len(drink) != int(r.drink) {
					t.Fatalf("%q is %d bytes in scope %v (%v)", l.key(r), r.drink, l.scopes[r.scope-1], err)
				}
			}
		}
		if len(done) != len(want) {
			t.Fatalf("%d records in order, want %d", len(done), len(want))
		}
	})
}

// TestTailRanks applies parts of a changelog with counts that fall: every top list is that of
// the counts.
func TestTailRanks(t *testing.T) {
	scopes := rapid.SampledFrom([]window.Scope{window.AllTime, window.At(0), window.At(10), window.At(20)})
	rapid.Check(t, func(t *rapid.T) {
		st, m := mustOpen(t, testOptions(vfs.NewMem())), newModel()
		defer st.Abandon()
		var position int64
		for range rapid.IntRange(1, 6).Draw(t, "parts") {
			p, scope := int32(rapid.IntRange(0, 2).Draw(t, "partition")), scopes.Draw(t, "scope")
			most := rapid.SampledFrom([]int{3, 30, 100}).Draw(t, "most")
			var changes []Change
			for i := range rapid.IntRange(1, most).Draw(t, "drinks") {
				c := Change{Kind: CountKind, Scope: scope, Drink: fmt.Sprint("drink ", i), Count: uint64(rapid.IntRange(1, 50).Draw(t, "count"))}
				if rapid.IntRange(0, 9).Draw(t, "fate") == 0 {
					c.Count, c.Deleted = 0, true
				}
				changes = append(changes, c)
			}
			tail := new(Tail)
			for i := range changes {
				var value []byte
				if !changes[i].Deleted {
					value = changes[i].AppendValue(nil)
				}
				tail.Add(changes[i].AppendKey(nil), value)
			}
			position++
			if err := tail.Apply(st, p, position); err != nil {
				t.Fatal(err)
			}
			m.apply(p, changes)
			if rapid.IntRange(0, 3).Draw(t, "checkpoint") == 0 {
				mustCheckpoint(t, st)
			}
		}
		m.check(t, st)
	})
}

// TestTailRefuses: a record that cannot be right is an error, and nothing is applied.
func TestTailRefuses(t *testing.T) {
	for name, r := range map[string][2][]byte{
		"no key":          {nil, []byte("12345678")},
		"no scope":        {[]byte("tea"), []byte("\x00\x00\x00\x00\x00\x00\x00\x01")},
		"a short count":   {[]byte("tea:all"), []byte("1")},
		"a count of 0":    {[]byte("tea:all"), make([]byte, 8)},
		"a huge count":    {[]byte("tea:all"), []byte("\x80\x00\x00\x00\x00\x00\x00\x01")},
		"a strange entry": {[]byte("\xffz"), []byte("1")},
	} {
		st, tail := mustOpen(t, testOptions(vfs.NewMem())), new(Tail)
		good := total("latte", 1)
		tail.Add(good.AppendKey(nil), good.AppendValue(nil))
		tail.Add(r[0], r[1])
		if err := tail.Apply(st, 0, 2); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v, want ErrFormat", name, err)
		}
		if st.Position(0) != 0 {
			t.Errorf("%s: position %d", name, st.Position(0))
		}
		if err := st.Close(); err != nil {
			t.Errorf("%s: the state is of no use: %v", name, err)
		}
	}
}
