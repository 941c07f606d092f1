package state

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/window"
)

// Options of a State. The zero value of a field means its default.
type Options struct {
	FS           vfs.FS           // default: the disk
	Window       window.Lifecycle // required
	RankCapacity int              // entries per ranking; default 1000
	RankWindows  int              // rankings of open windows in memory; default 64
	Logger       pebble.Logger    // Fatalf ends the process; default: pebble's
}

// State is the committed state of one process. All methods may be called concurrently.
type State struct {
	opts Options
	dir  string
	db   *pebble.DB
	lock *pebble.Lock

	mu        sync.Mutex
	cells     *cells  // all keys but counts and sums
	counts    *counts // counts and sums
	metas     map[int32]*Meta
	global    *Global
	positions map[int32]int64
	rankings  *scopes
	version   uint64 // rises with every Apply

	unfinished    *starts // accepted records, no final yet
	grown         *starts // counted more than their final says
	newestClosed  int64   // start of the newest window with a final; None
	oldest        map[int32]int64
	oldestEmitted int64

	oldPositions map[int32]int64 // as of the last checkpoint
	keys         uint64          // sums of drinks, over all scopes
	checkpoints  uint64          // that were ever written
	opened       uint64          // checkpoints when it was opened

	scans sync.WaitGroup        // reads that go on without the lock
	found atomic.Pointer[error] // damage Pebble found on its own
	view  atomic.Pointer[View]  // what is read without the lock

	stalls stalls
}

var (
	// ErrLocked is wrapped when another process uses the state directory.
	ErrLocked = errors.New("another process uses this state directory")
	// ErrUnusable is wrapped by the error of an Apply that failed halfway, and by all that
	// is asked of the state after it. If it is no ErrCorrupt, the store is whole as of its
	// last checkpoint, and a new process goes on from there.
	ErrUnusable = errors.New("the state in memory is of no use any more")
	// ErrClosed is what a closed state answers.
	ErrClosed = errors.New("the state is closed")
)

// Sizes of Pebble's parts: batches of a checkpoint are large and sorted, and hold a few
// megabytes; reads mostly hit the cells above it.
const (
	memTableSize  = 4 << 20
	cacheSize     = 16 << 20
	formatPebble  = pebble.FormatColumnarBlocks
	dirPermission = 0o700
	// A checkpoint of counts that are all over the store is a table that overlaps with all
	// others, so each compaction writes nearly all again. Reads mostly hit what is in memory.
	compactAt = 8
)

// Open opens the store in dir, or makes one. A store that another process uses is
// ErrLocked; one that cannot be read is ErrCorrupt. From here on a write to the store that
// fails ends the process by Options.Logger's Fatalf.
func Open(dir string, opts Options) (*State, error) {
	opts = opts.withDefaults()
	opts.FS = writes{opts.FS, opts.Logger}
	if err := opts.FS.MkdirAll(dir, dirPermission); err != nil {
		return nil, fmt.Errorf("make state directory: %w", err)
	}
	lock, err := lockDirectory(dir, opts.FS)
	if err != nil {
		return nil, err
	}
	s := &State{
		opts: opts, dir: dir, lock: lock,
		metas: make(map[int32]*Meta), positions: make(map[int32]int64),
		rankings:   newScopes(opts.RankCapacity, opts.RankWindows),
		unfinished: newStarts(opts.Window.Size), grown: newStarts(opts.Window.Size),
		newestClosed: window.None, oldest: make(map[int32]int64), oldestEmitted: math.MaxInt64,
		oldPositions: make(map[int32]int64),
	}
	if s.db, err = s.openPebble(dir); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	s.cells = newCells(s.db)
	s.counts = newCounts(s.cells)
	if err := s.load(); err != nil {
		return nil, errors.Join(err, s.Abandon())
	}
	s.opened = s.checkpoints
	s.view.Store(new(View))
	s.show(map[window.Scope]bool{window.AllTime: true})
	return s, nil
}

func lockDirectory(dir string, fs vfs.FS) (*pebble.Lock, error) {
	lock, err := pebble.LockDirectory(dir, fs)
	var file *os.PathError
	switch {
	case errors.As(err, &file):
		return nil, fmt.Errorf("lock state directory: %w", err) // the lock file cannot be made
	case err != nil:
		return nil, fmt.Errorf("%w: %s: %w", ErrLocked, dir, err)
	}
	return lock, nil
}

func (o Options) withDefaults() Options {
	if o.FS == nil {
		o.FS = disk(vfs.Default)
	}
	if o.Logger == nil {
		o.Logger = pebble.DefaultLogger
	}
	if o.RankCapacity == 0 {
		o.RankCapacity = 1000
	}
	if o.RankWindows == 0 {
		o.RankWindows = 64
	}
	return o
}

func (s *State) openPebble(dir string) (*pebble.DB, error) {
	cache := pebble.NewCache(cacheSize)
	defer cache.Unref()
	db, err := pebble.Open(dir, &pebble.Options{
		FS: s.opts.FS, Lock: s.lock, Logger: s.opts.Logger, Cache: cache,
		FormatMajorVersion: formatPebble, MemTableSize: memTableSize, Merger: Merger,
		L0CompactionThreshold: compactAt, L0StopWritesThreshold: 3 * compactAt,
		CompactionConcurrencyRange: func() (int, int) { return 1, 2 },
		EventListener: &pebble.EventListener{
			DataCorruption: s.foundDamage, WriteStallBegin: s.stalls.begin, WriteStallEnd: s.stalls.end,
		},
	})
	if err != nil {
		return nil, corrupt(fmt.Errorf("open state in %s: %w", dir, err))
	}
	return db, nil
}

// Checkpoint writes what was applied since the last one to Pebble, together with the
// changelog positions it reflects. Without sync a power cut may lose it, which costs a
// longer replay and nothing else.
func (s *State) Checkpoint(sync bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.checkpointLocked(sync)
}

func (s *State) checkpointLocked(sync bool) error {
	if err := s.usable(); err != nil {
		return err
	}
	for scope, r := range s.rankings.m {
		if r.changed && !r.complete {
			s.storeRanking(scope, r.ranking)
			r.changed = false
		}
	}
	batch := s.db.NewBatchWithSize(s.counts.flushBytes())
	defer batch.Close()
	if err := s.flush(batch); err != nil {
		return err
	}
	for p, offset := range s.positions {
		if s.oldPositions[p] == offset {
			continue
		}
		if err := batch.Set(appendPartition(nil, positionKind, p), appendPosition(nil, offset), nil); err != nil {
			return err
		}
	}
	if batch.Empty() && !sync {
		return nil
	}
	if err := s.chain(batch); err != nil {
		return err
	}
	how := pebble.NoSync
	if sync {
		how = pebble.Sync
	}
	if err := batch.Commit(how); err != nil {
		return fmt.Errorf("checkpoint state: %w", err)
	}
	s.checkpoints++
	s.cells.flushed()
	s.counts.flushed()
	for p, offset := range s.positions {
		s.oldPositions[p] = offset
	}
	return nil
}

// flush writes everything that is newer than Pebble to batch, in order of the keys.
func (s *State) flush(batch *pebble.Batch) error {
	if err := s.cells.flush(batch, 0, countKind); err != nil {
		return err
	}
	if err := s.counts.flush(batch); err != nil {
		return err
	}
	return s.cells.flush(batch, sumKind+1, endKind)
}

// Cached is how many counts are in memory.
func (s *State) Cached() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts.used
}

// Dirty is the number of keys that the next checkpoint will write.
func (s *State) Dirty() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dirty()
}

func (s *State) dirty() int { return len(s.cells.dirty) + s.counts.news }

// Close writes a last checkpoint and closes the store. What is asked of it later is
// answered with ErrClosed.
func (s *State) Close() error { return s.close(true) }

// Abandon closes the store without a checkpoint, after an error of Apply.
func (s *State) Abandon() error { return s.close(false) }

func (s *State) close(checkpoint bool) (err error) {
	s.mu.Lock()
	if errors.Is(s.cells.failed, ErrClosed) {
		s.mu.Unlock()
		return nil
	}
	if checkpoint {
		err = s.checkpointLocked(true)
	}
	s.cells.failed = ErrClosed
	s.hide(ErrClosed)
	s.mu.Unlock()
	s.scans.Wait() // Pebble panics when it closes under a read
	return errors.Join(err, s.db.Close(), s.lock.Close())
}

// Quarantine moves the store in dir aside, so that a new one can be restored from the
// changelog. It returns the new place.
func Quarantine(dir string, now time.Time) (string, error) {
	aside := fmt.Sprintf("%s.bad-%s", filepath.Clean(dir), now.UTC().Format("20060102T150405.000"))
	if err := os.Rename(dir, aside); err != nil {
		return "", fmt.Errorf("move damaged state aside: %w", err)
	}
	return aside, nil
}
