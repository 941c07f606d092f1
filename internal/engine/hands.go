package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"windowed/internal/fault"
)

// hand decodes and counts some of the partitions, in a goroutine of its own unless there is
// little to do. Hands have nothing in common but the configuration. While one is busy, it
// alone touches the batches that it was given turns of.
type hand struct {
	names   names // of all its partitions
	turns   chan turn
	pending sync.WaitGroup // of turns
	left    atomic.Int32   // turns that are not done
	filled  filling
}

// turn is a piece of work of a hand: fetched records of one partition.
type turn struct {
	part    *activePartition
	batch   *Batch
	fetched Fetched
	polled  time.Time
	wall    int64 // the wall clock then, in ms
}

// filling is what the next transaction will hold so far. Safe for concurrent use.
type filling struct {
	records    atomic.Int64 // given to the hand, markers included
	keys, dead atomic.Int64 // counted; dead: bytes of dead letters
	torn       atomic.Bool  // something given cannot be read to its end
}

const (
	// maxHands bounds the hands: each has a numbering of the drinks of its own.
	maxHands = 8
	// manyRecords is from how many records of a poll on it pays to wake the hands. On a busy
	// machine each waking waits its turn for a core.
	manyRecords = 1000
	// turnsAhead is how many turns may wait for a hand, so that it never waits for the
	// broker because another one has more to do. They keep what was fetched in memory.
	turnsAhead = 2
)

func newHands(cfg *Config) []hand {
	hands := make([]hand, min(runtime.NumCPU(), runtime.GOMAXPROCS(0), maxHands))
	for i := range hands {
		hands[i].names.limit = cfg.maxNames
	}
	return hands
}

// hand is the one that counts partition p.
func (l *Loop) hand(p int32) *hand { return &l.hands[int(p)%len(l.hands)] }

// work starts the hands. They stop when stop is called, with all their turns done.
func (l *Loop) work() (stop func()) {
	var working sync.WaitGroup
	for i := range l.hands {
		h := &l.hands[i]
		h.turns = make(chan turn, turnsAhead)
		working.Go(h.work)
	}
	return func() {
		for i := range l.hands {
			close(l.hands[i].turns)
		}
		working.Wait()
	}
}

// add counts fetched records, or gives them to the hands, whose they are then, and returns
// how many there were; those of partitions that are not ours (any more) are dropped.
func (l *Loop) add(all []Fetched) (records int) {
	for _, f := range all {
		records += f.Len()
	}
	now, wall, self := time.Now(), l.opts.Wall().UnixMilli(), records < manyRecords && l.rest()
	for _, f := range all {
		p := l.parts[f.Partition()]
		if p == nil || !p.resumed {
			continue
		}
		h, t := l.hand(p.ID), turn{p, l.fed(p), f, now, wall}
		h.filled.records.Add(int64(f.Len())) // however far the hand is
		if self {
			h.count(&t)
			continue
		}
		h.pending.Add(1)
		h.left.Add(1)
		h.turns <- t
	}
	return records
}

// rest says whether the hands have nothing to do, so that the loop can do their work.
func (l *Loop) rest() bool {
	for i := range l.hands {
		if l.hands[i].left.Load() > 0 {
			return false
		}
	}
	return true
}

// await waits until the hands have done all their turns.
func (l *Loop) await() {
	for i := range l.hands {
		l.hands[i].pending.Wait()
	}
}

// full says whether the next transaction holds what it may.
func (l *Loop) full() bool {
	records, keys, dead := l.filling()
	return records >= maxBatch || keys >= int64(l.opts.Status.pace.keys()) || dead >= maxDead
}

// filling is what the hands have counted for the next transaction.
func (l *Loop) filling() (records, keys, dead int64) {
	for i := range l.hands {
		f := &l.hands[i].filled
		records += f.records.Load()
		keys += f.keys.Load()
		dead += f.dead.Load()
	}
	return records, keys, dead
}

// torn says whether records are missing in what was counted for the next transaction.
func (l *Loop) torn() bool {
	for i := range l.hands {
		if l.hands[i].filled.torn.Load() {
			return true
		}
	}
	return false
}

// emptied begins the next transaction; the hands are done.
func (l *Loop) emptied() {
	for i := range l.hands {
		f := &l.hands[i].filled
		f.records.Store(0)
		f.keys.Store(0)
		f.dead.Store(0)
		f.torn.Store(false)
	}
}

func (h *hand) work() {
	for t := range h.turns {
		h.count(&t)
		h.left.Add(-1)
		h.pending.Done()
	}
}

// count takes a turn.
func (h *hand) count(t *turn) {
	var r Record
	b := t.batch
	read, keys, dead := b.Read, b.Keys(), len(b.Dead)
	for t.fetched.Next(&r) {
		b.Add(&r, t.wall)
	}
	if t.fetched.Err() != nil {
		h.filled.torn.Store(true)
	}
	t.fetched.Done()
	t.part.dec.Release() // what was fetched is large
	if b.Read > read {
		t.part.heard = t.polled
		fault.Point(fault.Counted)
	}
	h.filled.keys.Add(int64(b.Keys() - keys))
	for i := range b.Dead[dead:] {
		h.filled.dead.Add(int64(b.Dead[dead+i].held()))
	}
}
