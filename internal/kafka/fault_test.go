package kafka_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/internal/engine"
	"windowed/internal/exit"
	"windowed/internal/kafka"
	"windowed/window"
)

// feed produces n orders, one every 50 ms, from event time base on.
func (h *harness) feed(p int32, n int, base time.Time) {
	h.t.Helper()
	cl := h.client()
	defer cl.Close()
	for i := range n {
		r := &kgo.Record{Topic: testTopics.Orders, Partition: p, Value: []byte(one("latte", base.Add(time.Duration(i)*time.Second)))}
		if err := cl.ProduceSync(context.Background(), r).FirstErr(); err != nil {
			h.t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// feeding is feed beside the test, which must wait for the channel to be closed.
func (h *harness) feeding(p int32, n int, base time.Time) <-chan struct{} {
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		h.feed(p, n, base)
	}()
	return fed
}

// exact checks that n records of one latte were counted.
func (r *run) exact(n uint64) { r.h.t.Helper(); r.whole(n, n) }

// whole checks how many records and portions were counted, all of latte.
func (r *run) whole(records, n uint64) {
	r.h.t.Helper()
	top, err := r.st.Top(window.AllTime, 1)
	if err != nil || len(top) != 1 || top[0].Count != n {
		r.h.t.Errorf("top of all time is %v (%v), want latte %d", top, err, n)
	}
	totals := r.st.Totals()
	if totals.Portions != n || totals.Records != records {
		r.h.t.Errorf("%d records and %d portions, want %d and %d", totals.Records, totals.Portions, records, n)
	}
}

// franz-go#1207, #1052, #855, C36: EndTxn is done, its answer is lost. Going on with the same
// session would count the transaction twice.
func TestLostEndTxnAnswers(t *testing.T) {
	for name, drops := range map[string]int32{"one": 1, "ten": 10, "forty": 40} {
		t.Run(name, func(t *testing.T) {
			virtual(t, 1, func(h *harness) {
				cut := &cutter{dial: h.network.DialContext, key: int16(kmsg.EndTxn)}
				h.cfg.Dialer = cut.Dial
				r := h.start()
				h.feed(0, 20, time.Now())
				r.counted(20)
				cut.left.Store(drops)
				for range 5 {
					h.feed(0, 10, time.Now())
					h.produce(0, "no order")
				}
				r.counted(75)
				time.Sleep(2 * time.Minute)
				r.whole(75, 70)
				if n := h.letters(); n != 5 {
					t.Errorf("%d dead letters of 5 bad records", n)
				}
				if cut.lost.Load() == 0 {
					t.Error("no answer was lost: the test tests nothing")
				}
				if err := r.stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// franz-go commits a transaction although a record failed; we must not. Nothing of it may
// be seen: not in the state, and not in other topics.
func TestFailedRecordAborts(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		r := h.start()
		h.feed(0, 3, time.Now())
		r.counted(3)
		fault := h.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: testTopics.Changelog, Err: kerr.InvalidRecord, Count: 1})
		h.produce(0, one("latte", time.Now()), "no order")
		err := r.ends(time.Minute)
		if !errors.Is(err, engine.ErrFatal) || !strings.Contains(err.Error(), "write to "+testTopics.Changelog) {
			t.Errorf("error %v, want a fatal one that names the changelog", err)
		}
		if fault.Hits() != 1 {
			t.Errorf("%d faults, want 1", fault.Hits())
		}
		if n := r.st.Totals().Records; n != 3 {
			t.Errorf("%d records counted, some by an aborted transaction", n)
		}
		_ = r.st.Close()
		if n := h.letters(); n != 0 {
			t.Errorf("%d dead letters of an aborted transaction", n)
		}
		r = h.start() // the order is not lost
		r.counted(5)
		if n := r.st.Totals().Portions; n != 4 {
			t.Errorf("%d portions, want 4", n)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		if n := h.letters(); n != 1 {
			t.Errorf("%d dead letters of one bad record", n)
		}
	})
}

// The group moves while a transaction ends: it is aborted, and all its orders count in a
// later one.
func TestAbortedOrdersCountLater(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		r := h.start()
		h.feed(0, 3, time.Now())
		r.counted(3)
		h.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.RebalanceInProgress, Count: 2})
		h.feed(0, 20, time.Now())
		r.counted(23)
		r.exact(23)
		if h.status.Now().Aborts == 0 {
			t.Error("nothing was aborted: the test tests nothing")
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// Every retriable answer on the way of a transaction, once and three times: progress. One
// that has no offset yet is none that says 0 (KAFKA-20416).
func TestRetriableFaults(t *testing.T) {
	for _, key := range []kmsg.Key{kmsg.Produce, kmsg.TxnOffsetCommit, kmsg.EndTxn, kmsg.InitProducerID, kmsg.OffsetFetch, kmsg.ListOffsets, kmsg.Heartbeat, kmsg.JoinGroup} {
		for _, err := range []*kerr.Error{kerr.CoordinatorNotAvailable, kerr.NotCoordinator, kerr.RequestTimedOut, kerr.NotLeaderForPartition} {
			t.Run(key.Name()+"/"+err.Message, func(t *testing.T) {
				virtual(t, 2, func(h *harness) {
					h.interval = 200 * time.Millisecond
					h.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: err, Count: 3})
					r := h.start()
					h.feed(0, 10, time.Now())
					h.feed(1, 10, time.Now())
					r.counted(20)
					r.exact(20)
					if err := r.stop(); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// A restart without a clean end: the state is as old as its last checkpoint, the
// transaction of the dead process is open.
func TestRestartAfterCrash(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		dead := h.client(kgo.TransactionalID(h.cfg.TransactionalID()), kgo.TransactionTimeout(time.Minute))
		if err := dead.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		// A count that was never committed, of the same writer.
		open := &kgo.Record{Topic: testTopics.Changelog, Key: []byte("latte:all"), Value: []byte{0, 0, 0, 0, 0, 0, 0, 99}}
		if err := dead.ProduceSync(context.Background(), open).FirstErr(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		r := h.start()
		h.feed(0, 10, time.Now())
		r.counted(10)
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("the first commit took %v: it waited for the dead transaction", took)
		}
		r.exact(10)
		dead.Close()
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// KAFKA-10167, kafka-flow#850, #852, #857: a restore bounded by the last stable offset would miss what lies behind
// the open transaction of a dead process; ours waits for it, and says for whom. It does
// not wait for ever (kafka-flow#849).
func TestOpenTransactionOfAnother(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		other := h.client(kgo.TransactionalID("other"), kgo.TransactionTimeout(time.Minute))
		if err := other.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		if err := other.ProduceSync(context.Background(), &kgo.Record{Topic: testTopics.Changelog, Key: []byte("latte:all"), Value: []byte{0, 0, 0, 0, 0, 0, 0, 9}}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		r := h.start()
		err := r.ends(10 * time.Minute)
		if exit.Code(err) != exit.NotReady || !strings.Contains(err.Error(), "producer id") {
			t.Errorf("error %v (exit %d), want exit 4 with the producer", err, exit.Code(err))
		}
		if took := time.Since(began); took < kafka.TakeoverWait || took > kafka.TakeoverWait+10*time.Second {
			t.Errorf("gave up after %v, want about %v", took, kafka.TakeoverWait)
		}
		_ = r.st.Close()
		other.Close()
	})
}

// KAFKA-12951, -12980, -14302: the end of a changelog may be a marker, an aborted
// transaction, or nothing at all.
func TestRestoreBehindMarkersAndAborts(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		r := h.start()
		h.feed(0, 10, time.Now())
		r.counted(10)
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
		other := h.client(kgo.TransactionalID("other"))
		for range 3 {
			if err := other.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				other.Produce(context.Background(), &kgo.Record{Topic: testTopics.Changelog, Key: []byte("latte:all"), Value: []byte{0, 0, 0, 0, 0, 0, 0, 9}}, nil)
			}
			if err := other.Flush(context.Background()); err != nil {
				t.Fatal(err)
			}
			if err := other.EndTransaction(context.Background(), kgo.TryAbort); err != nil {
				t.Fatal(err)
			}
		}
		other.Close()
		h.cluster.Compact()
		h.fs = newMem() // the disk is lost
		r = h.start()
		r.counted(10)
		r.exact(10)
		h.feed(0, 5, time.Now())
		r.counted(15)
		r.exact(15)
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// W12, real-kafka.md (f): a topic made anew ends the run with a clear message, at once.
func TestTopicMadeAnewWhileRunning(t *testing.T) {
	for _, topic := range []string{testTopics.Orders, testTopics.Changelog} {
		t.Run(topic, func(t *testing.T) {
			virtual(t, 1, func(h *harness) {
				r := h.start()
				h.feed(0, 5, time.Now())
				r.counted(5)
				cl := h.client()
				adm := kadm.NewClient(cl)
				if _, err := adm.DeleteTopic(context.Background(), topic); err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Second)
				if _, err := adm.CreateTopic(context.Background(), 1, 1, nil, topic); err != nil {
					t.Fatal(err)
				}
				cl.Close()
				fed := h.feeding(0, 40, time.Now())
				began := time.Now()
				select {
				case err := <-r.done:
					if err == nil || !strings.Contains(err.Error(), topic) {
						t.Errorf("error %v does not name %s", err, topic)
					}
				case <-time.After(5 * time.Minute):
					t.Errorf("still running %v after %s was made anew", time.Since(began), topic)
					r.cancel()
					<-r.done
				}
				_ = r.st.Close()
				<-fed
			})
		})
	}
}

// Two processes with one instance id: fenced twice within a minute is an error that
// names it, no endless fight.
func TestFencedTwice(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		r := h.start()
		h.feed(0, 3, time.Now())
		r.counted(3)
		var err error
		for range 5 {
			rival := h.client(kgo.TransactionalID(h.cfg.TransactionalID()))
			if _, _, perr := rival.ProducerID(context.Background()); perr != nil {
				t.Fatal(perr)
			}
			rival.Close()
			h.feed(0, 10, time.Now())
			select {
			case err = <-r.done:
			case <-time.After(5 * time.Second):
				continue
			}
			break
		}
		if !errors.Is(err, engine.ErrFenced) || !strings.Contains(err.Error(), "--instance-id") {
			t.Errorf("error %v, want one about --instance-id", err)
		}
		_ = r.st.Close()
	})
}

// At least once has no fence but the offsets of its own records.
func TestAtLeastOnceForeignWriter(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		h.cfg.AtLeastOnce = true
		r := h.start()
		h.feed(0, 5, time.Now())
		r.counted(5)
		r.exact(5)
		cl := h.client()
		if err := cl.ProduceSync(context.Background(), &kgo.Record{Topic: testTopics.Changelog, Key: []byte("latte:all"), Value: []byte{0, 0, 0, 0, 0, 0, 0, 1}}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		cl.Close()
		fed := h.feeding(0, 5, time.Now())
		select {
		case err := <-r.done:
			if !errors.Is(err, kafka.ErrForeignWriter) {
				t.Errorf("error %v, want a foreign writer", err)
			}
		case <-time.After(time.Minute):
			t.Error("still running beside a foreign writer")
			r.cancel()
			<-r.done
		}
		_ = r.st.Close()
		<-fed
	})
}

// A batch that would be too large when decompressed stops its partition, the other one
// goes on, and --skip-batch passes it.
func TestUnreadableBatch(t *testing.T) {
	virtual(t, 2, func(h *harness) {
		h.cfg.MaxDecompressed = 64 << 10
		cl := h.client(kgo.ProducerBatchCompression(kgo.GzipCompression()), kgo.ProducerLinger(time.Second))
		h.produce(0, one("latte", time.Now()))
		for range 2 {
			cl.Produce(context.Background(), &kgo.Record{Topic: testTopics.Orders, Partition: 0, Value: make([]byte, 100<<10)}, nil)
		}
		if err := cl.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		cl.Close()
		h.produce(0, one("latte", time.Now()))
		h.produce(1, one("latte", time.Now()))
		r := h.start()
		r.counted(2)
		time.Sleep(time.Minute)
		r.exact(2)
		if stopped := h.status.Now().Stopped; len(stopped) != 1 || stopped[0] == "" {
			t.Errorf("stopped partitions %v, want partition 0", stopped)
		}
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
		h.skip = map[int32]int64{0: 1}
		for range 2 { // the flag may stay on: it passes the batch once
			r = h.start()
			r.counted(3)
			time.Sleep(10 * time.Second)
			r.exact(3)
			if n := r.st.Totals().SkippedBatches; n != 1 {
				t.Errorf("%d batches skipped, want 1", n)
			}
			if err := r.stop(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
