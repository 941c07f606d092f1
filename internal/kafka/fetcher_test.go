package kafka_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/internal/engine"
	"windowed/internal/kafka"
)

// readers counts who has read the orders.
type readers struct {
	client atomic.Int64 // records by the client's consumer
	all    atomic.Int64 // records
}

func (r *readers) OnFetchRecordBuffered(*kgo.Record)         { r.client.Add(1) }
func (r *readers) OnFetchRecordUnbuffered(*kgo.Record, bool) {}
func (r *readers) OnFetchBatchRead(_ kgo.BrokerMetadata, topic string, _ int32, m kgo.FetchBatchMetrics) {
	if topic == testTopics.Orders {
		r.all.Add(int64(m.NumRecords))
	}
}

// watch counts who reads the orders of h.
func (h *harness) watch() *readers {
	r := new(readers)
	h.cfg.Hook = func(client string) kgo.Hook {
		if client == "orders" {
			return r
		}
		return new(readers)
	}
	return r
}

// flipper flips a bit of each answer that has mark in it, as long as left lasts.
type flipper struct {
	dial func(ctx context.Context, network, host string) (net.Conn, error)
	mark []byte
	left atomic.Int32
}

func (f *flipper) Dial(ctx context.Context, network, host string) (net.Conn, error) {
	conn, err := f.dial(ctx, network, host)
	return flipConn{conn, f}, err
}

type flipConn struct {
	net.Conn
	*flipper
}

func (c flipConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if i := bytes.Index(b[:n], c.mark); i >= 0 && c.left.Add(-1) >= 0 {
		b[i] ^= 1
	}
	return n, err
}

// As soon as a fetch fails, in whatever way, the client's consumer reads, and ten seconds
// after the trouble no more. Nothing is lost or counted twice on the way there and back.
func TestFetcherLeavesTroubleToTheClient(t *testing.T) {
	const mark = "flip me"
	for _, c := range []struct {
		name    string
		trouble func(h *harness, cut *cutter, flip *flipper)
	}{
		{"a leader that has moved", func(h *harness, _ *cutter, _ *flipper) {
			h.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.NotLeaderForPartition, Count: 3})
		}},
		{"a leader of another epoch", func(h *harness, _ *cutter, _ *flipper) {
			h.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.FencedLeaderEpoch, Count: 2})
		}},
		{"an error of the whole answer", func(h *harness, _ *cutter, _ *flipper) {
			h.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.UnknownServerError, TopLevel: true, Count: 1})
		}},
		{"an answer that is lost", func(_ *harness, cut *cutter, _ *flipper) { cut.left.Store(1) }},
		{"a bit that is flipped", func(_ *harness, _ *cutter, flip *flipper) { flip.left.Store(1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			virtual(t, 2, func(h *harness) {
				cut := &cutter{dial: h.network.DialContext, key: int16(kmsg.Fetch)}
				flip := &flipper{dial: cut.Dial, mark: []byte(mark)}
				h.cfg.Dialer = flip.Dial
				by := h.watch()
				r := h.start()
				h.feed(0, 20, time.Now())
				h.feed(1, 20, time.Now())
				r.counted(40)
				if by.client.Load() != 0 || by.all.Load() != 40 {
					t.Errorf("without trouble the client has read %d of %d records", by.client.Load(), by.all.Load())
				}
				c.trouble(h, cut, flip)
				marked := fmt.Sprintf(`{"note":%q,"ts":%q,"items":[{"drink":"latte","quantity":1}]}`, mark, time.Now().UTC().Format(time.RFC3339))
				for range 20 {
					h.produce(0, marked)
					h.feed(1, 1, time.Now())
				}
				r.counted(80)
				r.exact(80)
				during := by.client.Load()
				if during == 0 {
					t.Error("the client has read nothing: the test tests nothing")
				}
				time.Sleep(25 * time.Second) // the errors may have lasted
				h.feed(0, 20, time.Now())
				h.feed(1, 20, time.Now())
				r.counted(120)
				r.exact(120)
				if n := by.client.Load() - during; n != 0 {
					t.Errorf("long after it the client has read %d records", n)
				}
				if stopped := h.status.Now().Stopped; len(stopped) != 0 {
					t.Errorf("stopped: %v", stopped)
				}
				if err := r.stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A leader that moves is no trouble: the fetcher asks for the new one, and says up to where
// it has read by which.
func TestFetcherFollowsALeader(t *testing.T) {
	virtual(t, 2, func(h *harness) {
		by := h.watch()
		r := h.start()
		for i := range uint64(3) {
			h.feed(0, 20, time.Now())
			h.feed(1, 20, time.Now())
			r.counted(40 * (i + 1))
			h.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.NotLeaderForPartition, Count: 1})
			time.Sleep(15 * time.Second)
		}
		r.exact(120)
		if by.client.Load() != 0 || by.all.Load() != 120 {
			t.Errorf("the client has read %d of %d records", by.client.Load(), by.all.Load())
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// Orders of aborted transactions are not counted, those around them are, without help of
// the client's consumer.
func TestAbortedOrdersAreNotCounted(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		by := h.watch()
		writer := h.client(kgo.TransactionalID("shop"))
		want := uint64(0)
		send := func(n int, end kgo.TransactionEndTry) {
			t.Helper()
			if err := writer.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			for range n {
				r := &kgo.Record{Topic: testTopics.Orders, Value: []byte(one("latte", time.Now()))}
				if err := writer.ProduceSync(context.Background(), r).FirstErr(); err != nil {
					t.Fatal(err)
				}
			}
			if err := writer.EndTransaction(context.Background(), end); err != nil {
				t.Fatal(err)
			}
			if end == kgo.TryCommit {
				want += uint64(n)
			}
		}
		for i := range 5 {
			send(3+i, kgo.TryCommit)
			send(7, kgo.TryAbort)
			h.produce(0, one("latte", time.Now()))
			want++
		}
		r := h.start()
		r.counted(want)
		send(4, kgo.TryAbort)
		send(4, kgo.TryCommit)
		r.counted(want)
		time.Sleep(5 * time.Second)
		r.exact(want)
		if m, ok := r.st.Meta(0); !ok || m.Next != (3+4+5+6+7)+5*7+5+4+4+12 {
			t.Errorf("the position is %d: %v", m.Next, ok)
		}
		if by.client.Load() != 0 {
			t.Errorf("the client has read %d records", by.client.Load())
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// A partition that a batch has stopped stays where it is: neither a hold that ends nor
// anything else lets it go on behind what was not read. When it is resumed, it is tried
// again.
func TestStoppedPartitionIsNotSkipped(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		flip := &flipper{dial: h.network.DialContext, mark: []byte("flip me")}
		h.cfg.Dialer = flip.Dial
		s, err := kafka.NewSession(context.Background(), &h.cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for len(s.Ownership().Partitions) == 0 {
			time.Sleep(100 * time.Millisecond)
		}
		// read polls for two seconds; torn says whether something could not be read.
		read := func() (offsets []int64, torn bool) {
			t.Helper()
			for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
				all, err := s.Poll(context.Background(), 500*time.Millisecond)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range all {
					for r := new(engine.Record); f.Next(r); {
						offsets = append(offsets, r.Offset)
					}
					torn = torn || f.Err() != nil
					f.Done()
				}
			}
			return offsets, torn
		}
		for range 3 {
			h.produce(0, one("latte", time.Now()))
		}
		s.Resume(map[int32]int64{0: 0})
		if offsets, _ := read(); !slices.Equal(offsets, []int64{0, 1, 2}) {
			t.Fatalf("read %v", offsets)
		}
		flip.left.Store(2)
		h.produce(0, `{"note":"flip me"}`, one("latte", time.Now()))
		if _, torn := read(); !torn {
			t.Fatal("nothing was torn: the test tests nothing")
		}
		s.Resume(map[int32]int64{0: 0}) // as the loop does then
		if offsets, _ := read(); !slices.Equal(offsets, []int64{0, 1, 2}) || len(s.Stopped()) != 1 {
			t.Fatalf("read %v, stopped %v", offsets, s.Stopped())
		}
		s.Hold([]int32{0}, true)
		s.Hold([]int32{0}, false)
		if offsets, _ := read(); len(offsets) != 0 || len(s.Stopped()) != 1 {
			t.Errorf("behind a batch that was not read came %v, stopped %v", offsets, s.Stopped())
		}
		s.Resume(map[int32]int64{0: 1})
		s.Hold([]int32{0}, true)
		s.Hold([]int32{0}, false)
		if offsets, torn := read(); !slices.Equal(offsets, []int64{1, 2, 3, 4}) || torn || len(s.Stopped()) != 0 {
			t.Errorf("resumed at 1, read %v, stopped %v", offsets, s.Stopped())
		}
	})
}
