//go:build unix

package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
	"windowed/internal/kafka"
	orders "windowed/internal/order"
	"windowed/state"
	"windowed/window"
)

// simulation is the whole program in one process and in virtual time, with a broker, a
// network and a disk that fail as a seed says.
type simulation struct {
	t       *testing.T
	rnd     *rand.Rand
	cluster *kfake.Cluster
	network *kfake.VirtualNetwork
	o       *outside
	load    *load
	figures map[string]int

	cfg      kafka.Config
	job      engine.Config
	interval time.Duration
	wire     *wire
	faults   []*kfake.FaultHandle
	disk     *vfs.MemFS
	status   *engine.Status
	st       *state.State
	cancel   context.CancelFunc
	done     chan error
}

const simPartitions = 3

func newSimulation(t *testing.T, seed uint64) *simulation {
	t.Helper()
	s := &simulation{
		t: t, rnd: rand.New(rand.NewPCG(seed, 11)), network: new(kfake.VirtualNetwork),
		figures: make(map[string]int), status: new(engine.Status), disk: vfs.NewCrashableMem(),
	}
	var err error
	s.cluster, err = kfake.NewCluster(
		kfake.NumBrokers(1), kfake.ListenFn(s.network.Listen),
		// Its cleaner loses committed values; see internal/kafka/embedded.go.
		kfake.BrokerConfigs(map[string]string{"log.cleaner.backoff.ms": "315360000000"}),
	)
	if err != nil {
		t.Fatal(err)
	}
	s.wire = &wire{dial: s.network.DialContext}
	s.o = s.look()
	s.o.createAll(simPartitions)
	s.load = newLoad(t, nil, simPartitions, seed)
	s.interval = []time.Duration{20 * time.Millisecond, 100 * time.Millisecond, 3 * time.Second}[s.rnd.IntN(3)]
	s.cfg = kafka.Config{
		Brokers: s.cluster.ListenAddrs(), Topics: names, Group: group, Instance: "a",
		DeadPartitions: simPartitions, SessionTimeout: 10 * time.Second, ClientID: "simulation", Dialer: s.wire.Dial,
	}
	s.job = engine.Config{
		Window: window.Size(killWindow.Milliseconds()), Grace: killGrace.Milliseconds(), Retention: killRetention.Milliseconds(), Top: 10,
		Flush: 5000, MaxFuture: 3_600_000, Order: orders.Config{TimeField: "ts"},
	}
	return s
}

// look is a look at the broker that no fault disturbs.
func (s *simulation) look() *outside {
	s.t.Helper()
	dial := kgo.Dialer(func(ctx context.Context, network, host string) (net.Conn, error) {
		return s.network.DialContext(ctx, network, host)
	})
	seed := s.cluster.ListenAddrs()[0]
	cl, err := kgo.NewClient(kgo.SeedBrokers(seed), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.DisableIdempotentWrite(), dial)
	if err != nil {
		s.t.Fatal(err)
	}
	return &outside{t: s.t, seed: seed, cl: cl, adm: kadm.NewClient(cl), topics: names, group: group, dial: []kgo.Opt{dial}}
}

// start starts the program on the disk as it is.
func (s *simulation) start() {
	s.t.Helper()
	var err error
	s.st, err = state.Open("state", state.Options{FS: s.disk, Window: s.job.Lifecycle(), Logger: noLog{}})
	if err != nil {
		s.t.Fatal(err)
	}
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	s.done = make(chan error, 1)
	go func() {
		_, err := engine.Supervise(ctx, s.st, nil, s.connect, s.status, slog.New(slog.DiscardHandler))
		s.done <- err
	}()
}

func (s *simulation) connect(ctx context.Context, st *state.State) (engine.LoopOptions, func(), error) {
	admin, err := kafka.NewAdmin(&s.cfg)
	if err != nil {
		return engine.LoopOptions{}, nil, err
	}
	follower, err := kafka.NewFollower(&s.cfg, st, kafka.FollowOptions{Wait: kafka.TakeoverWait, Fence: true})
	if err != nil {
		admin.Close()
		return engine.LoopOptions{}, nil, err
	}
	session, err := kafka.NewSession(ctx, &s.cfg)
	if err != nil {
		follower.Close()
		admin.Close()
		return engine.LoopOptions{}, nil, err
	}
	return engine.LoopOptions{
		Config: s.job, Topic: names.Orders, Writer: s.cfg.TransactionalID(), Interval: s.interval, Status: s.status,
		Transport: session, Inputs: admin, Restorer: follower,
	}, func() { session.Close(); follower.Close(); admin.Close() }, nil
}

// noLog drops the store's log lines.
type noLog struct{}

func (noLog) Infof(string, ...any)              {}
func (noLog) Errorf(string, ...any)             {}
func (noLog) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// simSeeds is how many seeds are simulated: make sim sets it.
func simSeeds() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("WINDOWED_SIM"), 10, 64); err == nil {
		return n
	}
	return 10
}

// TestSimulation simulates seed after seed; WINDOWED_SIM says how many, WINDOWED_SIM_SEED
// which one alone.
func TestSimulation(t *testing.T) {
	first, n := uint64(1), simSeeds()
	if seed, err := strconv.ParseUint(os.Getenv("WINDOWED_SIM_SEED"), 10, 64); err == nil {
		first, n = seed, 1
	}
	sum := make(map[string]int)
	for seed := first; seed < first+n; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for what, n := range newSimulation(t, seed).run() {
					sum[what] += n
				}
			})
		})
	}
	t.Logf("%d seeds: %v", n, sum)
}
