package engine

import (
	"fmt"

	"windowed/internal/event"
	"windowed/window"
)

// late takes note of how late an order is, and whether only for idleness.
func (b *Batch) late(at, end int64, portions uint64) {
	t := &b.Meta.Time
	b.Ages.addMillis(max(t.Watermark, t.CloseThrough)-at, ageBounds) // either may not be there yet
	if t.LateByIdleness(end, b.part.cfg.Grace) {
		b.Meta.Counters.LateIdle++
		b.Meta.Counters.LateIdlePortions += portions
	}
}

// tooLate makes the dead letter of a late order.
func (b *Batch) tooLate(r *Record, at, start, end int64, portions uint64) {
	if b.retained(end) {
		b.counts.Window(start).AddNumbers(window.Numbers{LateRecords: 1, LatePortions: portions})
	}
	d := b.letter(r, event.Late, fmt.Sprintf("event time %s is in the window of %s, closed for this partition through %s",
		window.FormatTime(at), window.FormatTime(start), window.FormatTime(b.Meta.Time.CloseThrough)))
	d.AllTime = true
	b.Dead = append(b.Dead, d)
}

// retained says whether a closed window still takes amendments and late numbers.
func (b *Batch) retained(end int64) bool {
	return end > b.Meta.ExpiredThrough && b.part.cfg.Lifecycle().Retained(end, b.closeThrough)
}
