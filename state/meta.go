package state

import (
	"windowed/internal/event"
	"windowed/internal/fault"
	"windowed/watermark"
)

// Meta is what one input partition has done, committed with its counts: the truth on a
// restart. The group's committed offset is only compared with it.
type Meta struct {
	Next           int64    // the input offset to read next
	TopicID        [16]byte // of the input topic; zero = unknown (before Kafka 2.8)
	Time           watermark.Partition
	ExpiredThrough int64  // windows with end <= it have their tombstones; None at first
	Writer         string // transactional id of the last writer; empty for at least once
	Counters       Counters
}

// Counters are cumulative over the life of a partition.
type Counters struct {
	Records          uint64 // read, good or bad
	Counted          uint64 // accepted in time
	Portions         uint64 // all-time, late ones included
	Late             uint64 // records too late for their window and not put into it
	LatePortions     uint64
	LateIdle         uint64 // late only because the partition was raised while idle
	LateIdlePortions uint64
	Amended          uint64 // late records put into a closed window (--late=amend)
	AmendedPortions  uint64
	SkippedBatches   uint64 // passed by --skip-batch
	Invalid          [event.NumReasons]uint64
}

// Plus is c and o added up.
func (c Counters) Plus(o Counters) Counters {
	return c.combine(o, func(a, b uint64) uint64 { return a + b })
}

// Minus is what c counts beyond o, an earlier value of the same counters.
func (c Counters) Minus(o Counters) Counters {
	return c.combine(o, func(a, b uint64) uint64 { return a - b })
}

func (c Counters) combine(o Counters, f func(a, b uint64) uint64) Counters {
	r := Counters{
		Records: f(c.Records, o.Records), Counted: f(c.Counted, o.Counted), Portions: f(c.Portions, o.Portions),
		Late: f(c.Late, o.Late), LatePortions: f(c.LatePortions, o.LatePortions),
		LateIdle: f(c.LateIdle, o.LateIdle), LateIdlePortions: f(c.LateIdlePortions, o.LateIdlePortions),
		Amended: f(c.Amended, o.Amended), AmendedPortions: f(c.AmendedPortions, o.AmendedPortions),
		SkippedBatches: f(c.SkippedBatches, o.SkippedBatches),
	}
	for i := range r.Invalid {
		r.Invalid[i] = f(c.Invalid[i], o.Invalid[i])
	}
	return r
}

// AllTimeRecords is how many records count for all of time.
func (c *Counters) AllTimeRecords() uint64 { return c.Counted + c.Late + c.Amended }

// InvalidRecords is how many records were refused, whatever the reason.
func (c *Counters) InvalidRecords() uint64 {
	var n uint64
	for _, v := range c.Invalid {
		n += v
	}
	return n
}

// NewMeta is the meta of a partition that has read nothing and starts at next.
func NewMeta(next int64) Meta {
	return Meta{Next: next, Time: watermark.NewPartition(), ExpiredThrough: watermark.None}
}

func (m *Meta) append(dst []byte) []byte {
	time := m.Time
	if fault.Planted(fault.TimeNotKept) {
		time = watermark.NewPartition()
	}
	dst = appendHeader(dst)
	dst = appendI64(dst, m.Next)
	dst = append(dst, m.TopicID[:]...)
	dst = appendI64(dst, time.Watermark)
	dst = appendI64(dst, time.CloseThrough)
	dst = appendBool(dst, time.Idle)
	dst = appendI64(dst, m.ExpiredThrough)
	dst = appendText(dst, m.Writer)
	c := &m.Counters
	for _, v := range []uint64{
		c.Records, c.Counted, c.Portions, c.Late, c.LatePortions, c.LateIdle, c.LateIdlePortions,
		c.Amended, c.AmendedPortions, c.SkippedBatches,
	} {
		dst = appendU64(dst, v)
	}
	dst = append(dst, byte(len(c.Invalid)))
	for _, v := range c.Invalid {
		dst = appendU64(dst, v)
	}
	return dst
}

func decodeMeta(b []byte) (*Meta, error) {
	r := newReader("a partition's meta", b)
	m := &Meta{Next: r.i64()}
	copy(m.TopicID[:], r.take(16))
	m.Time.Watermark, m.Time.CloseThrough, m.Time.Idle = r.i64(), r.i64(), r.bool()
	m.ExpiredThrough, m.Writer = r.i64(), r.text()
	c := &m.Counters
	for _, v := range []*uint64{
		&c.Records, &c.Counted, &c.Portions, &c.Late, &c.LatePortions, &c.LateIdle, &c.LateIdlePortions,
		&c.Amended, &c.AmendedPortions, &c.SkippedBatches,
	} {
		*v = r.u64()
	}
	reasons := int(r.u8())
	for i := range reasons {
		if v := r.u64(); i < len(c.Invalid) {
			c.Invalid[i] = v
		}
	}
	return m, r.end()
}
