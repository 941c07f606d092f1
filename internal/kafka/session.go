package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/internal/engine"
)

// Session reads the orders as a member of the group and commits transactions: exactly
// once by Kafka transactions, or at least once. It implements engine.Transport.
type Session struct {
	cfg   *Config
	cl    *kgo.Client
	txn   *kgo.GroupTransactSession // nil: at least once
	owned *ownership

	expect map[int32]int64 // at least once: the changelog offset our next record must get
	faults *faults

	unheard time.Time // since when a record's partition is newer than what the client knows
}

// pollMax bounds the records of one poll; between polls a transaction may be full.
const pollMax = 20_000

// linger lets the records of a transaction gather until it is flushed, so that they go in
// as few requests as there can be: their answers come one after another.
const linger = 100 * time.Millisecond

// NewSession joins the group. In exactly once mode it first ends what a dead predecessor
// with the same instance id left open, so that nothing waits for that transaction.
func NewSession(ctx context.Context, cfg *Config) (*Session, error) {
	s := &Session{cfg: cfg, owned: newOwnership(cfg.Topics.Orders), faults: newFaults(cfg), expect: make(map[int32]int64)}
	if !cfg.Static {
		if err := evict(ctx, cfg); err != nil {
			return nil, err
		}
	}
	opts, err := cfg.options()
	if err != nil {
		return nil, err
	}
	opts = append(opts, cfg.watched("orders")...)
	opts = append(opts, s.owned.options(cfg.ServerBalancer)...)
	opts = append(opts,
		kgo.ClientID(cfg.ClientID+"/"+cfg.Instance), // how the others know whether we live
		kgo.ConsumerGroup(cfg.Group),
		kgo.ConsumeTopics(cfg.Topics.Orders),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.SessionTimeout(cfg.SessionTimeout),
		kgo.HeartbeatInterval(min(heartbeatInterval, cfg.SessionTimeout/3)),
		kgo.RebalanceTimeout(cmp.Or(cfg.RebalanceTimeout, rebalanceTimeout)),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(linger),
		kgo.MaxBufferedRecords(maxBufferedCount),
		kgo.MaxBufferedBytes(maxBufferedBytes),
	)
	if cfg.Static {
		opts = append(opts, kgo.InstanceID(cfg.Instance))
	}
	if cfg.AtLeastOnce {
		opts = append(opts, kgo.DisableAutoCommit())
		s.cl, err = kgo.NewClient(opts...)
	} else {
		opts = append(opts, kgo.TransactionalID(cfg.TransactionalID()), kgo.TransactionTimeout(transactionTimeout))
		if s.txn, err = kgo.NewGroupTransactSession(opts...); err == nil {
			s.cl = s.txn.Client()
			_, _, err = s.cl.ProducerID(ctx)
		}
	}
	if err != nil {
		if s.cl != nil {
			s.cl.CloseAllowingRebalance()
		}
		return nil, fmt.Errorf("open session of group %s: %w", cfg.Group, classify(err))
	}
	return s, nil
}

// Close leaves the group (unless membership is static) and drops what is not committed.
func (s *Session) Close() { s.cl.CloseAllowingRebalance() }

// Ownership implements engine.Transport.
func (s *Session) Ownership() engine.Ownership { return s.owned.get() }

// Resume implements engine.Transport.
func (s *Session) Resume(next map[int32]int64) {
	topic := s.cfg.Topics.Orders
	offsets := make(map[int32]kgo.EpochOffset, len(next))
	partitions := make([]int32, 0, len(next))
	for p, offset := range next {
		offsets[p] = kgo.EpochOffset{Epoch: -1, Offset: offset}
		partitions = append(partitions, p)
		s.faults.read(p, offset-1)
	}
	// In this order: setting offsets ends the fetch that is under way, which would keep
	// resumed partitions waiting until it ends. Nothing polls in between.
	s.cl.ResumeFetchPartitions(map[string][]int32{topic: partitions})
	s.cl.SetOffsets(map[string]map[int32]kgo.EpochOffset{topic: offsets})
}

// Hold implements engine.Transport.
func (s *Session) Hold(partitions []int32, held bool) {
	which := map[string][]int32{s.cfg.Topics.Orders: partitions}
	if held {
		s.cl.PauseFetchPartitions(which)
	} else {
		s.cl.ResumeFetchPartitions(which)
	}
}

// Poll implements engine.Transport.
func (s *Session) Poll(ctx context.Context, wait time.Duration) ([]engine.Fetched, error) {
	var poll context.Context // nil: only what is there already
	if wait > 0 {
		var cancel context.CancelFunc
		poll, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
	}
	fetches := s.cl.PollRecords(poll, pollMax)
	if err := s.faults.take(fetches, s.cl); err != nil {
		return nil, err
	}
	var all []engine.Fetched
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		if n := len(p.Records); n > 0 {
			s.faults.read(p.Partition, p.Records[n-1].Offset)
			all = append(all, &fetched{partition: p.Partition, records: p.Records})
		}
	})
	return all, nil
}

// Commit implements engine.Transport.
func (s *Session) Commit(ctx context.Context, t *engine.Transaction, generation uint64) engine.Outcome {
	if s.txn == nil {
		return s.commitAtLeastOnce(ctx, t)
	}
	began := time.Now()
	if err := s.txn.Begin(); err != nil {
		return engine.Outcome{Err: fmt.Errorf("begin transaction: %w", classify(err))}
	}
	// From here on a revoke aborts the transaction, so this look cannot be outdated.
	try := kgo.TryCommit
	if s.owned.get().Generation != generation {
		try = kgo.TryAbort
	}
	var w written
	if try == kgo.TryCommit {
		if err := s.produce(ctx, t, &w); err != nil {
			return engine.Outcome{Err: err}
		}
		if err := s.cl.Flush(ctx); err != nil {
			s.abandon()
			return engine.Outcome{Err: fmt.Errorf("flush transaction: %w", err)}
		}
		if w.err != nil {
			try = kgo.TryAbort // kgo would commit what did get through
		}
	}
	// The context must not end while the transaction does: the outcome would be unknown.
	end := kgo.PreTxnCommitFnContext(context.WithoutCancel(ctx), func(req *kmsg.TxnOffsetCommitRequest) error {
		req.Topics = s.offsets(t)
		return nil
	})
	committed, err := s.txn.End(end, try)
	switch {
	case err != nil:
		return engine.Outcome{Err: endError(err, time.Since(began))}
	case w.err != nil:
		return s.failed(&w)
	}
	if !committed {
		s.aborted()
	} else {
		s.unheard = time.Time{}
	}
	return engine.Outcome{Committed: committed, Positions: w.next, First: w.first}
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
func (s *Session) aborted() {
	if s.owned.takeRevoked() {
		_, _ = s.txn.End(context.Background(), kgo.TryAbort)
	}
}

// Settle takes note of revokes while no transaction is open; see aborted.
func (s *Session) Settle() {
	if s.txn != nil {
		s.aborted()
	}
}

// offsets are the input offsets of the metas that t writes: what is committed is what
// the state says, not what was polled.
func (s *Session) offsets(t *engine.Transaction) []kmsg.TxnOffsetCommitRequestTopic {
	topic := kmsg.NewTxnOffsetCommitRequestTopic()
	topic.Topic = s.cfg.Topics.Orders
	for i := range t.Partitions {
		p := kmsg.NewTxnOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset = t.Partitions[i].Partition, t.Partitions[i].Next
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
	topics := &s.cfg.Topics
	done := func(r *kgo.Record, err error) { w.done(r, topics.Changelog, err) }
	for i := range t.Partitions {
		p := &t.Partitions[i]
		for j := range p.Changes {
			s.cl.Produce(ctx, changelogRecord(topics.Changelog, p.Partition, &p.Changes[j]), done)
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
