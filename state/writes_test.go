package state

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"windowed/window"
)

// TestFullDisk: a disk that is full while a checkpoint is written, in the middle of the
// log or where a new log begins, ends the process with a message that says so. Pebble
// alone panics, in the second case in a way that nobody can recover from (pebble#3427, #270).
func TestFullDisk(t *testing.T) {
	for name, kind := range map[string]func(errorfs.Op) bool{
		"write":  func(op errorfs.Op) bool { return op.Kind == errorfs.OpFileWrite },
		"sync":   func(op errorfs.Op) bool { return op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData },
		"create": func(op errorfs.Op) bool { return op.Kind == errorfs.OpCreate },
	} {
		t.Run(name, func(t *testing.T) {
			var full atomic.Bool
			inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
				if full.Load() && kind(op) {
					return &os.PathError{Op: name, Path: op.Path, Err: syscall.ENOSPC}
				}
				return nil
			})
			logger := &endLogger{ended: make(chan error, 10)}
			opts := testOptions(errorfs.Wrap(vfs.NewMem(), inject))
			opts.Logger = logger
			st, err := Open("state", opts)
			if err != nil {
				t.Fatal(err)
			}
			full.Store(true)
			go func() {
				for i := range int64(1000) {
					// The last one does not fit into what is left of a log.
					changes := []Change{total(fmt.Sprint(i, strings.Repeat("x", 200_000)), 1)}
					if st.Apply(0, changes, i+1) == nil {
						_ = st.Checkpoint(name == "sync")
					}
				}
				logger.ended <- nil
			}()
			select {
			case err := <-logger.ended:
				if err == nil || !strings.Contains(err.Error(), "no space left on device") || !strings.Contains(err.Error(), "state") {
					t.Errorf("it ends with %v, want a message that names the full disk", err)
				}
			case <-time.After(time.Minute):
				t.Error("nobody noticed that the disk is full")
			}
		})
	}
}

// TestFullDiskAtStart: the disk is full while a store is opened whose log has to be
// flushed and whose tables are due for a compaction, at each of its writes. Pebble alone
// tries again for ever (pebble#908), or panics in a compaction that outlives the attempt to
// open.
func TestFullDiskAtStart(t *testing.T) {
	killed := unsettled(t)
	for left := int32(0); ; left++ {
		disk := vfs.NewMem()
		if _, err := vfs.Clone(killed, disk, "state", "state"); err != nil {
			t.Fatal(err)
		}
		var written atomic.Int32
		inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() != errorfs.OpIsWrite || written.Add(1) <= left {
				return nil
			}
			return &os.PathError{Op: "write", Path: op.Path, Err: syscall.ENOSPC}
		})
		logger := &endLogger{ended: make(chan error, 10)}
		go func() {
			opts := testOptions(errorfs.Wrap(disk, inject))
			opts.Logger = logger
			st, err := Open("state", opts)
			if err == nil {
				err = st.Abandon()
			}
			logger.ended <- err
		}()
		select {
		case err := <-logger.ended:
			switch {
			case err == nil && left > 20:
				return
			case err == nil:
				t.Fatalf("%d writes are enough", left)
			case !strings.Contains(err.Error(), "no space left on device"):
				t.Fatalf("with room for %d writes: %v, want a message that names the full disk", left, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("with room for %d writes: nobody noticed that the disk is full", left)
		}
	}
}

// unsettled is the disk of a process that was killed with so much in its log that it is
// flushed at the next start, and with so many tables that they are then compacted.
func unsettled(t *testing.T) *vfs.MemFS {
	t.Helper()
	fs := vfs.NewCrashableMem()
	if err := mustOpen(t, testOptions(fs)).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := pebble.Open("state", &pebble.Options{
		FS: fs, Logger: &testLogger{}, FormatMajorVersion: formatPebble, Merger: Merger, MemTableSize: 64 << 20,
		DisableAutomaticCompactions: true, L0StopWritesThreshold: 3 * compactAt,
	})
	if err != nil {
		t.Fatal(err)
	}
	set := func(drink string) {
		if err := db.Set(appendSumKey(nil, window.AllTime, drink), appendU64(nil, 1), nil); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 * compactAt {
		set("a")
		set("z")
		if err := db.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		set(fmt.Sprint("m", i, strings.Repeat("x", memTableSize/8)))
	}
	set("z")
	killed := fs.CrashClone(vfs.CrashCloneCfg{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return killed
}
