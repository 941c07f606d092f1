package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/internal/engine"
	"windowed/internal/fault"
)

// ErrForeignWriter is wrapped when somebody else wrote to a changelog that an at least
// once instance owns: two writers of absolute counts would lose counts.
var ErrForeignWriter = errors.New("another process writes to this changelog")

// Expect sets the changelog offsets that the next records must get. An at least once
// session stops when it sees others: nothing else fences it.
func (s *Session) Expect(next map[int32]int64) {
	for p, offset := range next {
		s.expect[p] = offset
	}
}

// commitAtLeastOnce writes the changelog; the state and the offsets follow, in this
// order, so that a crash between them repeats records instead of losing them, and the
// offset in the state keeps them from being counted twice.
func (s *Session) commitAtLeastOnce(ctx context.Context, t *engine.Transaction) engine.Outcome {
	var w written
	if err := s.produce(ctx, t, &w); err != nil {
		return engine.Outcome{Err: err}
	}
	if err := s.cl.Flush(ctx); err != nil {
		return engine.Outcome{Err: fmt.Errorf("flush changelog: %w", err)}
	}
	fault.Point(fault.Written)
	if w.err != nil {
		// Some of the records may be in the changelog: only a restore tells.
		return engine.Outcome{Err: cmp.Or(s.refused(&w), fmt.Errorf("write to %s: %w", w.topic, w.err))}
	}
	for p, first := range w.first {
		if want, ok := s.expect[p]; ok && first != want {
			return engine.Outcome{Err: fmt.Errorf("%w: %w: %s partition %d has records from offset %d on that are not ours; run one instance only, or --guarantee=exactly-once",
				engine.ErrFatal, ErrForeignWriter, s.cfg.Topics.Changelog, p, want)}
		}
		s.expect[p] = w.next[p]
	}
	return engine.Outcome{Committed: true, Positions: w.next, First: w.first}
}

// Applied implements engine.Transport.
func (s *Session) Applied(ctx context.Context, t *engine.Transaction) error {
	if s.txn != nil {
		return nil
	}
	offsets := make(map[int32]kgo.EpochOffset, len(t.Partitions))
	for i := range t.Partitions {
		offsets[t.Partitions[i].Partition] = kgo.EpochOffset{Epoch: -1, Offset: t.Partitions[i].Next}
	}
	var failed error
	s.cl.CommitOffsetsSync(ctx, map[string]map[int32]kgo.EpochOffset{s.cfg.Topics.Orders: offsets},
		func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
			failed = err
			if err != nil {
				return
			}
			for _, t := range resp.Topics {
				for _, p := range t.Partitions {
					if err := kerr.ErrorForCode(p.ErrorCode); err != nil && failed == nil {
						failed = fmt.Errorf("partition %d: %w", p.Partition, err)
					}
				}
			}
		})
	fault.Point(fault.OffsetsCommitted)
	if failed != nil && ctx.Err() == nil {
		return fmt.Errorf("commit offsets of group %s: %w", s.cfg.Group, failed)
	}
	return nil
}
