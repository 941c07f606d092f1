package kafka_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ledger counts what is in memory: bytes of answers that nobody has begun to read, and
// records that somebody has.
type ledger struct{ fetched, most, read atomic.Int64 }

func (l *ledger) OnBrokerRead(_ kgo.BrokerMetadata, key int16, size int, _, _ time.Duration, err error) {
	if key == int16(kmsg.Fetch) && err == nil {
		if n := l.fetched.Add(int64(size)); n > l.most.Load() {
			l.most.Store(n)
		}
	}
}

func (l *ledger) OnFetchBatchRead(_ kgo.BrokerMetadata, _ string, _ int32, m kgo.FetchBatchMetrics) {
	l.fetched.Add(-int64(m.CompressedBytes))
	l.read.Add(int64(m.NumRecords))
}

// A broker that takes a second for every produce request slows counting down; it does
// not let anything grow. At most one transaction is under way while the next one fills.
func TestSlowBrokerBoundsMemory(t *testing.T) {
	virtual(t, 4, func(h *harness) {
		const orders = 1_800_000
		h.job.NoClock = true // its time is the year 2000, that of the orders is not
		want := h.load(orders, 4, 200, false, time.Millisecond)
		cut := &cutter{dial: h.network.DialContext, key: int16(kmsg.Produce), delay: time.Second}
		cut.left.Store(1 << 30)
		h.cfg.Dialer = cut.Dial
		l := new(ledger)
		h.cfg.Hook = func(client string) kgo.Hook {
			if client == "orders" {
				return l
			}
			return new(ledger)
		}
		r := h.start()
		most := int64(0)
		for done, looks := int64(0), 0; done < orders; looks++ {
			if looks == 60*20*10 {
				now := h.status.Now()
				t.Fatalf("%d of %d orders after ten minutes; %d aborts, %d sessions, %s", done, orders, now.Aborts, now.Rebuilds, now.LastError)
			}
			time.Sleep(50 * time.Millisecond)
			done = 0
			for p := range want {
				if m, ok := r.st.Meta(p); ok {
					done += m.Next
				}
			}
			most = max(most, l.read.Load()-done)
			select {
			case err := <-r.done:
				t.Errorf("it ended: %v", err)
				return
			default:
			}
		}
		// A transaction is full with 600,000 records: one that is nearly full may take what
		// another poll gives. One is under way while the next one fills.
		if limit := int64(1_240_000); most > limit {
			t.Errorf("%d records were read and not committed, want at most %d", most, limit)
		}
		// One answer comes in each of two lanes, two wait for the loop, and the hands have
		// parts of two.
		if limit := int64(6 * 2 << 20); l.most.Load() > limit {
			t.Errorf("%d bytes were fetched and not read, want at most %d", l.most.Load(), limit)
		}
		if cut.lost.Load() == 0 {
			t.Error("no produce request was slow: the test tests nothing")
		}
		t.Logf("%d slow requests; at most %d records not committed, %d bytes not read", cut.lost.Load(), most, l.most.Load())
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// A transaction that outlives its timeout is aborted by the brokers, which fence its
// producer. That is not another process with the same id, however often it happens.
func TestTransactionTimesOut(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		cut := &cutter{dial: h.network.DialContext, key: int16(kmsg.Produce), delay: 12 * time.Second}
		h.cfg.Dialer = cut.Dial
		r := h.start()
		h.feed(0, 3, time.Now())
		r.counted(3)
		for i := range 4 {
			cut.left.Store(1)
			h.feed(0, 5, time.Now())
			r.counted(uint64(8 + 5*i))
			time.Sleep(20 * time.Second)
		}
		r.exact(23)
		if now := h.status.Now(); now.Fenced != 0 || now.Rebuilds+now.Aborts == 0 {
			t.Errorf("fenced %d times, %d sessions, %d aborts", now.Fenced, now.Rebuilds, now.Aborts)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}
