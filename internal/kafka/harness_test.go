package kafka_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
	"windowed/internal/event"
	"windowed/internal/kafka"
	"windowed/state"
)

// harness is a broker in memory, the topics, and a loop with its state.
type harness struct {
	t       testing.TB
	cluster *kfake.Cluster
	cfg     kafka.Config
	job     engine.Config
	fs      vfs.FS
	dir     string // of the state
	status  *engine.Status
	consent engine.Consent
	skip    map[int32]int64
	network *kfake.VirtualNetwork
	runs    []*run        // for end
	clients []*kgo.Client // as well

	interval   time.Duration
	countEvery time.Duration // of partitions; 0: as often as the clients look
}

var testTopics = kafka.Topics{Orders: "orders", Changelog: "changelog", Output: "output", DeadLetters: "dead"}

// newHarness starts a broker; with a virtual network it lives in a synctest bubble.
func newHarness(t testing.TB, partitions int32, network *kfake.VirtualNetwork) *harness {
	t.Helper()
	opts := []kfake.Opt{
		kfake.NumBrokers(1),
		kfake.GroupMinSessionTimeout(time.Second),
		kfake.BrokerConfigs(map[string]string{"log.cleaner.backoff.ms": "315360000000"}),
		kfake.SeedTopics(1, testTopics.Output),
		kfake.SeedTopics(partitions, testTopics.Orders, testTopics.Changelog, testTopics.DeadLetters),
	}
	if network != nil {
		opts = append(opts, kfake.ListenFn(network.Listen))
	}
	cluster, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	h := newHarnessOn(t, cluster.ListenAddrs(), partitions)
	h.cluster, h.network = cluster, network
	if network != nil {
		h.cfg.Dialer = network.DialContext
	}
	return h
}

// newHarnessOn is a harness on brokers that are there already, with their topics.
func newHarnessOn(t testing.TB, brokers []string, partitions int32) *harness {
	return &harness{
		t: t, fs: newMem(), dir: "state", status: new(engine.Status), interval: 100 * time.Millisecond,
		cfg: kafka.Config{
			Brokers: brokers, Topics: testTopics, Group: "g", Instance: "a",
			DeadPartitions: partitions, SessionTimeout: 10 * time.Second, ClientID: "test",
		},
		job: engine.Config{
			Window: 3_600_000, Grace: 60_000, Retention: 24 * 3_600_000, Top: 10, Flush: 5000,
			IdleTimeout: 60_000, MaxFuture: 3_600_000, Order: event.Config{TimeField: "ts"},
		},
	}
}

func newMem() vfs.FS { return vfs.NewMem() }

// quiet drops the store's log lines.
type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

func (h *harness) openState() *state.State {
	h.t.Helper()
	st, err := state.Open(h.dir, state.Options{FS: h.fs, Window: h.job.Lifecycle(), Logger: quiet{}})
	if err != nil {
		h.t.Fatal(err)
	}
	return st
}

// connect is what a run connects with.
func (h *harness) connect(ctx context.Context, st *state.State) (engine.LoopOptions, func(), error) {
	admin, err := kafka.NewAdmin(&h.cfg)
	if err != nil {
		return engine.LoopOptions{}, nil, err
	}
	follower, err := kafka.NewFollower(&h.cfg, st, kafka.FollowOptions{Wait: kafka.TakeoverWait, Fence: true})
	if err != nil {
		admin.Close()
		return engine.LoopOptions{}, nil, err
	}
	session, err := kafka.NewSession(ctx, &h.cfg)
	if err != nil {
		follower.Close()
		admin.Close()
		return engine.LoopOptions{}, nil, err
	}
	return engine.LoopOptions{
		Config: h.job, Topic: testTopics.Orders, Writer: h.cfg.TransactionalID(), Interval: h.interval, CountEvery: cmp.Or(h.countEvery, h.cfg.MetadataMaxAge),
		Consent: h.consent, SkipBatches: h.skip, Sole: h.cfg.AtLeastOnce, Status: h.status,
		Transport: session, Inputs: admin, Restorer: follower,
	}, func() { session.Close(); follower.Close(); admin.Close() }, nil
}

func (h *harness) client(opts ...kgo.Opt) *kgo.Client {
	h.t.Helper()
	opts = append([]kgo.Opt{kgo.SeedBrokers(h.cfg.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner())}, opts...)
	if h.network != nil {
		opts = append(opts, kgo.Dialer(func(ctx context.Context, network, host string) (net.Conn, error) {
			return h.network.DialContext(ctx, network, host)
		}))
	}
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		h.t.Fatal(err)
	}
	h.clients = append(h.clients, cl)
	return cl
}

// load produces n orders of some 200 bytes over all partitions, in event-time order, and
// returns how many each partition got. Some drinks are ordered far more often than others
// (Zipf), or all equally often.
func (h *harness) load(n int, partitions int32, drinks int, uniform bool, step time.Duration) map[int32]int64 {
	h.t.Helper()
	cl := h.client(kgo.MaxBufferedRecords(500_000), kgo.ProducerBatchCompression(kgo.NoCompression()))
	defer cl.Close()
	rnd := rand.New(rand.NewPCG(1, 2))
	next := rand.NewZipf(rnd, 1.1, 1, uint64(drinks-1)).Uint64
	if uniform {
		next = func() uint64 { return rnd.Uint64N(uint64(drinks)) }
	}
	start := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	counts := make(map[int32]int64)
	for i := range n {
		ts := start.Add(time.Duration(i) * step)
		b := fmt.Appendf(nil, `{"order_id":%d,"shop_id":%d,"ts":"%s","items":[`, i, i%97, ts.Format("2006-01-02T15:04:05.000Z"))
		for j := range 1 + rnd.IntN(5) {
			if j > 0 {
				b = append(b, ',')
			}
			b = append(append(b, `{"drink":"drink-`...), strconv.FormatUint(next(), 10)...)
			b = fmt.Appendf(b, `","quantity":%d}`, 1+rnd.IntN(3))
		}
		p := int32(i) % partitions
		counts[p]++
		cl.Produce(context.Background(), &kgo.Record{Topic: testTopics.Orders, Partition: p, Value: append(b, "]}"...)}, func(_ *kgo.Record, err error) {
			if err != nil {
				h.t.Error(err)
			}
		})
	}
	if err := cl.Flush(context.Background()); err != nil {
		h.t.Fatal(err)
	}
	return counts
}
