package kafka

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/event"
)

// Sampled is one record of a sample.
type Sampled struct {
	Partition int32
	event.Record
}

// SampleOptions say what to read of a topic.
type SampleOptions struct {
	Most   int           // records in all
	Oldest bool          // the first of every partition, instead of the last
	Wait   time.Duration // for records that are there but do not come
}

// Sample reads some committed records of the orders topic without joining the group, in
// the order of each partition. A topic without records gives none.
func Sample(ctx context.Context, cfg *Config, opts SampleOptions) ([]Sampled, error) {
	cl, err := cfg.client(kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords())
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	from, until, err := spans(ctx, kadm.NewClient(cl), cfg.Topics.Orders, opts)
	if err != nil || len(until) == 0 {
		return nil, err
	}
	cl.AddConsumePartitions(map[string]map[int32]kgo.Offset{cfg.Topics.Orders: from})
	ctx, cancel := context.WithTimeout(ctx, opts.Wait)
	defer cancel()
	var all []Sampled
	taken := map[int32]int{}
	for len(until) > 0 {
		fetches := cl.PollFetches(ctx)
		if ctx.Err() != nil {
			break // what came is the sample
		}
		if err := fetches.Err0(); err != nil {
			return nil, fmt.Errorf("sample topic %s: %w", cfg.Topics.Orders, err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			end, wanted := until[r.Partition]
			if wanted && !r.Attrs.IsControl() && taken[r.Partition] < share(opts.Most, len(from)) && r.Offset < end {
				taken[r.Partition]++
				all = append(all, sampled(r))
			}
			if r.Offset+1 >= end || taken[r.Partition] == share(opts.Most, len(from)) {
				delete(until, r.Partition)
			}
		})
	}
	return all, nil
}

func share(most, partitions int) int { return max(1, most/partitions) }

// spans are where to begin and to end in every partition with records.
func spans(ctx context.Context, admin *kadm.Client, topic string, opts SampleOptions) (from map[int32]kgo.Offset, until map[int32]int64, err error) {
	starts, err := admin.ListStartOffsets(ctx, topic)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("first offsets of topic %s: %w", topic, err)
	}
	ends, err := admin.ListCommittedOffsets(ctx, topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("last stable offsets of topic %s: %w", topic, err)
	}
	from, until = map[int32]kgo.Offset{}, map[int32]int64{}
	ends.Each(func(end kadm.ListedOffset) {
		start, ok := starts.Lookup(topic, end.Partition)
		if !ok || start.Offset >= end.Offset {
			return
		}
		until[end.Partition] = end.Offset
		from[end.Partition] = kgo.NewOffset().At(start.Offset)
	})
	if opts.Oldest {
		return from, until, nil
	}
	for p := range from {
		start, _ := starts.Lookup(topic, p)
		from[p] = kgo.NewOffset().At(max(start.Offset, until[p]-int64(share(opts.Most, len(from)))))
	}
	return from, until, nil
}

func sampled(r *kgo.Record) Sampled {
	s := Sampled{Partition: r.Partition, Record: event.Record{Key: r.Key, Value: r.Value, Timestamp: r.Timestamp.UnixMilli()}}
	for _, h := range r.Headers {
		s.Headers = append(s.Headers, event.Header{Key: h.Key, Value: h.Value})
	}
	return s
}
