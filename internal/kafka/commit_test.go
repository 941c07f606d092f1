package kafka_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/state"
	"windowed/window"
)

// committed are the committed records of a topic's partition.
func (h *harness) committed(topic string, p int32) (all []*kgo.Record) {
	h.t.Helper()
	cl := h.client(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {p: kgo.NewOffset().AtStart()}}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	defer cl.Close()
	for {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		fetches := cl.PollFetches(ctx)
		cancel()
		if fetches.NumRecords() == 0 {
			return all
		}
		all = append(all, fetches.Records()...)
	}
}

// letters is the number of committed dead letters in partition 0.
func (h *harness) letters() int {
	h.t.Helper()
	return len(h.committed(testTopics.DeadLetters, 0))
}

// ends are the offsets of each transaction that the broker was asked to commit.
type ends struct {
	mu   sync.Mutex
	open map[int32]int64
	all  []map[int32]int64
}

func (e *ends) see(req kmsg.Request) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch req := req.(type) {
	case *kmsg.TxnOffsetCommitRequest:
		for _, t := range req.Topics {
			for _, p := range t.Partitions {
				e.open[p.Partition] = p.Offset
			}
		}
	case *kmsg.EndTxnRequest:
		if req.Commit {
			e.all = append(e.all, e.open)
		}
		e.open = make(map[int32]int64)
	}
	return true
}

// A transaction without an offset has no fence: one of a member that has lost its
// partitions would be committed. An offset that is not the meta's would skip or repeat
// orders if the state were lost. So every transaction carries offsets, those that only
// close windows too, and all of them are in the metas.
func TestTransactionsCarryTheOffsetsOfTheirMetas(t *testing.T) {
	virtual(t, 2, func(h *harness) {
		h.job.Window, h.job.Grace, h.job.IdleTimeout, h.interval = 60_000, 0, 5000, 70*time.Millisecond
		seen := &ends{open: make(map[int32]int64)}
		h.cluster.Fault(kfake.Fault{
			Keys: []kmsg.Key{kmsg.TxnOffsetCommit, kmsg.EndTxn}, TopLevel: true, Observe: true, Count: -1, When: seen.see,
		})
		r := h.start()
		h.feed(0, 20, time.Now())
		h.feed(1, 20, time.Now())
		r.counted(40)
		time.Sleep(3 * time.Minute)
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		if n := len(h.outputs("final")); n != 1 {
			t.Errorf("%d finals, want one of a window that closed without an order", n)
		}
		metas := map[int32][]int64{0: h.positions(0), 1: h.positions(1)}
		if len(seen.all) < 10 {
			t.Errorf("%d transactions: the test tests nothing", len(seen.all))
		}
		for i, offsets := range seen.all {
			if len(offsets) == 0 {
				t.Errorf("transaction %d of %d carries no offset", i, len(seen.all))
			}
			for p, at := range offsets {
				if !slices.Contains(metas[p], at) {
					t.Errorf("transaction %d commits offset %d of partition %d, the metas have %v", i, at, p, metas[p])
				}
			}
		}
	})
}

// positions are the input positions of all metas in changelog partition p.
func (h *harness) positions(p int32) (all []int64) {
	h.t.Helper()
	for _, r := range h.committed(testTopics.Changelog, p) {
		c, err := state.DecodeChange(r.Key, r.Value)
		if err != nil {
			h.t.Fatal(err)
		}
		if c.Kind == state.MetaKind {
			all = append(all, c.Meta.Next)
		}
	}
	return all
}

// KAFKA-7895: a window has one final, however often the program starts anew, and also if
// it has lost its disk.
func TestOneFinalAfterRestarts(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		h.job.Window, h.job.Grace, h.interval = 60_000, 0, 500*time.Millisecond
		for i := range 4 {
			r := h.start()
			h.produce(0, one("latte", time.Now()))
			r.counted(uint64(i + 1))
			time.Sleep(5 * time.Minute)
			if err := r.stop(); err != nil {
				t.Error(err)
			}
			if finals := h.outputs("final"); len(finals) != i+1 {
				t.Fatalf("%d finals of %d windows: %q", len(finals), i+1, finals)
			}
			if i%2 == 1 {
				h.fs = newMem() // the disk is lost
			}
		}
	})
}

// The group's offset lies behind what the state has counted, as after a reset: the state
// is the truth, no order counts again.
func TestGroupOffsetBehindTheState(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		r := h.start()
		h.feed(0, 10, time.Now())
		r.counted(10)
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // the group is empty
		cl := h.client()
		var back kadm.Offsets
		back.AddOffset(testTopics.Orders, 0, 3, -1)
		if _, err := kadm.NewClient(cl).CommitOffsets(context.Background(), h.cfg.Group, back); err != nil {
			t.Fatal(err)
		}
		cl.Close()
		r = h.start()
		h.feed(0, 5, time.Now())
		r.counted(15)
		time.Sleep(time.Minute)
		r.exact(15)
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// At least once, a crash cuts a commit: counts without the meta that says what they
// count. Their owner writes them again as they were, or the next restore counts them.
func TestCutCommitIsRepaired(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		h.cfg.AtLeastOnce = true
		r := h.start()
		h.feed(0, 5, time.Now())
		r.counted(5)
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
		cl := h.client()
		for _, key := range []string{"latte:all", "mocha:all"} {
			cut := &kgo.Record{Topic: testTopics.Changelog, Key: []byte(key), Value: []byte{0, 0, 0, 0, 0, 0, 0, 8}}
			if err := cl.ProduceSync(context.Background(), cut).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		cl.Close()
		for range 2 {
			r = h.start()
			h.feed(0, 3, time.Now())
			n := uint64(len(h.committed(testTopics.Orders, 0)))
			r.counted(n)
			top, err := r.st.Top(window.AllTime, 10)
			if want := fmt.Sprintf("[{latte %d}]", n); err != nil || fmt.Sprint(top) != want {
				t.Errorf("top of all time is %v (%v), want %s", top, err, want)
			}
			if err := r.stop(); err != nil {
				t.Fatal(err)
			}
			h.fs = newMem() // the disk is lost
		}
	})
}
