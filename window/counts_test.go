package window

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// countsModel is Counts as plain maps.
type countsModel struct {
	counts  map[Scope]map[string]uint64
	numbers map[int64]Numbers
}

func newCountsModel() *countsModel {
	return &countsModel{
		counts: make(map[Scope]map[string]uint64), numbers: make(map[int64]Numbers),
	}
}

func (m *countsModel) add(scope Scope, drink string, portions uint64) {
	if m.counts[scope] == nil {
		m.counts[scope] = make(map[string]uint64)
	}
	m.counts[scope][drink] += portions
}

func (m *countsModel) starts() []int64 {
	set := make(map[int64]bool)
	for start := range m.numbers {
		set[start] = true
	}
	for scope := range m.counts {
		if !scope.AllTime {
			set[scope.Start] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// check compares everything a Counts tells with the model.
func (m *countsModel) check(t interface{ Fatalf(string, ...any) }, c *Counts) {
	if starts := m.starts(); !slices.Equal(c.Starts(), starts) {
		t.Fatalf("starts %v, want %v", c.Starts(), starts)
	}
	if empty := len(m.counts) == 0 && len(m.numbers) == 0; c.Empty() != empty {
		t.Fatalf("empty: %v, want %v", c.Empty(), empty)
	}
	scopes := []Scope{AllTime, At(-987)} // and a window nothing was added to
	for _, start := range m.starts() {
		scopes = append(scopes, At(start))
		if c.Numbers(start) != m.numbers[start] {
			t.Fatalf("numbers of %d: %+v, want %+v", start, c.Numbers(start), m.numbers[start])
		}
	}
	if n := c.Numbers(-987); n != (Numbers{}) {
		t.Fatalf("numbers of a window nothing was added to: %+v", n)
	}
	keys, all := 0, len(m.counts[AllTime])
	for _, counts := range m.counts {
		keys += len(counts)
	}
	if got := c.Keys(); got < keys || got > keys-all+min(c.Names().Len(), keys) {
		t.Fatalf("%d keys, %d of them of all time; got %d", keys, all, got)
	}
	for _, scope := range scopes {
		var drinks []string
		c.Each(scope, func(id uint32, portions uint64) {
			name := c.Names().Name(id)
			drink := name.Drink
			drinks = append(drinks, drink)
			if want := m.counts[scope][drink]; portions != want {
				t.Fatalf("%q in %v: %d, want %d", drink, scope, portions, want)
			}
		})
		want := slices.SortedFunc(maps.Keys(m.counts[scope]), func(a, b string) int {
			return cmp.Compare(c.Names().ID([]byte(a)), c.Names().ID([]byte(b)))
		})
		if !slices.Equal(drinks, want) {
			t.Fatalf("drinks of %v: %q, want %q", scope, drinks, want)
		}
	}
}

// TestCountsAgainstMaps adds to more windows than are dense and to drinks with ids on
// both sides of the dense limit, and reuses the batch.
func TestCountsAgainstMaps(t *testing.T) {
	const drinks = 400 // beyond the 256 dense ids of the later windows
	names := NewNames()
	for i := range drinks {
		names.ID(fmt.Appendf(nil, "drink %d", i))
	}
	ids := rapid.OneOf(rapid.IntRange(0, drinks-1), rapid.IntRange(250, 260), rapid.IntRange(0, 3))
	starts := rapid.OneOf(rapid.Int64Range(-20, 20), rapid.Int64Range(0, 2))
	counts := NewCounts(names) // one for all cases: what is left over must not show
	rapid.Check(t, func(t *rapid.T) {
		counts.Reset()
		for range rapid.IntRange(1, 3).Draw(t, "batches") {
			model := newCountsModel()
			for range rapid.IntRange(0, 60).Draw(t, "adds") {
				id, start := ids.Draw(t, "id"), 10*starts.Draw(t, "start")
				portions := rapid.Uint64Range(1, 1_000_000).Draw(t, "portions")
				drink := fmt.Sprintf("drink %d", id)
				if got := names.ID([]byte(drink)); got != uint32(id) {
					t.Fatalf("%s has id %d, want %d", drink, got, id)
				}
				switch rapid.IntRange(0, 3).Draw(t, "what") {
				case 0:
					counts.AddLate(uint32(id), portions)
					model.add(AllTime, drink, portions)
				case 1:
					n := Numbers{Records: 1, Portions: portions, LateRecords: 2, LatePortions: 3}
					counts.Window(start).AddNumbers(n)
					model.numbers[start] = model.numbers[start].Plus(n)
				default:
					counts.Window(start).Add(uint32(id), portions)
					model.add(At(start), drink, portions)
					model.add(AllTime, drink, portions)
				}
			}
			model.check(t, counts)
			counts.Reset()
			newCountsModel().check(t, counts)
		}
	})
}

// TestCountsKeepFewWindows checks that a batch over very many windows does not keep the
// memory of all of them, and that only the first ones grow with the drink ids.
func TestCountsKeepFewWindows(t *testing.T) {
	counts := NewCounts(NewNames())
	for start := range int64(1000) {
		counts.Window(start).Add(5000, 1)
	}
	dense := 0
	for _, w := range counts.windows {
		if cap(w.portions.dense) > 256 {
			dense++
		}
	}
	if dense != 8 {
		t.Errorf("%d windows are dense, want 8", dense)
	}
	if counts.Reset(); len(counts.free) != maxFree || len(counts.windows) != 0 {
		t.Errorf("%d windows kept for reuse and %d in use, want %d and 0", len(counts.free), len(counts.windows), maxFree)
	}
}

func TestCountsAllocateNothingInReuse(t *testing.T) {
	counts := NewCounts(NewNames())
	drinks := [][]byte{[]byte("latte"), []byte("mocha"), []byte("tea")}
	batch := func() {
		for start := range int64(5) {
			for _, drink := range drinks {
				id := counts.Names().ID(drink)
				counts.Window(start).Add(id, 1)
			}
			counts.Window(start).Accepted(3)
		}
		counts.Each(AllTime, func(uint32, uint64) {})
		counts.Reset()
	}
	batch()
	if allocs := testing.AllocsPerRun(100, batch); allocs > 0 {
		t.Errorf("%v allocations in a reused batch", allocs)
	}
}

func TestNumbers(t *testing.T) {
	a := Numbers{Records: 10, Portions: 20, LateRecords: 30, LatePortions: 40}
	b := Numbers{Records: 1, Portions: 2, LateRecords: 3, LatePortions: 4}
	if got, want := a.Plus(b), (Numbers{Records: 11, Portions: 22, LateRecords: 33, LatePortions: 44}); got != want {
		t.Errorf("plus: %+v, want %+v", got, want)
	}
	if got := a.Plus(b).Minus(a); got != b {
		t.Errorf("minus: %+v, want %+v", got, b)
	}
}
