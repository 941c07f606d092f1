package window

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestStart(t *testing.T) {
	cases := []struct {
		name string
		size Size
		ts   int64
		want int64
	}{
		{"FLINK-26334 -11", 10, -11, -20},
		{"FLINK-26334 -1", 10, -1, -10},
		{"FLINK-26334 -20", 10, -20, -20},
		{"bytewax 413", 1600, 1709315512577, 1709315512000},
		{"epoch", 10, 0, 0},
		{"last of the first", 10, 9, 0},
		{"first of the second", 10, 10, 10},
		{"smallest, negative", 1, -1, -1},
		{"smallest", 1, 1709315512577, 1709315512577},
		{"the hour itself", 3_600_000, 1772359200000, 1772359200000},
		{"before the hour", 3_600_000, 1772359199999, 1772355600000},
		{"prime size", 7919, -7920, -15838},
		{"largest", MaxSize, -1, -int64(MaxSize)},
		{"largest, year 1", MaxSize, -62135596800000, -62138016000000},
	}
	for _, c := range cases {
		if got := c.size.Start(c.ts); got != c.want {
			t.Errorf("%s: window of %d of size %d starts at %d, want %d", c.name, c.ts, c.size, got, c.want)
		}
		if !c.size.Aligned(c.want) {
			t.Errorf("%s: %d is not aligned to %d", c.name, c.want, c.size)
		}
	}
}

// The times of the years 0001 to 9999, which are all that an order may have.
const (
	year1    = -62135596800000
	year9999 = 253402300799999
)

// sizes leans towards the limits and the usual sizes.
func sizes() *rapid.Generator[Size] {
	return rapid.OneOf(
		rapid.Custom(func(t *rapid.T) Size { return Size(rapid.Int64Range(1, int64(MaxSize)).Draw(t, "size")) }),
		rapid.SampledFrom([]Size{MinSize, 2, 7, 10, 1000, 1600, 60_000, 3_600_000, 86_400_000, MaxSize - 1, MaxSize}),
	)
}

func times() *rapid.Generator[int64] {
	return rapid.OneOf(
		rapid.Int64Range(year1, year9999), rapid.Int64Range(-100, 100),
		rapid.SampledFrom([]int64{year1, -1, 0, 1, year9999}),
	)
}

// TestStartIsFloorDivision compares with integers that cannot overflow and divide as
// Euclid does.
func TestStartIsFloorDivision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size, ts := sizes().Draw(t, "size"), times().Draw(t, "ts")
		start := size.Start(ts)
		_, rest := new(big.Int).DivMod(big.NewInt(ts), big.NewInt(int64(size)), new(big.Int))
		if want := ts - rest.Int64(); start != want {
			t.Fatalf("start %d, want %d", start, want)
		}
		if end := size.End(start); ts < start || ts >= end || end-start != int64(size) {
			t.Fatalf("%d is not in [%d, %d)", ts, start, end)
		}
		if !size.Aligned(start) || size.Start(start) != start {
			t.Fatalf("%d is no start", start)
		}
		if size.Aligned(ts) != (ts == start) {
			t.Fatalf("%d aligned: %v, its window starts at %d", ts, size.Aligned(ts), start)
		}
		// The neighbours: windows neither overlap nor leave a gap.
		if size.Start(start-1) != start-int64(size) || size.Start(size.End(start)) != size.End(start) {
			t.Fatalf("gap or overlap at [%d, %d)", start, size.End(start))
		}
	})
}

func TestParseSize(t *testing.T) {
	good := map[time.Duration]Size{
		time.Millisecond: 1, 1600 * time.Millisecond: 1600, time.Hour: 3_600_000,
		366 * 24 * time.Hour: MaxSize,
	}
	for d, want := range good {
		got, err := ParseSize(d)
		if err != nil || got != want || got.Duration() != d {
			t.Errorf("%v: got %d (%v), %v, want %d", d, got, got.Duration(), err, want)
		}
	}
	bad := []time.Duration{
		0, 1, time.Millisecond - 1, time.Millisecond + 1, 1500 * time.Microsecond, -time.Hour, -time.Millisecond,
		366*24*time.Hour + time.Millisecond, 1<<63 - 1, -1 << 63,
	}
	for _, d := range bad {
		if got, err := ParseSize(d); err == nil {
			t.Errorf("%v: accepted as %d", d, got)
		}
	}
}
