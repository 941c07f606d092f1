package watermark

import "math"

// None is the value of a watermark that is not there yet. It is below every event time.
const None int64 = math.MinInt64

// Partition is what one input partition knows about time. Both values are monotone and
// are committed together with the counts they belong to, so that a restart decides as
// the run before it would have (FLINK-4616, KAFKA-7994).
type Partition struct {
	Watermark    int64 // W_p: the highest accepted event time
	CloseThrough int64 // L_p: every window with end <= L_p is closed for this partition
	Idle         bool  // the partition was seen silent at its end
}

// NewPartition is a partition that has seen nothing.
func NewPartition() Partition { return Partition{Watermark: None, CloseThrough: None} }

// Late says whether an order for a window with the given end comes too late. Nothing
// else makes an order late: not another partition, not the clock, not expiry.
func (p *Partition) Late(end int64) bool { return end <= p.CloseThrough }

// LateByIdleness says whether an order that is late would have been in time, had the
// partition not been raised while it was idle.
func (p *Partition) LateByIdleness(end, grace int64) bool {
	return p.Late(end) && (p.Watermark == None || end > p.Watermark-grace)
}

// Accept takes the event time of an order that is not late.
func (p *Partition) Accept(ts, grace int64) {
	if ts > p.Watermark {
		p.Watermark = ts
		p.CloseThrough = max(p.CloseThrough, ts-grace)
	}
}
