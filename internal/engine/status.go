package engine

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"windowed/internal/event"
	"windowed/state"
)

// Phase is what the loop is doing.
type Phase string

// The phases of a run.
const (
	Starting  Phase = "starting"
	Joining   Phase = "joining"
	Restoring Phase = "restoring"
	Running   Phase = "running"
	Stopping  Phase = "stopping"
)

// Status is what a run says of itself. Safe for concurrent use; the zero value is ready.
// It is told once per transaction, never per record.
type Status struct {
	pace pace // of the loops that use it, one after another

	mu     sync.Mutex
	s      StatusNow
	wanted atomic.Int64 // Unix seconds of the last WantEnds
}

// StatusNow is a Status at one moment. Its maps and slices are never changed.
type StatusNow struct {
	Phase      Phase
	Owned      []int32
	Paused     []int32 // owned, but not read now: not restored yet, or too far ahead
	Read       uint64  // records, since the start of the process
	Skipped    uint64  // records counted before and seen again
	Commits    uint64
	Aborts     uint64
	Fenced     uint64 // sessions ended because another process took the transactional id
	Rebuilds   uint64 // of the session
	Rebalances uint64 // changes of ownership
	LastCommit time.Duration
	LastError  string
	Stopped    map[int32]string // partitions that a batch which cannot be read has stopped
	Waiting    string           // why reading waits for what records need to be decoded; "": it does not

	Counted  state.Counters // what the committed transactions of this process counted
	Finals   uint64         // windows closed by this process
	Revised  uint64         // further finals of amended windows
	Expired  uint64         // windows whose last trace this process removed
	Dead     uint64         // dead letters
	Invalid  map[event.Reason][]Refused
	Ends     Ends
	Snapshot time.Time // when the last snapshots were committed; zero: never
	Shots    uint64    // commits with snapshots

	LostShots uint64        // transactions with snapshots that were aborted
	Pressure  time.Duration // spent in transactions that were full before their time

	CommitTimes Histogram // seconds from the planned transaction to the applied one
	AbortTimes  Histogram // seconds from the planned transaction to its end, if aborted
	CloseDelays Histogram // seconds from a window's end to its final, by the wall clock
	EventLags   Histogram // seconds from the newest event time of a transaction and partition to its commit
	Clocks      Clocks    // of the orders counted
	Lateness    Histogram // seconds from the event time of a late record to how far its partition was
}

// Refused is a record that was refused, or late.
type Refused struct {
	Partition int32
	Offset    int64
	Detail    string
	At        time.Time // when it was committed
}

// Ends are the last stable offsets of the topics: a reader of committed records that has
// reached them has read everything.
type Ends struct {
	Orders    map[int32]int64
	Changelog map[int32]int64
	At        time.Time // when they were asked for; zero: never
}

// Now is a copy.
func (s *Status) Now() StatusNow {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.s
	now.Owned = slices.Clone(s.s.Owned)
	if now.Phase == "" {
		now.Phase = Starting
	}
	return now
}

// Set replaces all that is said, for what runs without a loop.
func (s *Status) Set(now StatusNow) { s.update(func(n *StatusNow) { *n = now }) }

// wantFor is how long after WantEnds the ends are kept fresh: longer than what lies
// between two scrapes.
const wantFor = 60 * time.Second

// WantEnds says that somebody looks at the ends: for a minute they are asked for every
// second.
func (s *Status) WantEnds() { s.wanted.Store(time.Now().Unix()) }

func (s *Status) endsWanted() bool {
	return time.Since(time.Unix(s.wanted.Load(), 0)) < wantFor
}

func (s *Status) update(f func(*StatusNow)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.s)
}

// stop takes over the stopped partitions; the map is never changed afterwards.
func (s *Status) stop(all map[int32]error) {
	texts := make(map[int32]string, len(all))
	for p, err := range all {
		texts[p] = err.Error()
	}
	s.update(func(n *StatusNow) { n.Stopped = texts })
}

func (s *Status) own(p []int32)   { s.update(func(n *StatusNow) { n.Owned = p; n.Rebalances++ }) }
func (s *Status) pause(p []int32) { s.update(func(n *StatusNow) { n.Paused = p }) }
func (s *Status) fenced()         { s.update(func(n *StatusNow) { n.Fenced++ }) }
func (s *Status) ends(e Ends)     { s.update(func(n *StatusNow) { n.Ends = e }) }
func (s *Status) read(n, skipped int) {
	s.update(func(x *StatusNow) { x.Read += uint64(n); x.Skipped += uint64(skipped) })
}

// wait says why reading waits. It is called for every poll, and changes rarely.
func (s *Status) wait(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.s.Waiting = why
}

func (s *Status) rebuilt(err error) {
	s.update(func(n *StatusNow) { n.Rebuilds++; n.LastError = err.Error(); n.Waiting = "" })
	s.set(Joining)
}

// Stop says that the run is told to stop; no other phase comes after it.
func (s *Status) Stop() { s.set(Stopping) }

func (s *Status) set(p Phase) {
	s.update(func(n *StatusNow) {
		if n.Phase != Stopping {
			n.Phase = p
		}
	})
}
