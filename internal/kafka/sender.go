package kafka

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/sample"
)

// Sender sends sample orders.
type Sender struct {
	cl     *kgo.Client
	admin  *Admin
	topic  string
	orders *sample.Orders
}

// NewSender connects lazily; Close it.
func NewSender(cfg *Config, seed uint64) (*Sender, error) {
	admin, err := NewAdmin(cfg)
	if err != nil {
		return nil, err
	}
	cl, err := cfg.client(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		admin.Close()
		return nil, err
	}
	return &Sender{cl: cl, admin: admin, topic: cfg.Topics.Orders, orders: sample.New(seed)}, nil
}

// Close closes the connections.
func (s *Sender) Close() {
	s.cl.Close()
	s.admin.Close()
}

// backfillEvery is the distance of the orders that Backfill makes.
const backfillEvery = 20 * time.Second

// Backfill sends orders of the time before now to every partition that is still empty,
// so that the last windows have an answer at once. It returns how many it sent.
func (s *Sender) Backfill(ctx context.Context, now time.Time, span time.Duration) (int, error) {
	ends, err := s.admin.adm.ListEndOffsets(ctx, s.topic)
	if err != nil {
		return 0, fmt.Errorf("look at %s: %w", s.topic, err)
	}
	var records []*kgo.Record
	for p, end := range ends[s.topic] {
		if end.Offset > 0 {
			continue
		}
		for t := now.Add(-span); t.Before(now); t = t.Add(backfillEvery) {
			records = append(records, &kgo.Record{Topic: s.topic, Partition: p, Value: s.orders.Next(t), Timestamp: t})
		}
	}
	return len(records), s.cl.ProduceSync(ctx, records...).FirstErr()
}

// Send sends count orders, rate a second, over all partitions at random; count 0 goes on
// until ctx ends. sent is called after each.
func (s *Sender) Send(ctx context.Context, rate float64, count int, sent func(int)) error {
	info, err := s.admin.Topic(ctx, s.topic)
	if err != nil {
		return err
	}
	pause := time.Duration(float64(time.Second) / rate)
	next := time.Now()
	var failed atomic.Pointer[error] // set by the client's goroutine
	for n := 1; (count == 0 || n <= count) && failed.Load() == nil; n++ {
		select {
		case <-ctx.Done():
			return s.cl.Flush(context.WithoutCancel(ctx))
		case <-time.After(time.Until(next)):
		}
		next = next.Add(pause)
		now := time.Now()
		r := &kgo.Record{Topic: s.topic, Partition: rand.Int32N(info.Partitions), Value: s.orders.Next(now), Timestamp: now}
		s.cl.Produce(ctx, r, func(_ *kgo.Record, err error) {
			if err != nil && ctx.Err() == nil {
				err = fmt.Errorf("send to %s: %w", s.topic, err)
				failed.Store(&err)
			}
		})
		sent(n)
	}
	if err := s.cl.Flush(ctx); err != nil {
		return fmt.Errorf("send to %s: %w", s.topic, err)
	}
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}
