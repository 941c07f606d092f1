package inspect

import (
	"slices"
	"time"

	"windowed/watermark"
	"windowed/window"
)

// Moment is the event time of one record of a partition, and how many it counts.
type Moment struct {
	Partition int32
	Time      int64 // ms
	Items     int
}

// Disorder is how much a sample is out of order.
type Disorder struct {
	Records int
	Earlier int           // that are earlier than one before them
	Most    time.Duration // by how much at most
	Loss    []Loss        // by grace, the smallest first; the last loses nothing
}

// Loss is how many records come too late for their window under a grace.
type Loss struct {
	Grace time.Duration
	Late  int
}

// graces are what is tried.
var graces = []time.Duration{
	0, time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour,
}

// DisorderOf judges records in the order of their partitions by windows of the given
// size, as the engine does.
func DisorderOf(moments []Moment, size window.Size) Disorder {
	d := Disorder{Records: len(moments)}
	newest := map[int32]int64{}
	for _, m := range moments {
		if last, ok := newest[m.Partition]; ok && m.Time < last {
			d.Earlier++
			d.Most = max(d.Most, time.Duration(last-m.Time)*time.Millisecond)
		} else {
			newest[m.Partition] = m.Time
		}
	}
	tried := slices.Clone(graces)
	if i := slices.IndexFunc(tried, func(g time.Duration) bool { return g >= d.Most }); i >= 0 {
		tried = tried[:i+1]
	} else {
		tried = append(tried, d.Most)
	}
	for _, grace := range tried {
		late := 0
		at := map[int32]*watermark.Partition{}
		for _, m := range moments {
			p := at[m.Partition]
			if p == nil {
				fresh := watermark.NewPartition()
				p = &fresh
				at[m.Partition] = p
			}
			if p.Late(size.End(size.Start(m.Time))) {
				late++
				continue
			}
			p.Accept(m.Time, grace.Milliseconds())
		}
		d.Loss = append(d.Loss, Loss{grace, late})
		if late == 0 {
			break
		}
	}
	return d
}

// mostGrace is the longest grace that is proposed: for few records of long ago all windows
// of a life would stay open.
const mostGrace = 30 * 24 * time.Hour

// Grace is the smallest of those tried that loses least, and not less than least.
func (d *Disorder) Grace(least time.Duration) time.Duration {
	best := Loss{Late: d.Records + 1}
	for _, l := range d.Loss {
		if l.Grace <= mostGrace && l.Late < best.Late {
			best = l
		}
	}
	return max(best.Grace, least)
}
