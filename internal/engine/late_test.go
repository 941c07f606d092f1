package engine

import (
	"fmt"
	"testing"

	"windowed/internal/event"
	"windowed/state"
	"windowed/window"
)

// TestLateness: late orders are measured against how far their partition was, by its
// watermark or, before it has one, by what it is closed through; orders in time are not.
func TestLateness(t *testing.T) {
	for mode, into := range map[LateMode]string{DeadLetterLate: "dead letter", AmendLate: "window"} {
		cfg := Config{Window: 1000, Retention: 100_000, Late: mode, NoClock: true}
		cfg.Order.TimeField = "ts"
		part, err := NewPartition(0, &cfg)
		if err != nil {
			t.Fatal(err)
		}
		meta := state.NewMeta(0)
		meta.Time.CloseThrough = 5000
		b := part.Begin(meta, window.None, window.None)
		for i, ts := range []int64{4500, 10_000, 9000, 4000} { // the second is in time
			b.Add(&Record{Offset: int64(i), Record: event.Record{Value: fmt.Appendf(nil, `{"ts":%d,"items":[{"drink":"tea","quantity":1}]}`, ts)}}, 0)
		}
		if b.Ages.Count != 3 || b.Ages.Sum != .5+1+6 || b.Ages.Cumulative()[1] != 2 {
			t.Errorf("into a %s: %+v, %d counted", into, b.Ages, b.Meta.Counters.Counted)
		}
	}
}
