package realkafka

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Offsets are the bounds of a partition.
type Offsets struct {
	Start int64 // the first offset there is
	LSO   int64 // last stable offset: where a read_committed reader ends
	HW    int64 // high watermark: where any reader ends
}

// Timestamps with a meaning in ListOffsets, and the isolation levels.
const (
	startOffset     = -2
	endOffset       = -1
	readUncommitted = 0
	readCommitted   = 1
)

// Offsets asks the leader for the bounds of a partition.
func (c *Cluster) Offsets(ctx context.Context, topic string, partition int32) (Offsets, error) {
	var o Offsets
	err := c.wait(ctx, lookupWait, fmt.Sprintf("the offsets of %s/%d", topic, partition), func(ctx context.Context) error {
		info, err := c.describe(ctx, topic)
		if err != nil {
			return err
		}
		leader, err := c.leader(info, partition)
		if err != nil {
			return err
		}
		o, err = leader.offsets(ctx, topic, partition)
		return err
	})
	return o, err
}

func (b *Broker) offsets(ctx context.Context, topic string, partition int32) (o Offsets, err error) {
	if o.Start, err = b.listOffset(ctx, topic, partition, startOffset, readUncommitted); err != nil {
		return o, err
	}
	if o.LSO, err = b.listOffset(ctx, topic, partition, endOffset, readCommitted); err != nil {
		return o, err
	}
	o.HW, err = b.listOffset(ctx, topic, partition, endOffset, readUncommitted)
	return o, err
}

func (b *Broker) listOffset(ctx context.Context, topic string, partition int32, timestamp int64, isolation int8) (int64, error) {
	p := kmsg.NewListOffsetsRequestTopicPartition()
	p.Partition, p.Timestamp = partition, timestamp
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic, t.Partitions = topic, []kmsg.ListOffsetsRequestTopicPartition{p}
	req := kmsg.NewPtrListOffsetsRequest()
	req.Topics, req.IsolationLevel = []kmsg.ListOffsetsRequestTopic{t}, isolation
	resp, err := req.RequestWith(ctx, b)
	if err != nil {
		return 0, fmt.Errorf("list offsets at broker %d: %w", b.ID, err)
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return 0, fmt.Errorf("list offsets at broker %d: no answer for %s/%d", b.ID, topic, partition)
	}
	got := resp.Topics[0].Partitions[0]
	if err := kerr.ErrorForCode(got.ErrorCode); err != nil {
		return 0, fmt.Errorf("list offsets at broker %d: %w", b.ID, err)
	}
	return got.Offset, nil
}
