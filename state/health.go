package state

import (
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Health is how the local store is at one moment. Counters count since it was opened.
type Health struct {
	Bytes     uint64 // on the disk
	FreeBytes uint64 // left for this process on the store's file system; 0: unknown
	Keys      uint64 // drinks with a count, of all time and of each window, added up
	Dirty     int    // keys that the next checkpoint writes
	Cached    int    // keys in memory, the dirty ones among them
	Rankings  int    // in memory

	L0Files, L0Sublevels int64 // what flushes have left to compactions
	ReadAmplification    int
	CompactionDebt       uint64 // bytes
	Compactions, Flushes int64
	CompactionTime       time.Duration
	MemTableBytes        uint64
	WALBytes             uint64
	CacheHits, CacheMiss int64 // of Pebble's block cache
	WriteStalls          uint64
	WriteStallTime       time.Duration
	Checkpoints          uint64
}

// Health asks the store how it is; it costs some tenths of a millisecond.
func (s *State) Health() (Health, error) {
	s.mu.Lock()
	if err := s.usable(); err != nil {
		s.mu.Unlock()
		return Health{}, err
	}
	h := Health{Keys: s.keys, Dirty: s.dirty(), Cached: len(s.cells.m) + s.counts.used, Rankings: len(s.rankings.m), Checkpoints: s.checkpoints - s.opened}
	s.scans.Add(1)
	s.mu.Unlock()
	defer s.scans.Done()

	m := s.db.Metrics()
	h.Bytes = m.DiskSpaceUsage()
	h.L0Files, h.L0Sublevels, h.ReadAmplification = m.Levels[0].TablesCount, int64(m.Levels[0].Sublevels), m.ReadAmp()
	h.CompactionDebt, h.Compactions, h.CompactionTime = m.Compact.EstimatedDebt, m.Compact.Count, m.Compact.Duration
	h.Flushes, h.MemTableBytes, h.WALBytes = m.Flush.Count, m.MemTable.Size, m.WAL.Size
	h.CacheHits, h.CacheMiss = m.BlockCache.Hits, m.BlockCache.Misses
	h.WriteStalls, h.WriteStallTime = s.stalls.total()
	if usage, err := s.opts.FS.GetDiskUsage(s.dir); err == nil {
		h.FreeBytes = usage.AvailBytes
	}
	return h, nil
}

// stalls adds up how long Pebble made writes wait for flushes and compactions.
type stalls struct {
	mu    sync.Mutex
	n     uint64
	time  time.Duration
	since time.Time // zero: no stall now
}

func (s *stalls) begin(pebble.WriteStallBeginInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	s.since = time.Now()
}

func (s *stalls) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.since.IsZero() {
		s.time += time.Since(s.since)
		s.since = time.Time{}
	}
}

func (s *stalls) total() (n uint64, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if took = s.time; !s.since.IsZero() {
		took += time.Since(s.since)
	}
	return s.n, took
}
