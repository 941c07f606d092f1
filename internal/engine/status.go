package engine

import (
	"slices"
	"sync"
	"time"
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
type Status struct {
	mu sync.Mutex
	s  StatusNow
}

// StatusNow is a Status at one moment.
type StatusNow struct {
	Phase      Phase
	Owned      []int32
	Read       uint64 // records, since the start of the process
	Skipped    uint64 // records counted before and seen again
	Commits    uint64
	Aborts     uint64
	Rebuilds   uint64 // of the session
	LastCommit time.Duration
	LastError  string
	Stopped    map[int32]string // partitions that a batch which cannot be read has stopped
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

func (s *Status) set(p Phase)   { s.update(func(n *StatusNow) { n.Phase = p }) }
func (s *Status) own(p []int32) { s.update(func(n *StatusNow) { n.Owned = p }) }
func (s *Status) aborted()      { s.update(func(n *StatusNow) { n.Aborts++ }) }
func (s *Status) read(n, skipped int) {
	s.update(func(x *StatusNow) { x.Read += uint64(n); x.Skipped += uint64(skipped) })
}

func (s *Status) committed(took time.Duration) {
	s.update(func(n *StatusNow) { n.Commits++; n.LastCommit = took })
}

func (s *Status) rebuilt(err error) {
	s.update(func(n *StatusNow) { n.Rebuilds++; n.LastError = err.Error(); n.Phase = Joining })
}
