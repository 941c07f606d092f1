package state

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/window"
)

// TestReadsWhileApplying reads top lists, by scans too, while counts grow and checkpoints
// are written. Each answer is in order and none goes back in time; no scan leaves a
// ranking behind that has missed a change.
func TestReadsWhileApplying(t *testing.T) {
	st, want := mustOpen(t, testOptions(vfs.NewMem())), newModel()
	defer func() { _ = st.Abandon() }()
	const starts, drinks = 6, 9
	var done atomic.Bool
	var readers sync.WaitGroup
	for seed := range uint64(3) {
		readers.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 1))
			highest := make(map[window.Scope]uint64)
			for !done.Load() {
				scope := window.At(10 * rng.Int64N(starts))
				if rng.IntN(4) == 0 {
					scope = window.AllTime
				}
				top, err := st.Top(scope, 1+rng.IntN(5))
				switch {
				case err != nil:
					t.Errorf("top of %v: %v", scope, err)
					return
				case !slices.IsSortedFunc(top, func(a, b Entry) int {
					return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Drink, b.Drink))
				}):
					t.Errorf("top of %v: %v is not in order", scope, top)
				case len(top) > 0 && top[0].Count < highest[scope]:
					t.Errorf("top of %v: %d after %d", scope, top[0].Count, highest[scope])
				}
				if len(top) > 0 {
					highest[scope] = top[0].Count
				}
			}
		})
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range int64(3000) {
		p, start := int32(rng.IntN(testPartitions)), 10*rng.Int64N(starts)
		drink := fmt.Sprint("drink ", rng.IntN(drinks))
		n := want.counts[p][window.At(start)][drink] + 1
		changes := []Change{count(start, drink, n), total(drink, want.counts[p][window.AllTime][drink]+1)}
		mustApply(t, st, p, i+1, changes...)
		want.apply(p, changes)
		if i%100 == 0 {
			mustCheckpoint(t, st)
			want.checkRankings(t, st)
		}
	}
	done.Store(true)
	readers.Wait()
	want.check(t, st)
	want.checkStore(t, st)
}
