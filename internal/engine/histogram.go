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
// partition, and orders come out of seconds or of days.
var (
	commitBounds = []float64{.005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10}
	closeBounds  = []float64{1, 2, 5, 10, 30, 60, 120, 300, 900, 3600, 21600, 86400}
	ageBounds    = []float64{.1, .25, .5, 1, 2, 5, 10, 30, 60, 300, 900, 3600, 21600, 86400, 604800}
)

func (h *Histogram) add(d time.Duration, bounds []float64) { h.addSeconds(d.Seconds(), bounds) }

// addMillis adds a difference of event times, which may be too long for a Duration.
func (h *Histogram) addMillis(ms int64, bounds []float64) { h.addSeconds(float64(ms)/1000, bounds) }

func (h *Histogram) addSeconds(seconds float64, bounds []float64) {
	h.Bounds = bounds
	seconds = max(0, seconds)
	i, _ := slices.BinarySearch(bounds, seconds)
	h.Counts[i]++
	h.Count++
	h.Sum += seconds
}

// plus adds all that another one has counted, in the same buckets.
func (h *Histogram) plus(o *Histogram) {
	if o.Count == 0 {
		return
	}
	h.Bounds = o.Bounds
	for i, n := range o.Counts {
		h.Counts[i] += n
	}
	h.Count += o.Count
	h.Sum += o.Sum
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
