package state

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/window"
)

// TestMemoryPerKey bounds what a count takes on the heap: of one partition, in many windows,
// of which each has some of the drinks. The names are shared by all windows.
func TestMemoryPerKey(t *testing.T) {
	const drinks, windows = 10_000, 600
	st, err := Open(filepath.Join(t.TempDir(), "state"), Options{FS: vfs.Default, Window: window.Lifecycle{Size: 1000, Retention: 1 << 40}, Logger: &testLogger{}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Abandon() }()
	names := make([]string, drinks)
	for i := range names {
		names[i] = fmt.Sprintf("drink %d", i)
	}
	heap := func() uint64 {
		mustCheckpoint(t, st)
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	fill := func(from, to int64) (counts int) {
		for w := from; w < to; w++ {
			var changes []Change
			some := 600 + int(w)*37%1000
			counts += some
			for i := range some {
				c := count(w*1000, names[(int(w)*31+i*7)%drinks], uint64(i+1))
				c.New = true
				changes = append(changes, c)
			}
			changes = append(changes, numbers(w*1000, 1, 1))
			mustApply(t, st, 0, w+1, changes...)
			if w%20 == 0 {
				mustCheckpoint(t, st)
			}
		}
		return counts
	}
	// The store's own buffers are full by then.
	fill(0, windows/3)
	before := heap()
	counts := fill(windows/3, windows)
	after := heap()
	per := float64(int64(after)-int64(before)) / float64(counts)
	t.Logf("%.1f bytes a count of a drink in a window", per)
	if per > 60 {
		t.Errorf("a count of a drink in a window takes %.1f bytes, want at most 60", per)
	}
	runtime.KeepAlive(names)
}

// TestFlushBytes: the room for a checkpoint is enough, and not much more than that.
func TestFlushBytes(t *testing.T) {
	st := mustOpen(t, testOptions(vfs.NewMem()))
	defer st.Close()
	var changes []Change
	for i := range 3000 {
		drink := strings.Repeat("x", i%40) + strconv.Itoa(i)
		changes = append(changes, total(drink, 1), count(0, drink, 1))
	}
	mustApply(t, st, 0, 1, changes...)
	batch := st.db.NewBatch()
	defer batch.Close()
	room := st.counts.flushBytes()
	if err := st.counts.flush(batch); err != nil {
		t.Fatal(err)
	}
	if n := batch.Len(); room < n || room > n+n/4 {
		t.Errorf("room for %d bytes; it takes %d", room, n)
	}
}
