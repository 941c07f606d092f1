package realkafka

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const fetchBytes = 8 << 20

// ReadCommitted returns all committed records of a topic, ordered by partition
// and offset, up to the last stable offset at the time of the call. It first
// waits for the markers of transactions decided before (see Settle).
//
// It fetches by position, not by the records it sees: a log may end in markers,
// aborted records or gaps of compaction, and then no last record ever comes.
func (c *Cluster) ReadCommitted(ctx context.Context, topic string) ([]*kgo.Record, error) {
	if err := c.Settle(ctx); err != nil {
		return nil, err
	}
	var partitions int
	err := c.wait(ctx, lookupWait, "topic "+topic, func(ctx context.Context) error {
		info, err := c.describe(ctx, topic)
		if err == nil {
			partitions = len(info.Partitions)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []*kgo.Record
	for p := range partitions {
		records, err := c.readPartition(ctx, topic, int32(p))
		if err != nil {
			return nil, err
		}
		all = append(all, records...)
	}
	return all, nil
}

func (c *Cluster) readPartition(ctx context.Context, topic string, partition int32) ([]*kgo.Record, error) {
	bounds, err := c.Offsets(ctx, topic, partition)
	if err != nil {
		return nil, err
	}
	var records []*kgo.Record
	at, end := bounds.Start, bounds.LSO
	for at < end {
		var got []*kgo.Record
		what := fmt.Sprintf("the records of %s/%d at %d of %d", topic, partition, at, end)
		err := c.wait(ctx, lookupWait, what, func(ctx context.Context) error {
			var err error
			var next int64
			got, next, err = c.fetch(ctx, topic, partition, at, end)
			if err == nil {
				at = next
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, r := range got {
			if r.Offset < end {
				records = append(records, r)
			}
		}
	}
	return records, nil
}

// fetch reads once from at and returns the offset to go on from: end when the
// log holds nothing more before it.
func (c *Cluster) fetch(ctx context.Context, topic string, partition int32, at, end int64) ([]*kgo.Record, int64, error) {
	info, err := c.describe(ctx, topic)
	if err != nil {
		return nil, at, err
	}
	leader, err := c.leader(info, partition)
	if err != nil {
		return nil, at, err
	}
	resp, err := fetchRequest(topic, info.TopicID, partition, at).RequestWith(ctx, leader)
	if err != nil {
		return nil, at, fmt.Errorf("fetch from broker %d: %w", leader.ID, err)
	}
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return nil, at, fmt.Errorf("fetch from broker %d: %w", leader.ID, err)
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return nil, at, fmt.Errorf("fetch from broker %d: no answer for %s/%d", leader.ID, topic, partition)
	}
	raw := &resp.Topics[0].Partitions[0]
	opts := kgo.ProcessFetchPartitionOpts{
		Offset: at, IsolationLevel: kgo.ReadCommitted(), Topic: topic, Partition: partition,
	}
	got, next := kgo.ProcessFetchPartition(opts, raw, kgo.DefaultDecompressor(), nil)
	switch {
	case got.Err != nil:
		return nil, at, fmt.Errorf("fetch from broker %d: %w", leader.ID, got.Err)
	case next > at:
		return got.Records, next, nil
	case len(raw.RecordBatches) == 0 && raw.LastStableOffset >= end:
		return nil, end, nil // the rest was compacted away
	default:
		return nil, at, fmt.Errorf("fetch from broker %d: nothing at %d, last stable offset %d", leader.ID, at, raw.LastStableOffset)
	}
}

func fetchRequest(topic string, id [16]byte, partition int32, at int64) *kmsg.FetchRequest {
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = partition, at, fetchBytes
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID, t.Partitions = topic, id, []kmsg.FetchRequestTopicPartition{p}
	req := kmsg.NewPtrFetchRequest()
	req.MaxBytes, req.IsolationLevel = fetchBytes, readCommitted
	req.Topics = []kmsg.FetchRequestTopic{t}
	return req
}
