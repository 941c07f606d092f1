package kafka

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
	"windowed/internal/fault"
)

// Session reads the orders as a member of the group and commits transactions: exactly
// once by Kafka transactions, or at least once. It implements engine.Transport.
type Session struct {
	cfg     *Config
	cl      *kgo.Client
	txn     *kgo.GroupTransactSession // nil: at least once
	owned   *ownership
	contact *contact

	in    *intake
	bytes bytesPool

	slab   slab
	expect map[int32]int64 // at least once: the changelog offset our next record must get

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
	s := &Session{cfg: cfg, owned: newOwnership(cfg.Topics.Orders), expect: make(map[int32]int64)}
	if !cfg.Static {
		if err := evict(ctx, cfg); err != nil {
			return nil, err
		}
	}
	s.contact = newContact()
	opts, err := cfg.options()
	if err != nil {
		return nil, err
	}
	watched, hook := cfg.watched("orders")
	opts = append(append(opts, watched...), s.options()...)
	if cfg.Static {
		opts = append(opts, kgo.InstanceID(cfg.Instance))
	}
	if cfg.AtLeastOnce || fault.Planted(fault.NoTransactions) {
		opts = append(opts, kgo.DisableAutoCommit())
		s.cl, err = kgo.NewClient(opts...)
	} else {
		opts = append(opts, kgo.TransactionalID(cfg.TransactionalID()), kgo.TransactionTimeout(transactionTimeout))
		if s.txn, err = kgo.NewGroupTransactSession(opts...); err == nil {
			s.cl = s.txn.Client()
			_, _, err = s.cl.ProducerID(ctx)
			fault.Point(fault.Claimed)
		}
	}
	if err != nil {
		if s.cl != nil {
			s.cl.CloseAllowingRebalance()
		}
		return nil, fmt.Errorf("open session of group %s: %w", cfg.Group, classify(err))
	}
	s.in = newIntake(cfg, s.cl, &s.bytes, hook)
	return s, nil
}

// options are those of a member of the group, whatever the guarantee.
func (s *Session) options() []kgo.Opt {
	opts := append(atPoints(), s.owned.options(s.cfg.ServerBalancer)...)
	return append(opts,
		kgo.ClientID(s.cfg.memberID()),
		kgo.ConsumerGroup(s.cfg.Group),
		kgo.WithHooks(s.contact),
		kgo.ConsumeTopics(s.cfg.Topics.Orders),
		kgo.WithPools(newRecordPool(), &s.bytes),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.SessionTimeout(s.cfg.SessionTimeout),
		kgo.HeartbeatInterval(min(heartbeatInterval, s.cfg.SessionTimeout/3)),
		kgo.RebalanceTimeout(cmp.Or(s.cfg.RebalanceTimeout, rebalanceTimeout)),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(linger),
		kgo.MaxBufferedRecords(maxBufferedCount),
		kgo.MaxBufferedBytes(maxBufferedBytes),
	)
}

// Close leaves the group (unless membership is static) and drops what is not committed.
func (s *Session) Close() {
	s.in.stop()
	s.cl.CloseAllowingRebalance()
}

// Ownership implements engine.Transport.
func (s *Session) Ownership() engine.Ownership { return s.owned.get() }

// Resume implements engine.Transport.
func (s *Session) Resume(next map[int32]int64) { s.in.resume(next) }

// Hold implements engine.Transport.
func (s *Session) Hold(partitions []int32, held bool) { s.in.hold(partitions, held) }

// Poll implements engine.Transport.
func (s *Session) Poll(ctx context.Context, wait time.Duration) ([]engine.Fetched, error) {
	s.in.keep(s.owned.get().Partitions)
	return s.in.poll(ctx, wait)
}
