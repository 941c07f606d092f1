package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/internal/engine"
	"windowed/internal/fault"
	"windowed/state"
)

// Commit implements engine.Transport.
func (s *Session) Commit(ctx context.Context, t *engine.Transaction, generation uint64) engine.Outcome {
	if s.txn == nil {
		return s.commitAtLeastOnce(ctx, t)
	}
	out := s.commit(ctx, t, generation)
	out.Err = s.contact.judge(out.Err, s.cfg.SessionTimeout)
	return out
}

func (s *Session) commit(ctx context.Context, t *engine.Transaction, generation uint64) engine.Outcome {
	began := time.Now()
	if err := s.txn.Begin(); err != nil {
		return engine.Outcome{Err: fmt.Errorf("begin transaction: %w", classify(err))}
	}
	fault.Point(fault.Begun)
	// From here on a revoke aborts the transaction, so this look cannot be outdated.
	try := kgo.TryCommit
	if s.owned.get().Generation != generation {
		try = kgo.TryAbort
	}
	var w written
	if try == kgo.TryCommit {
		if err := s.write(ctx, t, &w); err != nil {
			return engine.Outcome{Err: err}
		}
		if w.err != nil {
			try = kgo.TryAbort // kgo would commit what did get through
		}
	}
	committed, err := s.end(ctx, t, try)
	switch {
	case err != nil && fault.Planted(fault.GoOnAfterEnd):
		s.abandon()
		return engine.Outcome{}
	case err != nil:
		return engine.Outcome{Err: endError(err, time.Since(began))}
	case w.err != nil:
		return s.failed(&w)
	}
	if !committed {
		s.aborted()
	} else {
		s.unheard = time.Time{}
		s.contact.committed()
	}
	return engine.Outcome{Committed: committed, Positions: w.next, First: w.first}
}

// write writes the records of t; w says what became of them.
func (s *Session) write(ctx context.Context, t *engine.Transaction, w *written) error {
	if err := s.produce(ctx, t, w); err != nil {
		return err
	}
	fault.Point(fault.Produced)
	if err := s.cl.Flush(ctx); err != nil {
		s.abandon()
		return fmt.Errorf("flush transaction: %w", err)
	}
	fault.Point(fault.Flushed)
	if fault.Planted(fault.IgnoreRefused) {
		w.err = nil
	}
	return nil
}

// end ends the transaction. Its context must not end while that goes on: the outcome
// would be unknown.
func (s *Session) end(ctx context.Context, t *engine.Transaction, try kgo.TransactionEndTry) (committed bool, err error) {
	end := kgo.PreTxnCommitFnContext(context.WithoutCancel(ctx), func(req *kmsg.TxnOffsetCommitRequest) error {
		fault.Point(fault.BeforeOffset)
		req.Topics = s.offsets(t)
		return nil
	})
	committed, err = s.txn.End(end, try)
	fault.Point(fault.Ended)
	return committed, err
}

// endError is the error of an end of a transaction that took so long since its begin. The
// brokers fence the producer of one that has timed out, but nobody else has its id then.
func endError(err error, took time.Duration) error {
	err = classify(err)
	if took >= transactionTimeout && errors.Is(err, engine.ErrFenced) {
		return fmt.Errorf("the transaction took %v, longer than its timeout of %v, so the brokers have aborted it; they are slow, or this process stood still: %v",
			took.Round(time.Millisecond), transactionTimeout, err)
	}
	return fmt.Errorf("end transaction (its outcome is unknown): %w", err)
}

// abandon tries to abort the open transaction before the session is dropped, so that
// nobody has to wait for its timeout.
func (s *Session) abandon() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = s.txn.End(ctx, kgo.TryAbort)
}

// failed is the outcome of a transaction aborted because a record was refused.
func (s *Session) failed(w *written) engine.Outcome {
	s.aborted()
	return engine.Outcome{Err: s.refused(w)}
}

// aborted forgets a revoke that has had its effect. kgo reports only the first revoke in
// a transaction; ending "nothing" makes it report the next one again.
func (s *Session) aborted() (ended bool) {
	if !s.owned.takeRevoked() {
		return false
	}
	_, _ = s.txn.End(context.Background(), kgo.TryAbort)
	return true
}

// Settle takes note of revokes while no transaction is open; see aborted.
func (s *Session) Settle() {
	if s.txn != nil && s.aborted() {
		s.in.settle()
	}
}

// offsets are the input offsets of the metas that t writes: what is committed is what
// the state says, not what was polled.
func (s *Session) offsets(t *engine.Transaction) []kmsg.TxnOffsetCommitRequestTopic {
	topic := kmsg.NewTxnOffsetCommitRequestTopic()
	topic.Topic = s.cfg.Topics.Orders
	for i := range t.Partitions {
		if fault.Planted(fault.NoOffsets) && t.Partitions[i].Changes[0].Kind != state.CountKind {
			continue
		}
		p := kmsg.NewTxnOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset = t.Partitions[i].Partition, t.Partitions[i].Next
		if fault.Planted(fault.OffsetsAsPolled) {
			p.Offset = s.in.at(p.Partition)
		}
		topic.Partitions = append(topic.Partitions, p)
	}
	return []kmsg.TxnOffsetCommitRequestTopic{topic}
}

// written is what became of the records of a transaction.
type written struct {
	mu    sync.Mutex
	next  map[int32]int64 // changelog partition -> offset behind the last record
	first map[int32]int64 // and of the first one

	err       error // the first failure
	topic     string
	partition int32 // where it was
}

func (w *written) done(r *kgo.Record, changelog string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err != nil:
		// Where one partition cannot be part of the transaction, the others are not even
		// tried: their error is none to tell.
		if w.err == nil || errors.Is(w.err, kerr.OperationNotAttempted) {
			w.err, w.topic, w.partition = err, r.Topic, r.Partition
		}
	case r.Topic == changelog:
		w.next[r.Partition] = max(w.next[r.Partition], r.Offset+1)
		if old, ok := w.first[r.Partition]; !ok || r.Offset < old {
			w.first[r.Partition] = r.Offset
		}
	}
}

// produce hands all records of t to the client; w.err is set once they are flushed.
func (s *Session) produce(ctx context.Context, t *engine.Transaction, w *written) error {
	w.next, w.first = make(map[int32]int64), make(map[int32]int64)
	s.slab.now = time.Now()
	topics := &s.cfg.Topics
	done := func(r *kgo.Record, err error) { w.done(r, topics.Changelog, err) }
	written := func(r *kgo.Record, err error) {
		w.done(r, topics.Changelog, err)
		s.slab.give(r)
	}
	for i := range t.Partitions {
		p := &t.Partitions[i]
		for some := range slices.Chunk(p.Changes, slabAhead) {
			s.slab.ahead(some)
			for j := range some {
				if fault.Planted(fault.FinalNotKept) && some[j].Kind == state.EmittedKind {
					continue
				}
				s.cl.Produce(ctx, s.slab.changelogRecord(topics.Changelog, p.Partition, &some[j]), written)
			}
		}
	}
	for i := range t.Dead {
		s.cl.Produce(ctx, deadRecord(topics, s.cfg.DeadPartitions, &t.Dead[i]), done)
	}
	for i := range t.Outputs {
		r, err := outputRecord(topics.Output, s.cfg.Instance, t, &t.Outputs[i])
		if err != nil {
			return err
		}
		s.cl.Produce(ctx, r, done)
	}
	return nil
}
