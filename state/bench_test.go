package state

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/window"
)

const benchDrinks, benchPartitions = 200, 12

// benchTransaction is a transaction of partition p that sets every drink to n, for all
// of time and in a window of the current hour.
func benchTransaction(dst []Change, drinks []string, start int64, n uint64, m *Meta) []Change {
	dst = dst[:0]
	for _, drink := range drinks {
		dst = append(dst, total(drink, n))
	}
	dst = append(dst, numbers(start, n, n))
	for _, drink := range drinks {
		dst = append(dst, count(start, drink, n))
	}
	return append(dst, Change{Kind: MetaKind, Meta: m})
}

func benchState(tb testing.TB) (*State, []string) {
	tb.Helper()
	opts := Options{FS: vfs.NewMem(), Window: window.Lifecycle{Size: 3_600_000, Retention: 86_400_000}, Logger: &testLogger{}}
	st := mustOpen(tb, opts)
	tb.Cleanup(func() { _ = st.Abandon() })
	drinks := make([]string, benchDrinks)
	for i := range drinks {
		drinks[i] = fmt.Sprintf("drink number %03d", i)
	}
	return st, drinks
}

// BenchmarkApply applies one transaction of 200 drinks; in turns of 12 partitions, with a
// checkpoint every 64 Ki dirty keys as the engine writes them.
func BenchmarkApply(b *testing.B) {
	st, drinks := benchState(b)
	var changes []Change
	m := NewMeta(0)
	b.ReportAllocs()
	n := uint64(0)
	for b.Loop() {
		n++
		p := int32(n % benchPartitions)
		changes = benchTransaction(changes, drinks, int64(n/benchPartitions/100)*3_600_000, n, &m)
		mustApply(b, st, p, int64(n), changes...)
		if st.Dirty() >= 64<<10 || n%100 == 0 {
			if err := st.Checkpoint(false); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(n)*float64(2*benchDrinks+2)/b.Elapsed().Seconds(), "changes/s")
}

func BenchmarkTop(b *testing.B) {
	st, drinks := benchState(b)
	m := NewMeta(0)
	for i := range uint64(benchPartitions) {
		mustApply(b, st, int32(i), 1, benchTransaction(nil, drinks, 0, i+1, &m)...)
	}
	b.Run("ranking", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			mustTop(b, st, window.AllTime, 10)
		}
	})
	b.Run("scan", func(b *testing.B) {
		st.opts.RankCapacity = 5
		st.rankings.drop(window.AllTime)
		b.ReportAllocs()
		for b.Loop() {
			mustTop(b, st, window.AllTime, 10)
		}
	})
}

// TestTopAllocates checks that an answer from a ranking costs its list and little else.
func TestTopAllocates(t *testing.T) {
	st, drinks := benchState(t)
	m := NewMeta(0)
	mustApply(t, st, 0, 1, benchTransaction(nil, drinks, 0, 1, &m)...)
	for _, scope := range []window.Scope{window.AllTime, window.At(0)} {
		if allocs := testing.AllocsPerRun(200, func() { mustTop(t, st, scope, 10) }); allocs > 2 {
			t.Errorf("%v allocations for the top 10 of %v", allocs, scope)
		}
	}
}

// TestApplyAllocates checks that a transaction over drinks that are known allocates
// little for each of them.
func TestApplyAllocates(t *testing.T) {
	st, drinks := benchState(t)
	m, n := NewMeta(0), uint64(0)
	var changes []Change
	apply := func() {
		n++
		changes = benchTransaction(changes, drinks, 0, n, &m)
		mustApply(t, st, 0, int64(n), changes...)
	}
	apply()
	if allocs := testing.AllocsPerRun(50, apply) / float64(len(changes)); allocs > 0.5 {
		t.Errorf("%v allocations a change", allocs)
	}
}
