//go:build unix

package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// errDisk is what a disk of a simulation fails with.
var errDisk = errors.New("the disk fails by the seed")

// simDisk is a disk that can fail, and lose what was not synced. Safe for concurrent use.
type simDisk struct {
	figures *simFigures

	mu    sync.Mutex
	rnd   *rand.Rand
	fs    *vfs.MemFS
	image *vfs.MemFS // what is left of a process that has died; nil: none has
	saved *vfs.MemFS // a backup; nil: there is none
	armed *diskFault
	other bool   // than at the last clean stop
	owed  string // a write has failed, and the process has not ended for it
}

// diskFaults are what can fail, at one of the next n operations. Syncs are rare.
var diskFaults = []diskFault{
	{what: "write", kinds: []errorfs.OpKind{errorfs.OpFileWrite, errorfs.OpFileWriteAt}, writes: true, n: 3},
	{what: "sync", kinds: []errorfs.OpKind{errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo}, writes: true, n: 1},
	{what: "read", kinds: []errorfs.OpKind{errorfs.OpFileRead, errorfs.OpFileReadAt, errorfs.OpOpen}, n: 30},
}

// diskFault strikes at the n-th operation of its kind.
type diskFault struct {
	what   string
	kinds  []errorfs.OpKind
	writes bool
	n      int
	err    error
}

func newSimDisk(figures *simFigures, salt uint64) *simDisk {
	return &simDisk{figures: figures, rnd: rand.New(rand.NewPCG(salt, 17)), fs: vfs.NewCrashableMem()}
}

// open is the disk for one life of a process.
func (d *simDisk) open() vfs.FS {
	d.mu.Lock()
	defer d.mu.Unlock()
	fs := d.fs
	return errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error { return d.strike(fs, op) }))
}

// arm lets an operation of one of the kinds of diskFaults fail soon.
func (d *simDisk) arm(what int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := diskFaults[what]
	cause := []error{syscall.EIO, syscall.EIO, syscall.ENOSPC, syscall.EROFS}[d.rnd.IntN(4)]
	if !f.writes {
		cause = syscall.EIO
	}
	f.n, f.err = 1+d.rnd.IntN(f.n), fmt.Errorf("%w: %w", errDisk, cause)
	d.armed = &f
}

// calm takes a fault back that has not struck.
func (d *simDisk) calm() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.armed = nil
}

func (d *simDisk) strike(fs *vfs.MemFS, op errorfs.Op) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.armed
	if f == nil || fs != d.fs || d.image != nil {
		return nil
	}
	if !slices.Contains(f.kinds, op.Kind) {
		return nil
	}
	if f.n--; f.n > 0 {
		return nil
	}
	d.armed = nil
	d.figures.add("disk errors: "+f.what, 1)
	err := &os.PathError{Op: f.what, Path: op.Path, Err: f.err}
	if f.writes {
		// What the process wrote is with the system, unless a sync has failed.
		d.image, d.owed = d.left(f.what == "sync"), err.Error()
	}
	return err
}

// left is what is on the disk if the process ends now; torn: without some of what was not
// synced.
func (d *simDisk) left(torn bool) *vfs.MemFS {
	percent := 100
	if torn {
		percent = d.rnd.IntN(101)
	}
	return d.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: d.rnd})
}

// crash takes note of what is left if the power is cut now.
func (d *simDisk) crash() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.image == nil {
		d.image = d.left(true)
	}
	d.armed, d.owed = nil, ""
}

// fatal takes note that the process has ended for its disk.
func (d *simDisk) fatal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owed = ""
	if d.image == nil {
		d.image = d.left(false)
	}
}

// ignored is a failed write for which the process has not ended.
func (d *simDisk) ignored() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.owed
}

// died says whether the process that used the disk has.
func (d *simDisk) died() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.image != nil
}

// restart makes what is left the disk of the next process.
func (d *simDisk) restart() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fs, d.image = d.image, nil
}

// stopped takes note of a clean stop; same says whether the disk is still that of the last
// one.
func (d *simDisk) stopped() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.other = false
}

func (d *simDisk) same() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.other
}

// save makes a backup of the disk while it is in use, if there is none yet.
func (d *simDisk) save() (saved bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.saved != nil {
		return false
	}
	d.saved = d.left(false)
	return true
}

// rewind puts the backup in.
func (d *simDisk) rewind() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fs, d.image, d.saved, d.armed, d.other = d.saved, nil, nil, nil, true
}

// replace puts another, empty disk in.
func (d *simDisk) replace() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fs, d.image, d.armed, d.other = vfs.NewCrashableMem(), nil, nil, true
}
