//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// expire takes out of what is expected the windows that have expired: all that ended
// longer than the retention before the time through which everything is closed, but
// never the newest closed one. It waits until the program has deleted them.
func (e *expectation) expire(t *testing.T, g *program, retention time.Duration) {
	t.Helper()
	starts := e.starts()
	newest := starts[len(starts)-1]
	through := e.closedThrough(g) - retention.Milliseconds()
	gone := 0
	for _, start := range starts {
		if end := start + e.window.Milliseconds(); end <= through && start != newest {
			e.forget(start)
			gone++
		}
	}
	if gone == 0 {
		t.Fatal("no window has expired: the test is of no use")
	}
	eventually(t, fmt.Sprintf("%d of %d windows to expire", gone, len(starts)), func() error {
		if n := len(g.windows().Windows); n != len(starts)-gone {
			return fmt.Errorf("%d are listed", n)
		}
		return nil
	})
}

// buried waits until the tombstones of what has expired are written: each partition's come
// with its next transaction.
func (e *expectation) buried(o *outside) {
	o.t.Helper()
	eventually(o.t, "the tombstones", func() error {
		for p, records := range o.committed(o.topics.Changelog) {
			if have, want := len(lastValues(records)), len(e.partitions[p].counts); have > want {
				return fmt.Errorf("partition %d has %d counts, not %d", p, have, want)
			}
		}
		return nil
	})
}

// closedThrough is the close-through the program answers with, ms.
func (e *expectation) closedThrough(g *program) int64 {
	g.t.Helper()
	var all struct {
		AsOf struct {
			Watermark time.Time `json:"watermark"`
		} `json:"as_of"`
	}
	g.answer("/v1/windows", &all)
	return all.AsOf.Watermark.UnixMilli()
}

// forget drops a window: its counts have tombstones in the changelog.
func (e *expectation) forget(start int64) {
	delete(e.windows, start)
	suffix := fmt.Sprintf(":%d", start)
	for p := range e.partitions {
		for key := range e.partitions[p].counts {
			if strings.HasSuffix(key, suffix) {
				delete(e.partitions[p].counts, key)
			}
		}
	}
}
