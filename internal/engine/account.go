package engine

import (
	"maps"
	"time"

	"windowed/internal/event"
	"windowed/state"
)

// Sizes of what Status remembers of refused records: the last few of each reason, found
// among the last dead letters of a transaction.
const (
	keptRefused  = 5
	lookedAtDead = 1000
)

// account tells Status what a committed transaction is about to change in the state. It
// goes by the metas, the emission and the dead letters, so that it costs the same however
// many records and keys there are.
func (l *Loop) account(t *Transaction, sealed map[int32]*Batch, em *Emission) {
	var counted state.Counters
	var lags, lateness Histogram
	var clocks Clocks
	for id, b := range sealed {
		before, _ := l.st.Meta(id)
		counted = counted.Plus(b.Meta.Counters.Minus(before.Counters))
		if newest := b.Meta.Time.Watermark; newest != before.Time.Watermark {
			lags.addMillis(t.Now-newest, ageBounds)
		}
		lateness.plus(&b.Ages)
		clocks.plus(b.Clocks)
	}
	now := time.UnixMilli(t.Now)
	l.opts.Status.update(func(s *StatusNow) {
		s.Counted = s.Counted.Plus(counted)
		s.EventLags.plus(&lags)
		s.Lateness.plus(&lateness)
		s.Clocks.plus(clocks)
		s.Dead += uint64(len(t.Dead))
		s.refuse(t.Dead, now)
		s.emitted(em, now)
	})
}

func (s *StatusNow) emitted(em *Emission, now time.Time) {
	for i := range em.Outputs {
		switch o := &em.Outputs[i]; {
		case o.Type == Snapshot:
		case o.Revision > 0:
			s.Revised++
		default:
			s.Finals++
			s.CloseDelays.add(now.Sub(time.UnixMilli(o.End)), closeBounds)
		}
	}
	for i := range em.Changes {
		if c := &em.Changes[i]; c.Kind == state.EmittedKind && c.Deleted {
			s.Expired++
		}
	}
	if em.snapshot {
		s.Shots++
		s.Snapshot = now
	}
}

// refuse remembers the last refused records of each reason, the newest first.
func (s *StatusNow) refuse(dead []DeadLetter, now time.Time) {
	if len(dead) == 0 {
		return
	}
	last := make(map[event.Reason][]Refused)
	for i := len(dead) - 1; i >= max(0, len(dead)-lookedAtDead); i-- {
		d := &dead[i]
		if have := last[d.Reason]; len(have) < keptRefused {
			last[d.Reason] = append(have, Refused{Partition: d.Partition, Offset: d.Offset, Detail: d.Detail, At: now})
		}
	}
	all := maps.Clone(s.Invalid)
	if all == nil {
		all = make(map[event.Reason][]Refused)
	}
	for reason, list := range last {
		older := all[reason]
		all[reason] = append(list, older[:min(len(older), keptRefused-len(list))]...)
	}
	s.Invalid = all
}

// committed tells Status that a transaction is in the state.
func (s *Status) committed(took time.Duration) {
	s.update(func(n *StatusNow) {
		n.Commits++
		n.LastCommit = took
		n.CommitTimes.add(took, commitBounds)
	})
}

// aborted tells Status that a transaction was aborted.
func (s *Status) aborted(took time.Duration, snapshot bool) {
	s.update(func(n *StatusNow) {
		n.Aborts++
		n.AbortTimes.add(took, commitBounds)
		if snapshot {
			n.LostShots++
		}
	})
}

// pressed tells Status how long reading has waited for a transaction that was full.
func (s *Status) pressed(d time.Duration) {
	s.update(func(n *StatusNow) { n.Pressure += d })
}

// paused are the owned partitions that are not read now.
func (l *Loop) paused() (ids []int32) {
	for id, p := range l.parts {
		if !p.resumed || p.held {
			ids = append(ids, id)
		}
	}
	return ids
}
