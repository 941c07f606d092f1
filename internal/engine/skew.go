package engine

import (
	"math"
	"time"

	"windowed/watermark"
)

// skewPatience is how long a partition without a record still counts as one with data.
const skewPatience = time.Second

// level holds the partitions whose event time is further than MaxSkew ahead of the
// slowest owned one, so that working off a backlog keeps few windows open. A partition
// that has nothing to read holds nobody.
func (l *Loop) level(now time.Time) {
	if l.cfg.MaxSkew == 0 {
		return
	}
	slowest := int64(math.MaxInt64)
	for _, p := range l.parts {
		if p.resumed && !p.held && now.Sub(p.heard) < skewPatience {
			slowest = min(slowest, p.eventTime())
		}
	}
	var hold, release []int32
	for id, p := range l.parts {
		if !p.resumed {
			continue
		}
		ahead := slowest != math.MaxInt64 && slowest != watermark.None && p.eventTime() != watermark.None && p.eventTime()-slowest > l.cfg.MaxSkew
		switch {
		case ahead && !p.held:
			hold = append(hold, id)
		case !ahead && p.held:
			release = append(release, id)
			p.heard = now
		}
		p.held = ahead
	}
	if len(hold) > 0 {
		l.opts.Transport.Hold(hold, true)
	}
	if len(release) > 0 {
		l.opts.Transport.Hold(release, false)
	}
}

// eventTime is the watermark of the partition with what is not committed yet.
func (p *activePartition) eventTime() int64 {
	if p.batch != nil {
		return p.batch.Meta.Time.Watermark
	}
	return p.meta.Time.Watermark
}
