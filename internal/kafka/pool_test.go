package kafka

import (
	"context"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

func TestRoundUp(t *testing.T) {
	for _, c := range [][2]int{{0, 0}, {1, 1}, {7, 7}, {8, 8}, {9, 10}, {10, 10}, {15, 16}, {17, 20}, {80, 80}, {81, 96}, {1000, 1024}, {1025, 1280}} {
		if got := roundUp(c[0]); got != c[1] {
			t.Errorf("roundUp(%d) is %d, want %d", c[0], got, c[1])
		}
	}
}

func TestRecordPool(t *testing.T) {
	p := newRecordPool()
	first := p.GetRecords(81)
	if len(first) != 96 {
		t.Fatalf("%d records, want 96", len(first))
	}
	if other := p.GetRecords(90); &other[0] == &first[0] {
		t.Error("what is lent is lent again")
	}
	p.PutRecords(first)
	if again := p.GetRecords(90); &again[0] != &first[0] {
		t.Error("what was given back is not used for a batch of about the same size")
	}
	if p.kept != 0 {
		t.Errorf("%d records are kept, all are lent", p.kept)
	}
	for range 10 {
		p.PutRecords(make([]kgo.Record, poolKept/4))
	}
	if p.kept != poolKept || len(p.free[poolKept/4]) != 4 {
		t.Errorf("%d records in %d slices are kept, want %d in 4", p.kept, len(p.free[poolKept/4]), poolKept)
	}
}

// counting is a pool that knows how many records it has made.
type counting struct {
	*recordPool
	lent, made int
	known      map[*kgo.Record]bool
}

func (c *counting) GetRecords(n int) []kgo.Record {
	records := c.recordPool.GetRecords(n)
	if c.lent += n; !c.known[&records[0]] {
		c.known[&records[0]] = true
		c.made += len(records)
	}
	return records
}

// The client comes to the memory of a batch again once its records are done.
func TestFetchedGivesBack(t *testing.T) {
	const topic, orders, batch = "orders", 60_000, 100
	cluster := kfake.MustCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, topic))
	defer cluster.Close()
	pool := &counting{recordPool: newRecordPool(), known: make(map[*kgo.Record]bool)}
	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.ConsumeTopics(topic), kgo.WithPools(pool),
		kgo.FetchMaxBytes(20_000), kgo.FetchMaxPartitionBytes(20_000), kgo.DefaultProduceTopic(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ctx := context.Background()
	for range orders / batch {
		var some []*kgo.Record
		for range batch {
			some = append(some, kgo.StringRecord(`{"items":[{"drink":"latte","quantity":1}]}`))
		}
		if err := cl.ProduceSync(ctx, some...).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	for next := int64(0); next < orders; {
		cl.PollRecords(ctx, 0).EachPartition(func(p kgo.FetchTopicPartition) {
			f := &fetched{partition: p.Partition, records: p.Records}
			for _, r := range p.Records {
				if r.Offset != next || len(r.Value) == 0 {
					t.Fatalf("record %d with %d bytes, want record %d", r.Offset, len(r.Value), next)
				}
				next++
			}
			f.Done()
		})
	}
	if pool.lent < orders || pool.made > orders/4 {
		t.Errorf("memory for %d records was made, %d were lent", pool.made, pool.lent)
	}
}
