package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

// control begins the keys of a changelog that are no counts (docs/formats.md).
const control = 0xFF

// readChangelog reads the counts that a changelog holds, summed up over its partitions.
func readChangelog(ctx context.Context, brokers []string, topic string) (Answer, error) {
	last, err := lastValues(ctx, brokers, topic)
	return sumUp(last), err
}

// lastValues reads the last count of each key, by partition.
func lastValues(ctx context.Context, brokers []string, topic string) (map[int32]map[string]uint64, error) {
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
	)
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	left, err := ends(ctx, cl, topic)
	if err != nil {
		return nil, err
	}
	last := make(map[int32]map[string]uint64)
	for len(left) > 0 {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, fmt.Errorf("read topic %s: %w", topic, err)
		}
		for it := fetches.RecordIter(); !it.Done(); {
			r := it.Next()
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
			if err := keepLast(last, r); err != nil {
				return nil, err
			}
		}
	}
	return last, nil
}

// keepLast keeps the last value of each key.
func keepLast(last map[int32]map[string]uint64, r *kgo.Record) error {
	if r.Attrs.IsControl() || len(r.Key) > 0 && r.Key[0] == control {
		return nil
	}
	counts := last[r.Partition]
	if counts == nil {
		counts = make(map[string]uint64)
		last[r.Partition] = counts
	}
	switch len(r.Value) {
	case 0:
		delete(counts, string(r.Key))
	case 8:
		counts[string(r.Key)] = binary.BigEndian.Uint64(r.Value)
	default:
		return fmt.Errorf("topic %s, partition %d, offset %d: a count of %d bytes", r.Topic, r.Partition, r.Offset, len(r.Value))
	}
	return nil
}

func sumUp(last map[int32]map[string]uint64) Answer {
	a := Answer{}
	for _, counts := range last {
		for key, n := range counts {
			at := bytes.LastIndexByte([]byte(key), ':')
			a.add(key[at+1:], key[:at], n)
		}
	}
	return a
}
