package state

import (
	"errors"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestHealth looks at a store on a disk.
func TestHealth(t *testing.T) {
	opts := testOptions(vfs.Default)
	st, err := Open(t.TempDir()+"/db", opts)
	if err != nil {
		t.Fatal(err)
	}
	mustApply(t, st, 0, 1, total("tea", 1), count(0, "tea", 1), numbers(0, 1, 1))
	h, err := st.Health()
	if err != nil || h.Dirty == 0 || h.Cached < h.Dirty || h.Rankings != 2 || h.FreeBytes == 0 || h.MemTableBytes == 0 || h.Checkpoints != 0 {
		t.Errorf("before the checkpoint: %+v, %v", h, err)
	}
	mustCheckpoint(t, st)
	if h, err = st.Health(); err != nil || h.Dirty != 0 || h.Checkpoints != 1 || h.Bytes == 0 || h.WALBytes == 0 {
		t.Errorf("after it: %+v, %v", h, err)
	}
	st.stalls.begin(pebble.WriteStallBeginInfo{})
	time.Sleep(time.Millisecond)
	if h, _ = st.Health(); h.WriteStalls != 1 || h.WriteStallTime < time.Millisecond {
		t.Errorf("in a stall: %+v", h)
	}
	st.stalls.end()
	if n, took := st.stalls.total(); n != 1 || took < time.Millisecond {
		t.Errorf("after a stall: %d, %v", n, took)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Health(); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
