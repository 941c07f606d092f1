package kafka

import (
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// peek is the changelog offset behind the batches from offset at on that no poll will
// bring: a client does not report batches without records, which the log cleaner leaves
// at the end of a log, nor aborted ones, which have no marker if the embedded broker was
// killed. A position in front of them would never move.
func (f *Follower) peek(ctx context.Context, p int32, at int64) (int64, error) {
	topic := f.cfg.Topics.Changelog
	rp, err := fetchRaw(ctx, f.cl, topic, p, at)
	if err != nil {
		return at, err
	}
	next := at
	for b, rest := firstBatch(rp.RecordBatches); b != nil; b, rest = firstBatch(rest) {
		if b.records() > 0 && !isAborted(b, rp) {
			break
		}
		_, behind := b.span()
		next = max(next, behind)
	}
	return next, nil
}

func isAborted(b batch, rp *kmsg.FetchResponseTopicPartition) bool {
	id, _ := b.producer()
	first, _ := b.span()
	return b.transactional() && !b.control() && slices.ContainsFunc(rp.AbortedTransactions, func(a kmsg.FetchResponseTopicPartitionAbortedTransaction) bool {
		return a.ProducerID == id && a.FirstOffset <= first
	})
}

// fetchRaw fetches the batches of one partition from offset on, as they are on the wire.
func fetchRaw(ctx context.Context, cl *kgo.Client, topic string, p int32, offset int64) (*kmsg.FetchResponseTopicPartition, error) {
	meta := kmsg.NewPtrMetadataRequest()
	mt := kmsg.NewMetadataRequestTopic()
	mt.Topic = kmsg.StringPtr(topic)
	meta.Topics = append(meta.Topics, mt)
	described, err := meta.RequestWith(ctx, cl)
	if err != nil {
		return nil, fmt.Errorf("describe %s: %w", topic, err)
	}
	for _, t := range described.Topics {
		for _, tp := range t.Partitions {
			if tp.Partition == p {
				return fetchFrom(ctx, cl, &t, tp.Leader, p, offset)
			}
		}
	}
	return nil, fmt.Errorf("describe %s: no partition %d", topic, p)
}

func fetchFrom(ctx context.Context, cl *kgo.Client, t *kmsg.MetadataResponseTopic, leader, p int32, offset int64) (*kmsg.FetchResponseTopicPartition, error) {
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes, req.IsolationLevel = 100, 0, 1<<20, 1
	rt := kmsg.NewFetchRequestTopic()
	rt.Topic, rt.TopicID = *t.Topic, t.TopicID
	rp := kmsg.NewFetchRequestTopicPartition()
	rp.Partition, rp.FetchOffset, rp.PartitionMaxBytes = p, offset, 1<<20
	rt.Partitions = append(rt.Partitions, rp)
	req.Topics = append(req.Topics, rt)
	raw, err := cl.Broker(int(leader)).RetriableRequest(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("fetch %s partition %d at %d: %w", *t.Topic, p, offset, err)
	}
	resp := raw.(*kmsg.FetchResponse)
	err = kerr.ErrorForCode(resp.ErrorCode)
	for i := range resp.Topics {
		for j := range resp.Topics[i].Partitions {
			found := &resp.Topics[i].Partitions[j]
			if err = kerr.ErrorForCode(found.ErrorCode); err == nil {
				return found, nil
			}
		}
	}
	if err == nil {
		return &kmsg.FetchResponseTopicPartition{}, nil
	}
	return nil, fmt.Errorf("fetch %s partition %d at %d: %w", *t.Topic, p, offset, err)
}
