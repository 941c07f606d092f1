package state

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/window"
)

// checkAnswers compares what is answered without the lock, and what is not, with the
// model.
func (m *model) checkAnswers(t fataler, st *State) {
	t.Helper()
	m.checkView(t, st)
	for _, scope := range append(m.scopes(), window.At(-12340)) {
		all := m.top(scope)
		want, known := m.window(scope.Start)
		if scope.AllTime {
			want, known = Window{Drinks: uint64(len(all))}, len(all) > 0
		}
		for n := range len(all) + 3 {
			a, err := st.Ask(scope, n)
			if err != nil || a.Known != known || a.Window != want || !slices.Equal(a.Top, all[:min(n, len(all))]) {
				t.Fatalf("ask %d of %v: %+v, %v, want %+v, %v of %v", n, scope, a, err, want, known, all)
			}
		}
		m.checkPlaces(t, st, scope, all)
	}
}

func (m *model) checkPlaces(t fataler, st *State, scope window.Scope, all []Entry) {
	t.Helper()
	for i, e := range append(all, Entry{Drink: "no such drink"}) {
		want := []Place{{Count: e.Count, Rank: i + 1}, {}}
		if i >= st.RankCapacity() || e.Count == 0 {
			want[0].Rank = 0
		}
		got, _, err := st.Places(e.Drink, []window.Scope{scope, window.At(-12340)})
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("places of %q in %v: %+v, %v, want %+v", e.Drink, scope, got, err, want)
		}
	}
}

func (m *model) checkView(t fataler, st *State) {
	t.Helper()
	v, err := st.View()
	if err != nil || v.Version != st.Version() {
		t.Fatalf("view %+v, %v, version %d", v, err, st.Version())
	}
	if v.HasGlobal != (m.global != nil) || m.global != nil && v.Global != *m.global || v.NewestClosed != m.newestClosed() {
		t.Fatalf("view %+v, want %+v and %d", v, m.global, m.newestClosed())
	}
	open := m.unfinished(math.MaxInt64)
	if newest, ok := v.NewestOpen(); ok != (len(open) > 0) || ok && newest != open[len(open)-1] {
		t.Fatalf("newest open %d, %v, want of %v", newest, ok, open)
	}
	if v.Open != len(open) {
		t.Fatalf("%d open windows, want %d", v.Open, len(open))
	}
	for p := range int32(testPartitions + 1) {
		mine, ok := v.Meta(p)
		if want, known := m.metas[p]; ok != known || mine != want {
			t.Fatalf("meta of partition %d: %+v, %v, want %+v", p, mine, ok, want)
		}
	}
	if got := v.Totals(); got != m.totals() {
		t.Fatalf("totals %+v, want %+v", got, m.totals())
	}
	if got, want := v.Times(), m.times(); len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
		t.Fatalf("times %+v, want %+v", got, want)
	}
}

// TestViewWithoutLock asks while somebody holds the lock, as a large Apply does.
func TestViewWithoutLock(t *testing.T) {
	opts := testOptions(vfs.NewMem())
	opts.RankCapacity = 1000
	st := mustOpen(t, opts)
	defer func() { _ = st.Abandon() }()
	var changes []Change
	for i := range 200 {
		changes = append(changes, total(fmt.Sprint("drink", i), uint64(i+1)), count(0, fmt.Sprint("drink", i), uint64(i+1)))
	}
	mustApply(t, st, 0, 1, append(changes, numbers(0, 200, 1), numbers(10, 1, 1), count(10, "tea", 1))...)
	mustApply(t, st, 0, 2, emitted(0, 0, 1), global(Global{CloseThrough: 10, Partitions: 1}), meta(NewMeta(7)))

	st.mu.Lock()
	defer st.mu.Unlock()
	for scope, want := range map[window.Scope]Entry{window.AllTime: {"drink199", 200}, window.At(0): {"drink199", 200}, window.At(10): {"tea", 1}} {
		a, err := st.Ask(scope, maxHead)
		if err != nil || a.Top[0] != want || !scope.AllTime && a.Window.Start != scope.Start {
			t.Errorf("%v: %+v, %v", scope, a, err)
		}
	}
	v, err := st.View()
	if m, ok := v.Meta(0); err != nil || !ok || m.Next != 7 || v.Global.CloseThrough != 10 || v.NewestClosed != 0 {
		t.Errorf("view %+v, %v", v, err)
	}
	if a, _ := st.Ask(window.At(0), 10); !a.Window.Final {
		t.Errorf("no final: %+v", a.Window)
	}
}

// TestViewBounded opens more windows than there is room for heads: the newest stay, and
// all others are still answered.
func TestViewBounded(t *testing.T) {
	st := openMem(t)
	for i := range int64(maxHeads + 50) {
		start := i * 7919 % (maxHeads + 50) * testSize // in no order
		mustApply(t, st, 0, i+1, numbers(start, 1, 1), count(start, "tea", uint64(start+1)), total("tea", uint64(i+1)))
	}
	v, _ := st.View()
	if len(v.heads) > maxHeads+1 || v.heads[window.AllTime] == nil {
		t.Errorf("%d heads", len(v.heads))
	}
	for i := range int64(maxHeads + 50) {
		if kept := v.heads[window.At(i*testSize)] != nil; kept != (i >= 50) {
			t.Errorf("window %d is kept: %v", i, kept)
		}
		a, err := st.Ask(window.At(i*testSize), 1)
		if err != nil || len(a.Top) != 1 || a.Top[0].Count != uint64(i*testSize+1) {
			t.Errorf("window %d: %+v, %v", i, a, err)
		}
	}
}

// TestViewEnds asks a state that must not be used any more.
func TestViewEnds(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*State)
		want error
	}{
		"closed": {func(st *State) { _ = st.Close() }, ErrClosed},
		"failed": {func(st *State) { _ = st.Apply(0, []Change{total("tea", math.MaxUint64)}, 2) }, ErrOverflow},
		"damaged": {func(st *State) {
			err := fmt.Errorf("%w: a block", ErrCorrupt)
			st.found.Store(&err)
		}, ErrCorrupt},
	} {
		st := mustOpen(t, testOptions(vfs.NewMem()))
		mustApply(t, st, 0, 1, total("tea", 1))
		c.end(st)
		if _, err := st.View(); !errors.Is(err, c.want) {
			t.Errorf("%s: view says %v", name, err)
		}
		if _, err := st.Ask(window.AllTime, 1); !errors.Is(err, c.want) {
			t.Errorf("%s: ask says %v", name, err)
		}
		if _, _, err := st.List(0, 10, 1); !errors.Is(err, c.want) {
			t.Errorf("%s: list says %v", name, err)
		}
		if _, _, err := st.Places("tea", []window.Scope{window.AllTime}); !errors.Is(err, c.want) {
			t.Errorf("%s: places says %v", name, err)
		}
		_ = st.Abandon()
	}
}
