//go:build unix

package e2e

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/kafka"
)

// names are the default topics.
var names = kafka.Topics{
	Orders: "brew.orders.v1", Changelog: "brew.drink-count-changelog",
	Output: "brew.drink-counts", DeadLetters: "brew.orders.dlq",
}

// outside is a look at a broker, and there at one job's topics and group, with the test's
// own client.
type outside struct {
	t      *testing.T
	seed   string
	cl     *kgo.Client
	adm    *kadm.Client
	topics kafka.Topics
	group  string
	dial   []kgo.Opt // how else to connect; nil: over TCP
}

// look connects to a broker.
func look(t *testing.T, seed string) *outside {
	t.Helper()
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(seed, ",")...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.DisableIdempotentWrite(), kgo.ProducerBatchMaxBytes(8<<20), kgo.RetryTimeout(patience),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return &outside{t: t, seed: seed, cl: cl, adm: kadm.NewClient(cl), topics: names, group: group}
}

// broker is the embedded broker of a running program.
func (g *program) broker() *outside {
	g.t.Helper()
	addr := read(filepath.Join(g.place.data(), "broker.addr"))
	if addr == "" {
		g.t.Fatal("no broker.addr")
	}
	return look(g.t, addr)
}

func bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), patience)
}

// order is an order record for a partition of the job's input.
func (o *outside) order(partition int32, value []byte) *kgo.Record {
	return &kgo.Record{Topic: o.topics.Orders, Partition: partition, Value: value}
}

// send writes records and waits until the broker has them.
func (o *outside) send(records ...*kgo.Record) {
	o.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	if err := o.cl.ProduceSync(ctx, records...).FirstErr(); err != nil {
		o.t.Fatal(err)
	}
}

// ends are the offsets behind the last record of each partition.
func (o *outside) ends(topic string) map[int32]int64 {
	o.t.Helper()
	return o.offsets(topic, o.adm.ListEndOffsets)
}

// starts are the first offsets that are still there.
func (o *outside) starts(topic string) map[int32]int64 {
	o.t.Helper()
	return o.offsets(topic, o.adm.ListStartOffsets)
}

func (o *outside) offsets(topic string, list func(context.Context, ...string) (kadm.ListedOffsets, error)) map[int32]int64 {
	o.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	var listed kadm.ListedOffsets
	for {
		var err error
		if listed, err = list(ctx, topic); err == nil {
			err = listed.Error()
		}
		if err == nil {
			break
		}
		if !kerr.IsRetriable(err) || ctx.Err() != nil { // a leader that has moved
			o.t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	all := make(map[int32]int64)
	for p, at := range listed[topic] {
		all[p] = at.Offset
	}
	return all
}

// committed reads all committed records of a topic, by partition, up to where it ends now.
// It reads again if records were deleted meanwhile: it would miss some.
func (o *outside) committed(topic string) map[int32][]*kgo.Record {
	o.t.Helper()
	for {
		starts := o.starts(topic)
		ends := o.ends(topic)
		o.stable(topic, ends)
		all := o.between(topic, starts, ends)
		if maps.Equal(starts, o.starts(topic)) {
			return all
		}
	}
}

// stable waits until no transaction is open before these ends. The brokers write a
// transaction's markers after they have said that it is committed, and that of an instance
// that died, and whose state directory is lost, stays open until its timeout.
func (o *outside) stable(topic string, ends map[int32]int64) {
	o.t.Helper()
	eventually(o.t, "the end of the open transactions in "+topic, func() error {
		for p, at := range o.offsets(topic, o.adm.ListCommittedOffsets) {
			if at < ends[p] {
				return fmt.Errorf("partition %d is stable up to %d of %d", p, at, ends[p])
			}
		}
		return nil
	})
}

// between reads the committed records between two offsets of each partition. It reads by
// position: markers and aborted records leave offsets without a record.
func (o *outside) between(topic string, starts, ends map[int32]int64) map[int32][]*kgo.Record {
	o.t.Helper()
	from, all := make(map[int32]kgo.Offset), make(map[int32][]*kgo.Record)
	for p, start := range starts {
		if all[p] = nil; ends[p] > start {
			from[p] = kgo.NewOffset().At(start)
		}
	}
	if len(from) == 0 {
		return all
	}
	cl, err := kgo.NewClient(append(o.dial, kgo.SeedBrokers(strings.Split(o.seed, ",")...), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: from}))...)
	if err != nil {
		o.t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := bounded()
	defer cancel()
	for len(from) > 0 {
		fetches := cl.PollRecords(ctx, 0)
		if err := fetches.Err(); err != nil {
			o.t.Fatalf("read %s: %v; still missing %v", topic, err, from)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if !r.Attrs.IsControl() && r.Offset < ends[r.Partition] {
				all[r.Partition] = append(all[r.Partition], r)
			}
			if r.Offset+1 >= ends[r.Partition] {
				delete(from, r.Partition)
			}
		})
	}
	return all
}

// headerOf is the value of a record's header, "" if it has none.
func headerOf(r *kgo.Record, key string) string {
	for _, h := range r.Headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}

// topics makes the place's topics on its embedded broker, before the first run, with n
// partitions, and lets fill write to them.
func (p *place) topics(n int32, fill func(*outside)) {
	p.t.Helper()
	cfg := &kafka.Config{Topics: names, ClientID: "e2e"}
	e, err := kafka.StartEmbedded(p.data(), "127.0.0.1:0", cfg)
	if err != nil {
		p.t.Fatal(err)
	}
	admin, err := kafka.NewAdmin(cfg)
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := admin.Create(ctx, kafka.Shape{Partitions: n, Replication: 1}, nil); err != nil {
		p.t.Fatal(err)
	}
	admin.Close()
	if fill != nil {
		fill(look(p.t, cfg.Brokers[0]))
	}
	if err := e.Close(); err != nil {
		p.t.Fatal(err)
	}
}
