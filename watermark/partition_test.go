package watermark

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestPartitionIsMonotone compares a partition with the definition: W is the highest
// accepted time, L the highest of W - grace and what it was raised to, and an order is
// late if and only if its window ends at or before L.
func TestPartitionIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 20).Draw(t, "size")
		grace := rapid.Int64Range(0, 30).Draw(t, "grace")
		p, j := NewPartition(), newJob(0, size, grace)
		w, l := None, None
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			before := p
			if rapid.IntRange(0, 5).Draw(t, "what") == 0 {
				p.CloseThrough = max(p.CloseThrough, rapid.Int64Range(-60, 60).Draw(t, "raise"))
				l = max(l, p.CloseThrough)
			} else {
				ts := rapid.Int64Range(-60, 60).Draw(t, "ts")
				end := j.end(ts)
				if late := p.Late(end); late != (end <= l) {
					t.Fatalf("ts %d, window end %d, L %d: late is %v", ts, end, l, late)
				}
				if byIdleness := p.LateByIdleness(end, grace); byIdleness != (end <= l && (w == None || end > w-grace)) {
					t.Fatalf("window end %d, W %d, L %d: late by idleness is %v", end, w, l, byIdleness)
				}
				if !p.Late(end) {
					p.Accept(ts, grace)
					w = max(w, ts)
					l = max(l, w-grace)
				}
			}
			if p.Watermark != w || p.CloseThrough != l {
				t.Fatalf("W %d, L %d; want %d, %d", p.Watermark, p.CloseThrough, w, l)
			}
			if p.Watermark < before.Watermark || p.CloseThrough < before.CloseThrough {
				t.Fatalf("%+v after %+v", p, before)
			}
		}
	})
}

// TestOrderAcrossPartitionsDoesNotMatter reads the same partitions in two orders. What
// is late, and where each partition stands, must be the same: catch-up equals live.
func TestOrderAcrossPartitionsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const partitions = 3
		times := make([][]int64, partitions)
		for p := range times {
			times[p] = rapid.SliceOfN(rapid.Int64Range(-100, 100), 0, 20).Draw(t, "times")
		}
		grace := rapid.Int64Range(0, 40).Draw(t, "grace")
		one := newJob(partitions, 10, grace)
		for p := range times {
			for _, ts := range times[p] {
				one.add(p, ts)
			}
		}
		two, next := newJob(partitions, 10, grace), make([]int, partitions)
		for two.counted+two.late < one.counted+one.late {
			p := rapid.IntRange(0, partitions-1).Draw(t, "p")
			if next[p] < len(times[p]) {
				two.add(p, times[p][next[p]])
				next[p]++
			}
		}
		if one.late != two.late || one.through != two.through {
			t.Fatalf("late %d and %d, closed through %d and %d", one.late, two.late, one.through, two.through)
		}
		for p := range one.parts {
			if one.parts[p] != two.parts[p] {
				t.Fatalf("partition %d: %+v and %+v", p, one.parts[p], two.parts[p])
			}
		}
	})
}

func TestFutureGuard(t *testing.T) {
	guard := FutureGuard{Max: 3_600_000}
	cases := []struct {
		name          string
		guard         FutureGuard
		ts, reference int64
		want          bool
	}{
		{"now", guard, 1000, 1000, false},
		{"at the limit", guard, 3_601_000, 1000, false},
		{"beyond it", guard, 3_601_001, 1000, true},
		{"the past", guard, -62135596800000, 1772359200000, false},
		{"the year 9999", guard, 253402300799999, 1772359200000, true},
		{"before the epoch", guard, -1, -3_600_001, false},
		{"before the epoch, beyond", guard, 0, -3_600_001, true},
		{"off", FutureGuard{Max: 3_600_000, Off: true}, 253402300799999, 0, false},
		{"nothing ahead", FutureGuard{}, 1001, 1000, true},
		{"nothing ahead, now", FutureGuard{}, 1000, 1000, false},
		{"far back, no overflow", guard, math.MinInt64 + 1, 1772359200000, false},
	}
	for _, c := range cases {
		if got := c.guard.Refuses(c.ts, c.reference); got != c.want {
			t.Errorf("%s: refused %v, want %v", c.name, got, c.want)
		}
	}
}
