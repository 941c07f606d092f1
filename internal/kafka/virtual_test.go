package kafka_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
	"windowed/state"
	"windowed/window"
)

// run is a supervised loop in a synctest bubble.
type run struct {
	h      *harness
	st     *state.State
	cancel context.CancelFunc
	done   chan error // gets what ended it
	gone   chan struct{}
}

func (h *harness) start() *run {
	ctx, cancel := context.WithCancel(context.Background())
	r := &run{h: h, st: h.openState(), cancel: cancel, done: make(chan error, 1), gone: make(chan struct{})}
	log := h.cfg.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	h.runs = append(h.runs, r)
	go func() {
		defer close(r.gone)
		// Without a reopen the state stays the same.
		_, err := engine.Supervise(ctx, r.st, nil, h.connect, h.status, log)
		r.done <- err
	}()
	return r
}

// ends waits until the run ends by itself, as it must.
func (r *run) ends(limit time.Duration) error {
	r.h.t.Helper()
	select {
	case err := <-r.done:
		return err
	case <-time.After(limit):
		r.h.t.Fatalf("still running after %v, %d records counted", limit, r.st.Totals().Records)
		return nil
	}
}

// end ends all that the test has started: a bubble would wait for it for ever.
func (h *harness) end() {
	for _, r := range h.runs {
		r.cancel()
	}
	for _, r := range h.runs {
		<-r.gone
		_ = r.st.Close()
	}
	for _, cl := range h.clients {
		cl.Close()
	}
	h.cluster.Close()
}

// stop ends the run and returns its error.
func (r *run) stop() error {
	r.cancel()
	err := <-r.done
	if cerr := r.st.Close(); err == nil {
		err = cerr
	}
	return err
}

// virtual runs f with a broker in a bubble of virtual time.
func virtual(t *testing.T, partitions int32, f func(*harness)) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, partitions, new(kfake.VirtualNetwork))
		defer h.end()
		f(h)
	})
}

// produce sends order values to a partition, each a list of drinks at an event time.
func (h *harness) produce(p int32, values ...string) {
	h.t.Helper()
	cl := h.client()
	defer cl.Close()
	for _, v := range values {
		if err := cl.ProduceSync(context.Background(), &kgo.Record{Topic: testTopics.Orders, Partition: p, Value: []byte(v)}).FirstErr(); err != nil {
			h.t.Fatal(err)
		}
	}
}

// one is an order of one drink at an event time.
func one(drink string, at time.Time) string {
	return fmt.Sprintf(`{"ts":%q,"items":[{"drink":%q,"quantity":1}]}`, at.UTC().Format(time.RFC3339Nano), drink)
}

// outputs are the committed records of the output topic, "type scope rev total" each.
func (h *harness) outputs(kind string) []string {
	h.t.Helper()
	cl := h.client(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{testTopics.Output: {0: kgo.NewOffset().AtStart()}}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	defer cl.Close()
	var all []string
	for {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		fetches := cl.PollFetches(ctx)
		cancel()
		if fetches.NumRecords() == 0 {
			return all
		}
		fetches.EachRecord(func(r *kgo.Record) {
			typ, revision := "", ""
			for _, head := range r.Headers {
				switch head.Key {
				case "type":
					typ = string(head.Value)
				case "revision":
					revision = string(head.Value)
				}
			}
			if typ == kind {
				all = append(all, fmt.Sprintf("%s r%s %s", r.Key, revision, r.Value))
			}
		})
	}
}

// counted waits until n records are counted.
func (r *run) counted(n uint64) {
	r.h.t.Helper()
	for range 2_000 {
		if r.st.Totals().Records >= n {
			return
		}
		select {
		case err := <-r.done:
			r.done <- err
			r.h.t.Fatalf("instance %s ended after %d of %d records: %v", r.h.cfg.Instance, r.st.Totals().Records, n, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	now := r.h.status.Now()
	r.h.t.Fatalf("only %d of %d records were counted; %s %s owns %v, pauses %v; times %+v", r.st.Totals().Records, n, r.h.cfg.Instance, now.Phase, now.Owned, now.Paused, r.st.Times())
}

func TestVirtualIdleClose(t *testing.T) {
	virtual(t, 2, func(h *harness) {
		h.job.Window, h.interval = 600_000, 500*time.Millisecond
		r := h.start()
		now := time.Now()
		size := window.Size(h.job.Window)
		h.produce(0, one("latte", now), one("mocha", now), one("latte", now))
		h.produce(1, one("latte", now))
		r.counted(4)
		time.Sleep(4 * time.Minute)
		if finals := h.outputs("final"); len(finals) != 0 {
			t.Fatalf("finals before the window's end: %v", finals)
		}
		// The window's end, the grace and the idle timeout pass without a new order.
		time.Sleep(8 * time.Minute)
		finals := h.outputs("final")
		start := window.FormatTime(size.Start(now.UnixMilli()))
		end := window.FormatTime(size.End(size.Start(now.UnixMilli())))
		want := fmt.Sprintf(`%s r0 {"schema":"windowed.top/v1","scope":"window","start":%q,"end":%q,"revision":0,"records":4,"total":4,"top":[{"rank":1,"drink":"latte","count":3},{"rank":2,"drink":"mocha","count":1}]}`, start, start, end)
		if len(finals) != 1 || finals[0] != want {
			t.Errorf("finals %v, want one %s", finals, want)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestVirtualSnapshotsOnlyWhenSomethingCame(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		r := h.start()
		h.produce(0, one("latte", time.Now()))
		r.counted(1)
		time.Sleep(10 * time.Minute)
		if n := len(h.outputs("snapshot")); n != 2 { // all time and the open window, once
			t.Errorf("%d snapshots for one order, want 2", n)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// While all partitions are idle and a window is open, its close-through follows the clock,
// but not with a transaction every commit interval.
func TestVirtualIdleIsQuiet(t *testing.T) {
	virtual(t, 2, func(h *harness) {
		h.job.Grace = 1000
		r := h.start()
		now := time.Now()
		h.produce(0, one("latte", now))
		h.produce(1, one("latte", now))
		r.counted(2)
		time.Sleep(5 * time.Minute)
		before := h.status.Now().Commits
		time.Sleep(15 * time.Minute)
		// One every three seconds, the twentieth part of a minute, and none is too few.
		if n := h.status.Now().Commits - before; n > 310 || n < 100 {
			t.Errorf("%d transactions in 15 idle minutes", n)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}
