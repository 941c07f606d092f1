package engine

import (
	"runtime"
	"sync"
	"time"

	"windowed/internal/fault"
)

// hand decodes and counts some of the partitions. Hands work at the same time, and have
// nothing in common but the configuration.
type hand struct {
	names names // of all its partitions
	turns []turn
}

// turn is a piece of work of a hand: fetched records of one partition.
type turn struct {
	part    *activePartition
	batch   *Batch
	fetched Fetched
	before  int // records of the batch in front of them
}

// maxHands bounds the hands: each has a numbering of the drinks of its own.
const maxHands = 8

func newHands(cfg *Config) []hand {
	hands := make([]hand, min(runtime.GOMAXPROCS(0), maxHands))
	for i := range hands {
		hands[i].names.limit = cfg.maxNames
	}
	return hands
}

// hand is the one that counts partition p.
func (l *Loop) hand(p int32) *hand { return &l.hands[int(p)%len(l.hands)] }

// manyRecords is from how many records on it pays to count by several hands.
const manyRecords = 1000

// add counts fetched records; those of partitions that are not ours (any more) are
// dropped.
func (l *Loop) add(all []Fetched) {
	now, records, busy := time.Now(), 0, 0
	for _, f := range all {
		p := l.parts[f.Partition()]
		if p == nil || !p.resumed {
			continue
		}
		b, h := l.batch(p), l.hand(p.ID)
		if len(h.turns) == 0 {
			busy++
		}
		h.turns = append(h.turns, turn{p, b, f, b.Read})
		records += f.Len()
	}
	l.work(l.opts.Wall().UnixMilli(), busy > 1 && records >= manyRecords)
	for i := range l.hands {
		h := &l.hands[i]
		for _, t := range h.turns {
			if t.batch.Read > t.before {
				t.part.heard = now
				fault.Point(fault.Counted)
			}
		}
		clear(h.turns) // they must not keep what was fetched
		h.turns = h.turns[:0]
	}
}

// work lets all hands count, one after another or at the same time; ms is the wall clock.
func (l *Loop) work(ms int64, together bool) {
	var others sync.WaitGroup
	for i := range l.hands[1:] {
		switch h := &l.hands[1+i]; {
		case len(h.turns) == 0:
		case together:
			others.Go(func() { h.count(ms) })
		default:
			h.count(ms)
		}
	}
	l.hands[0].count(ms)
	others.Wait()
}

func (h *hand) count(ms int64) {
	var r Record
	for _, t := range h.turns {
		for i := range t.fetched.Len() {
			t.fetched.Read(i, &r)
			t.batch.Add(&r, ms)
		}
	}
}
