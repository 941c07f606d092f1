package engine

import (
	"slices"
	"time"
)

// Histogram counts durations in seconds. The zero value needs Bounds before it counts; a
// copy is a snapshot.
type Histogram struct {
	Bounds []float64 // upper ends of the buckets, ascending; never changed
	Counts [16]uint64
	Count  uint64
	Sum    float64
}

// The buckets: a commit takes milliseconds, a window waits for grace and for the slowest
// partition.
var (
	commitBounds = []float64{.005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10}
	closeBounds  = []float64{1, 2, 5, 10, 30, 60, 120, 300, 900, 3600, 21600, 86400}
)

func (h *Histogram) add(d time.Duration, bounds []float64) {
	h.Bounds = bounds
	seconds := max(0, d.Seconds())
	i, _ := slices.BinarySearch(bounds, seconds)
	h.Counts[i]++
	h.Count++
	h.Sum += seconds
}

// Cumulative is how many durations were at or below each bound.
func (h *Histogram) Cumulative() map[float64]uint64 {
	all, n := make(map[float64]uint64, len(h.Bounds)), uint64(0)
	for i, bound := range h.Bounds {
		n += h.Counts[i]
		all[bound] = n
	}
	return all
}
