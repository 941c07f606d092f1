package state

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
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
