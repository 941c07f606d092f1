package state

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
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
	Logger       pebble.Logger    // Fatalf must not return; default: pebble's
}

// State is the committed state of one process. All methods may be called concurrently.
type State struct {
	opts Options
	db   *pebble.DB
	lock *pebble.Lock

	mu        sync.Mutex
	cells     *cells
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
}

// ErrLocked is wrapped when another process uses the state directory.
var ErrLocked = errors.New("another process uses this state directory")

// Sizes of Pebble's parts: batches of a checkpoint are large and sorted, so the
// memtable is large; reads mostly hit the cells above it.
const (
	memTableSize  = 32 << 20
	cacheSize     = 16 << 20
	formatPebble  = pebble.FormatColumnarBlocks
	dirPermission = 0o700
)

// Open opens the store in dir, or makes one. A store that another process uses is
// ErrLocked; one that cannot be read is ErrCorrupt.
func Open(dir string, opts Options) (*State, error) {
	opts = opts.withDefaults()
	if err := opts.FS.MkdirAll(dir, dirPermission); err != nil {
		return nil, fmt.Errorf("make state directory: %w", err)
	}
	lock, err := pebble.LockDirectory(dir, opts.FS)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrLocked, dir, err)
	}
	db, err := openPebble(dir, lock, opts)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	s := &State{
		opts: opts, db: db, lock: lock, cells: newCells(db),
		metas: make(map[int32]*Meta), positions: make(map[int32]int64),
		rankings:   newScopes(opts.RankCapacity, opts.RankWindows),
		unfinished: newStarts(opts.Window.Size), grown: newStarts(opts.Window.Size),
		newestClosed: window.None, oldest: make(map[int32]int64), oldestEmitted: math.MaxInt64,
		oldPositions: make(map[int32]int64),
	}
	if err := s.load(); err != nil {
		return nil, errors.Join(err, db.Close(), lock.Close())
	}
	return s, nil
}

func (o Options) withDefaults() Options {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.RankCapacity == 0 {
		o.RankCapacity = 1000
	}
	if o.RankWindows == 0 {
		o.RankWindows = 64
	}
	return o
}

func openPebble(dir string, lock *pebble.Lock, opts Options) (*pebble.DB, error) {
	cache := pebble.NewCache(cacheSize)
	defer cache.Unref()
	db, err := pebble.Open(dir, &pebble.Options{
		FS: opts.FS, Lock: lock, Logger: opts.Logger, Cache: cache,
		FormatMajorVersion: formatPebble, MemTableSize: memTableSize,
		CompactionConcurrencyRange: func() (int, int) { return 1, 2 },
	})
	switch {
	case err == nil:
		return db, nil
	case errors.Is(err, os.ErrPermission) || isDiskFull(err):
		return nil, fmt.Errorf("open state in %s: %w", dir, err)
	}
	return nil, corrupt(fmt.Errorf("open state in %s: %w", dir, err))
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
	for scope, r := range s.rankings.m {
		if r.changed && !r.complete {
			if err := s.storeRanking(scope, r.ranking); err != nil {
				return err
			}
			r.changed = false
		}
	}
	batch := s.db.NewBatch()
	defer batch.Close()
	if err := s.cells.flush(batch); err != nil {
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
	how := pebble.NoSync
	if sync {
		how = pebble.Sync
	}
	if err := batch.Commit(how); err != nil {
		return fmt.Errorf("checkpoint state: %w", err)
	}
	s.cells.flushed()
	for p, offset := range s.positions {
		s.oldPositions[p] = offset
	}
	return nil
}

// Dirty is the number of keys that the next checkpoint will write.
func (s *State) Dirty() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.cells.dirty)
}

// Close writes a last checkpoint and closes the store.
func (s *State) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.checkpointLocked(true)
	return errors.Join(err, s.db.Close(), s.lock.Close())
}

// Abandon closes the store without a checkpoint, after an error of Apply.
func (s *State) Abandon() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.db.Close(), s.lock.Close())
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
