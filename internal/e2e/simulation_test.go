//go:build unix

package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
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
	"windowed/internal/event"
	"windowed/internal/kafka"
	"windowed/internal/report"
	"windowed/window"
)

// simulation is the whole program in one process: instances with a disk of their own each,
// and brokers, networks, disks and clocks that fail as a seed says.
//
// In virtual time one instance counts and one follows it; they take turns. Two cannot count
// at the same time: kgo holds a mutex while it joins a group, and in a bubble of virtual
// time nothing moves as long as somebody waits for a mutex. So several that count at once
// are simulated in real time, where a seed decides what happens, but not to the
// millisecond when.
type simulation struct {
	t       *testing.T
	rnd     *rand.Rand
	several bool // all count, in real time
	broker  *simBroker
	o       *outside
	load    *load
	ledger  *ledger
	clock   *jumpingClock
	kept    *simKeeper

	cfg      kafka.Config
	job      engine.Config
	interval time.Duration
	faults   []*kfake.FaultHandle
	members  []*member
	deaths   chan death // by a disk
	figures  *simFigures
}

const simPartitions = 3

// simFigures counts what happened. Safe for concurrent use.
type simFigures struct {
	mu sync.Mutex
	n  map[string]int
}

// addAll adds up another's. What happened to many kinds of requests is one kind.
func (c *simFigures) addAll(o *simFigures) {
	for what, n := range o.n {
		c.add(what, n)
	}
}

func (c *simFigures) add(what string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[what] += n
}

func newSimulation(t *testing.T, seed uint64, several bool) *simulation {
	t.Helper()
	s := &simulation{
		t: t, rnd: rand.New(rand.NewPCG(seed, 11)), several: several, broker: newSimBroker(t, !several), clock: new(jumpingClock),
		deaths: make(chan death, 16), figures: &simFigures{n: make(map[string]int)},
	}
	s.o = s.look()
	s.o.create(names.Orders, simPartitions)
	// Tombstones go with the next compaction: what was away must not need them.
	s.o.create(names.Changelog, simPartitions, "cleanup.policy", "compact", "delete.retention.ms", "0")
	s.o.create(names.Output, 1)
	s.o.create(names.DeadLetters, simPartitions)
	s.load = newLoad(t, nil, simPartitions, seed)
	s.interval = []time.Duration{20 * time.Millisecond, 100 * time.Millisecond, 3 * time.Second}[s.rnd.IntN(3)]
	s.cfg = kafka.Config{
		Brokers: s.broker.addrs(), Topics: names, Group: group,
		DeadPartitions: simPartitions, SessionTimeout: 10 * time.Second, ClientID: "simulation",
	}
	s.job = engine.Config{
		Window: window.Size(killWindow.Milliseconds()), Grace: killGrace.Milliseconds(), Top: 10,
		Flush: 5000, MaxFuture: 3_600_000, Order: event.Config{TimeField: "ts"},
	}
	s.vary()
	s.ledger = newLedger(t, s.o, rules{window: killWindow, grace: killGrace, amend: s.job.Late == engine.AmendLate}, simPartitions)
	s.ledger.retention = time.Duration(s.job.Retention) * time.Millisecond
	s.ledger.clock, s.ledger.maxFuture = s.clock, time.Hour
	s.ledger.idle = s.job.IdleTimeout > 0
	s.kept = &simKeeper{s: s, first: make(map[int32]int64), next: make(map[int32]int64)}
	instances := []string{"a", "b"}
	if several {
		instances = []string{"a", "b", "c"}
		s.cfg.SessionTimeout, s.cfg.MetadataMaxAge = 1500*time.Millisecond, time.Second
		s.cfg.RebalanceTimeout = 5 * time.Second // kfake waits so long for a member that dies while it joins
		s.interval = min(s.interval, 100*time.Millisecond)
	}
	for i, name := range instances {
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
	dial := kgo.Dialer(s.broker.dial)
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

// simSeeds is how many seeds are simulated in virtual time, and in real time: make sim
// says so.
func simSeeds() (virtual, several uint64) {
	if n, err := strconv.ParseUint(os.Getenv("WINDOWED_SIM"), 10, 64); err == nil {
		return n, n / 20
	}
	if full {
		return 10, 1
	}
	return 4, 0
}

// TestSimulation simulates seed after seed in virtual time, each in a process of its own;
// WINDOWED_SIM says how many, WINDOWED_SIM_SEED which one alone, in this process.
func TestSimulation(t *testing.T) {
	if os.Getenv(seedVariable) == "" {
		t.Parallel()
		n, _ := simSeeds()
		simulate(t, n, "sim", "seeds in virtual time", inChild)
		return
	}
	go watchTime()
	simulate(t, 1, "", "seeds in virtual time", func(t *testing.T, seed uint64, sum *simFigures) {
		synctest.Test(t, func(t *testing.T) { newSimulation(t, seed, false).run(sum) })
		if err := sum.hand(); err != nil {
			t.Error(err)
		}
	})
}

// TestSimulationOfSeveral simulates three instances that count at once, in real time.
func TestSimulationOfSeveral(t *testing.T) {
	t.Parallel()
	_, n := simSeeds()
	if n == 0 && os.Getenv(seedVariable) == "" {
		t.Skip("takes a minute: CI, make sim and WINDOWED_FULL=1 have seeds for it")
	}
	simulate(t, n, "sim of several", "seeds of three instances in real time", func(t *testing.T, seed uint64, sum *simFigures) {
		newSimulation(t, seed, true).run(sum)
	})
}

// simulate runs n seeds, some at a time, and reports what happened in them.
func simulate(t *testing.T, n uint64, section, what string, run func(t *testing.T, seed uint64, sum *simFigures)) {
	first := uint64(1)
	if seed, err := strconv.ParseUint(os.Getenv(seedVariable), 10, 64); err == nil {
		first, n = seed, 1
	}
	sum := &simFigures{n: make(map[string]int)}
	name, began := t.Name(), time.Now()
	t.Run("all", func(t *testing.T) {
		for seed := first; seed < first+n; seed++ {
			t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
				t.Parallel()
				defer func() {
					if t.Failed() && os.Getenv(outVariable) == "" {
						t.Logf("once more: WINDOWED_SIM_SEED=%d go test -count=1 -v -run='^%s$' ./internal/e2e", seed, name)
					}
				}()
				run(t, seed, sum)
			})
		}
	})
	if given := sum.n[stoodStill]; given > max(1, int(n/20)) {
		t.Errorf("time stood still in %d of %d seeds", given, n)
	}
	if t.Failed() || os.Getenv("WINDOWED_SIM") == "" || section == "" {
		return
	}
	text := fmt.Sprintf("%d %s, %v: %d wrong\n", n, what, time.Since(began).Round(time.Second), sum.n["wrong"])
	delete(sum.n, "wrong")
	for _, kind := range slices.Sorted(maps.Keys(sum.n)) {
		text += fmt.Sprintf("%9d  %s\n", sum.n[kind], kind)
	}
	if err := report.Write(section, text); err != nil {
		t.Error(err)
	}
}
