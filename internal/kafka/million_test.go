package kafka_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
	"windowed/window"
)

// watched measures how long a loop does not come back to read.
type watched struct {
	engine.Transport
	back    time.Time
	longest atomic.Int64 // ns
	most    atomic.Int64 // changelog records of a transaction
}

func (w *watched) Poll(ctx context.Context, wait time.Duration) ([]engine.Fetched, error) {
	if away := int64(time.Since(w.back)); !w.back.IsZero() && away > w.longest.Load() {
		w.longest.Store(away)
	}
	fetched, err := w.Transport.Poll(ctx, wait)
	w.back = time.Now()
	return fetched, err
}

func (w *watched) Commit(ctx context.Context, t *engine.Transaction, generation uint64) engine.Outcome {
	n := 0
	for i := range t.Partitions {
		n += len(t.Partitions[i].Changes)
	}
	w.most.Store(max(w.most.Load(), int64(n)))
	return w.Transport.Commit(ctx, t, generation)
}

// TestWindowOfManyDrinks closes and expires a window of a great many drinks, a million with
// WINDOWED_FULL=1, while orders of the next windows come: neither is done at once, and the
// loop goes on reading all the while.
func TestWindowOfManyDrinks(t *testing.T) {
	drinks, orders := 40_000, 40_000
	if os.Getenv("WINDOWED_FULL") != "" {
		drinks, orders = 1_000_000, 1_200_000
	}
	const hour = int64(time.Hour / time.Millisecond)
	addr, end := brokerApart(t)
	defer end()
	h := newHarnessOn(t, []string{addr}, 12)
	h.fs, h.dir = vfs.Default, filepath.Join(t.TempDir(), "state")
	h.job.Window, h.job.Grace, h.job.Retention, h.job.NoClock = window.Size(hour), 0, hour, true
	h.load(orders, 1, drinks, true, 0)
	st := h.openState()
	defer st.Close()
	ctx, cancel := context.WithCancel(t.Context())
	opts, closeSession, err := h.connect(ctx, st)
	if err != nil {
		t.Fatal(err)
	}
	defer closeSession()
	seen := &watched{Transport: opts.Transport}
	opts.State, opts.Transport = st, seen
	done := make(chan error, 1)
	go func() { done <- engine.NewLoop(opts).Run(ctx) }()
	await := func(what string, is func() bool) {
		t.Helper()
		for began := time.Now(); !is(); time.Sleep(time.Millisecond) {
			if time.Since(began) > 3*time.Minute {
				t.Fatalf("still no %s: %+v", what, st.Totals())
			}
		}
	}
	counted := func(n int) func() bool {
		return func() bool { m, ok := st.Meta(0); return ok && m.Next >= int64(n) }
	}
	await("orders", counted(orders))
	held := func() uint64 {
		health, err := st.Health()
		if err != nil {
			t.Error(err)
		}
		return health.Keys
	}
	keys := held()
	t.Logf("%d keys are counted; away for %v at most", keys, time.Duration(seen.longest.Swap(0)))
	seen.most.Store(0)

	// Every other partition has nothing to say, so one is enough to close and to expire.
	cl := h.client()
	start := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	for i := range 12 {
		for p := range int32(12) {
			value := fmt.Appendf(nil, `{"ts":"%s","items":[{"drink":"later","quantity":1}]}`, start.Add(time.Duration(1+i/4)*time.Hour).Format(time.RFC3339))
			cl.Produce(ctx, &kgo.Record{Topic: testTopics.Orders, Partition: p, Value: value}, nil)
		}
		if err := cl.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		await("order of later", counted(orders+i+1))
	}
	await("expiry", func() bool { return held() <= keys/2+10 })
	longest := time.Duration(seen.longest.Load())
	t.Logf("closed and expired, %d keys are left; away for %v at most, %d changelog records in a transaction", held(), longest, seen.most.Load())
	if os.Getenv("WINDOWED_FULL") != "" && longest > 100*time.Millisecond {
		t.Errorf("the loop was away for %v", longest)
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
