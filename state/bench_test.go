package state

import (
	"fmt"
	"math/rand/v2"
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
// checkpoint every 64 Ki dirty keys.
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

// BenchmarkCheckpoint writes 2 million keys to the disk: a window of a million drinks, each in
// one of four partitions, and their sums.
func BenchmarkCheckpoint(b *testing.B) {
	opts := Options{Window: window.Lifecycle{Size: 3_600_000, Retention: 86_400_000}, Logger: &testLogger{}}
	st, err := Open(b.TempDir(), opts)
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	changes := make([]Change, 250_000)
	n, keys := uint64(0), 0
	for b.Loop() {
		b.StopTimer()
		n++
		for p := range int32(4) {
			for i := range changes {
				changes[i] = count(0, fmt.Sprintf("drink number %07d", 4*(i*7919%len(changes))+int(p)), n)
			}
			mustApply(b, st, p, int64(n), changes...)
		}
		keys = st.Dirty()
		b.StartTimer()
		if err := st.Checkpoint(false); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(keys), "keys")
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

// BenchmarkRestore applies a changelog as it is read: polls of 20,000 records of 12
// partitions, of all of time and an hour, some 8 records a key.
func BenchmarkRestore(b *testing.B) {
	const partitions, perPoll = 12, 20_000 / 12
	for _, drinks := range []int{100, 3_750, 40_000} {
		b.Run(fmt.Sprintf("%d-keys", partitions*2*drinks), func(b *testing.B) {
			var log [partitions][][2][]byte
			rnd := rand.New(rand.NewPCG(1, 1))
			for n := 0; n < 1_000_000; {
				p := rnd.IntN(partitions)
				for range perPoll {
					c := total(fmt.Sprintf("house special %d", rnd.IntN(drinks)), uint64(n+1))
					if rnd.IntN(2) == 0 {
						c.Scope = window.At(0)
					}
					log[p] = append(log[p], [2][]byte{c.AppendKey(nil), c.AppendValue(nil)})
					n++
				}
			}
			b.ResetTimer()
			records := 0
			for range b.N {
				st := openMem(b)
				var tails [partitions]Tail
				for at, more := 0, true; more; at += perPoll {
					more = false
					for p := range log {
						some := log[p][min(at, len(log[p])):min(at+perPoll, len(log[p]))]
						if len(some) == 0 {
							continue
						}
						more = true
						for _, r := range some {
							tails[p].Add(r[0], r[1])
						}
						if err := tails[p].Apply(st, int32(p), int64(at+len(some))); err != nil {
							b.Fatal(err)
						}
						records += len(some)
					}
				}
				if err := st.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(records), "ns/record")
		})
	}
}
