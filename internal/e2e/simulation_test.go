//go:build unix

package e2e

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
	"windowed/internal/kafka"
	orders "windowed/internal/order"
	"windowed/window"
)

// simulation is the whole program in one process and in virtual time: an instance that
// counts and one that follows it, each with a disk of its own, and brokers, networks,
// disks and clocks that fail as a seed says.
//
// Two instances never count at the same time: kgo holds a mutex while it joins, and in a
// bubble of virtual time nothing moves then. Several members are in the chaos tests.
type simulation struct {
	t      *testing.T
	rnd    *rand.Rand
	broker *simBroker
	o      *outside
	load   *load
	ledger *ledger
	clock  *jumpingClock
	kept   *simKeeper

	cfg      kafka.Config
	job      engine.Config
	interval time.Duration
	faults   []*kfake.FaultHandle
	members  []*member
	deaths   chan death // by a disk
	figures  *tally2
}

const simPartitions = 3

// tally2 counts what happened. Safe for concurrent use.
type tally2 struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *tally2) add(what string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[what] += n
}

func newSimulation(t *testing.T, seed uint64) *simulation {
	t.Helper()
	s := &simulation{
		t: t, rnd: rand.New(rand.NewPCG(seed, 11)), broker: newSimBroker(t), clock: new(jumpingClock),
		deaths: make(chan death, 16), figures: &tally2{n: make(map[string]int)},
	}
	s.o = s.look()
	s.o.createAll(simPartitions)
	s.load = newLoad(t, nil, simPartitions, seed)
	s.interval = []time.Duration{20 * time.Millisecond, 100 * time.Millisecond, 3 * time.Second}[s.rnd.IntN(3)]
	s.cfg = kafka.Config{
		Brokers: s.broker.addrs(), Topics: names, Group: group,
		DeadPartitions: simPartitions, SessionTimeout: 10 * time.Second, ClientID: "simulation",
	}
	s.job = engine.Config{
		Window: window.Size(killWindow.Milliseconds()), Grace: killGrace.Milliseconds(), Top: 10,
		Flush: 5000, MaxFuture: 3_600_000, Order: orders.Config{TimeField: "ts"},
	}
	s.vary()
	s.ledger = newLedger(t, s.o, rules{window: killWindow, grace: killGrace, amend: s.job.Late == engine.AmendLate}, simPartitions)
	s.ledger.retention = time.Duration(s.job.Retention) * time.Millisecond
	s.ledger.clock, s.ledger.maxFuture = s.clock, time.Hour
	s.ledger.idle = s.job.IdleTimeout > 0
	s.kept = &simKeeper{s: s, first: make(map[int32]int64), next: make(map[int32]int64)}
	for i, name := range []string{"a", "b"} {
		s.members = append(s.members, newMember(s, name, seed+uint64(i)))
	}
	return s
}

// vary chooses the job by the seed: half of the seeds expire windows as they go.
func (s *simulation) vary() {
	s.job.Retention = killRetention.Milliseconds()
	if s.rnd.IntN(2) == 0 {
		s.job.Retention = []int64{20_000, 60_000, 600_000}[s.rnd.IntN(3)]
		s.figures.add("seeds with expiry", 1)
	}
	if s.rnd.IntN(3) == 0 {
		s.job.Late = engine.AmendLate
		s.figures.add("seeds that amend", 1)
	}
	if s.rnd.IntN(2) == 0 {
		s.job.IdleTimeout = []int64{500, 2000, 10_000}[s.rnd.IntN(3)]
		s.figures.add("seeds with idleness", 1)
	}
}

// look is a look at the brokers that no fault disturbs.
func (s *simulation) look() *outside {
	s.t.Helper()
	dial := kgo.Dialer(func(ctx context.Context, network, host string) (net.Conn, error) {
		return s.broker.network.DialContext(ctx, network, host)
	})
	seed := strings.Join(s.broker.addrs(), ",")
	cl, err := kgo.NewClient(kgo.SeedBrokers(s.broker.addrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.DisableIdempotentWrite(), dial)
	if err != nil {
		s.t.Fatal(err)
	}
	return &outside{t: s.t, seed: seed, cl: cl, adm: kadm.NewClient(cl), topics: names, group: group, dial: []kgo.Opt{dial}}
}

// jumpingClock is the wall clock of a simulation: the virtual time and what it is off by.
// Safe for concurrent use.
type jumpingClock struct {
	mu             sync.Mutex
	off, low, high time.Duration
}

// Now is what the clock shows.
func (c *jumpingClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.off)
}

// jump sets what the clock is off by.
func (c *jumpingClock) jump(off time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off, c.low, c.high = off, min(c.low, off), max(c.high, off)
}

// bounds are the least and the most that it was ever off by.
func (c *jumpingClock) bounds() (low, high time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.low, c.high
}

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
	sum := &tally2{n: map[string]int{"seeds": int(n)}}
	for seed := first; seed < first+n; seed++ {
		ok := t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for what, n := range newSimulation(t, seed).run() {
					sum.add(what, n)
				}
			})
		})
		if !ok {
			t.Logf("seed %d again: WINDOWED_SIM_SEED=%d go test -count=1 -v -run='^TestSimulation$' ./internal/e2e", seed, seed)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(sum.n)) {
		fmt.Printf("  %8d  %s\n", sum.n[what], what)
	}
}
