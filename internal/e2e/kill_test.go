//go:build unix

package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"windowed/internal/realkafka"
)

// killed is one series of kill -9 under load.
type killed struct {
	name   string
	flags  []string
	rounds int // short form
	wipe   int // the state directory is lost in one of so many rounds; 0: never
	// own is for a broker that outlives the program: finals and dead letters are exact
	// there, too.
	own       bool
	real      int     // brokers of a real Kafka to run on; 0: kfake
	instances int     // on the own broker; one of them is the victim of a round
	upsets    []upset // one of them happens in a round; none: kill
	proxied   bool    // a proxy is in front of the own broker
	program   string  // "": the one under test
	env       []string
}

var series = []killed{
	{name: "exactly once", rounds: 5},
	{name: "exactly once, lost disks", rounds: 5, wipe: 2},
	{name: "at least once", rounds: 5, flags: []string{"--guarantee=at-least-once", "--commit-interval=20ms"}},
	{name: "short retention", rounds: 4, flags: []string{"--retention=1m"}, wipe: 3},
	{name: "own broker", rounds: 4, own: true, instances: 1, flags: []string{"--instance-id=a"}},
	{name: "own broker, lost disks", rounds: 3, own: true, instances: 1, wipe: 2, flags: []string{"--instance-id=a"}},
	{name: "two instances", rounds: 2, own: true, instances: 2, wipe: 4},
	{name: "two instances, every upset", rounds: 4, own: true, instances: 2, upsets: instanceUpsets},
	{name: "four instances", rounds: 3, own: true, instances: 4, upsets: instanceUpsets},
	{name: "eight instances", rounds: 2, own: true, instances: 8, upsets: instanceUpsets},
}

// How many rounds a series has in the full form: of kills, and of upsets, which take
// longer.
const (
	fullRounds = 60
	fullUpsets = 20
)

// TestKill kills the program, and with it the embedded broker, at random moments under
// load; or one of several instances, or does worse to it. At the end every count must be
// right, and with several instances all that came out equal to what one alone makes of
// the same input.
//
// lovoo/goka#207, kafka-flow#732 and #850, sql-flow#279, KAFKA-7192: instances that join,
// leave, die, or sleep past their session and wake up, lose nothing, count nothing twice,
// and write nothing as zombies.
func TestKill(t *testing.T) { runSeries(t, series) }

func runSeries(t *testing.T, all []killed) {
	for i, k := range all {
		t.Run(k.name, func(t *testing.T) {
			if k.real == 0 { // one real Kafka at a time is enough for a machine
				t.Parallel()
			}
			if k.instances > 4 && !full && !realkafka.InCI() {
				t.Skip("takes a minute: CI and WINDOWED_FULL=1 have it")
			}
			switch {
			case full && len(k.upsets) > 0:
				k.rounds = fullUpsets
			case full:
				k.rounds = fullRounds
			}
			k.run(t, uint64(time.Now().UnixNano())+uint64(i))
		})
	}
}

const (
	killWindow     = 10 * time.Second
	killGrace      = 2 * time.Second
	killRetention  = 876000 * time.Hour
	killPartitions = 4
)

// run kills and restarts, then compares. seed decides what is sent; when the program
// dies is up to the machine as well, so a series cannot be repeated exactly.
func (k killed) run(t *testing.T, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 0))
	f := k.begin(t)
	l := newLoad(t, f.seed, killPartitions, seed)
	defer l.end()
	wiped, repaired, recovery := 0, 0, time.Duration(0)
	happened := make(map[string]int)
	for range k.rounds {
		began := time.Now()
		f.start()
		recovery = max(recovery, time.Since(began))
		l.begin()
		time.Sleep(50*time.Millisecond + time.Duration(rnd.Int64N(int64(550*time.Millisecond)))) // not a wait: the moment of death
		victim := rnd.IntN(len(f.places))
		happened[k.befall(f, rnd, victim)]++
		if g := f.running[victim]; g != nil && g.exited() {
			repaired += strings.Count(g.stderr.String(), "is repaired")
			f.running[victim] = nil
		}
		if f.running[victim] == nil && k.wipe > 0 && rnd.IntN(k.wipe) == 0 {
			f.places[victim].wipe()
			wiped++
		}
	}
	e, counters, wrong := k.settle(t, f, l)
	t.Logf("seed %d: %v, %d state directories lost, %d records (%d late, %d refused), slowest start %v, %d cut commits repaired, %d counters compared, %d wrong",
		seed, happened, wiped, e.allTime.orders+refused(e), e.late, refused(e), recovery.Round(time.Millisecond), repaired, counters, wrong)
}

func refused(e *expectation) (n uint64) {
	for _, m := range e.invalid {
		n += m
	}
	return n
}

// settle lets the last run count everything and close all windows, and compares.
func (k killed) settle(t *testing.T, f *fleet, l *load) (*expectation, int, int) {
	t.Helper()
	f.start()
	l.finish()
	for _, g := range f.running {
		g.reaches(look(t, f.seed()).ends(names.Orders))
	}
	// Idleness is a decision by the clock: it comes in only now that all is counted.
	f.stop("--idle-timeout=1s")
	f.start()
	o := look(t, f.seed())
	for _, g := range f.running {
		g.reaches(o.ends(names.Orders)).closed()
	}
	e := k.expected(t, o, l)
	cut := !k.own || slices.Contains(k.flags, "--guarantee=at-least-once")
	e.checkFinals(t, o, 10, cut)
	e.checkLetters(t, o, cut)
	if f.cluster != nil {
		figures.compared(e, f.running[0].status())
	}
	if retention := retentionOf(f.places[0]); retention != killRetention {
		e.expire(t, f.running[0], retention)
		e.buried(o)
	}
	counters, wrong := e.checkChangelog(t, o)
	for _, g := range f.running {
		e.checkAnswers(t, g)
	}
	if k.instances > 1 {
		f.equalsOne(o)
	}
	f.stop()
	return e, counters, wrong
}

// expected computes what must have come out, from a whole input topic.
func (k killed) expected(t *testing.T, o *outside, l *load) *expectation {
	t.Helper()
	for p, start := range o.starts(names.Orders) {
		if start != 0 {
			t.Fatalf("partition %d of the input begins at %d: the expected counts cannot be computed", p, start)
		}
	}
	e := modelled(t, o, rules{window: killWindow, grace: killGrace})
	if n := e.allTime.orders + refused(e); n < uint64(l.acked) || n == 0 {
		t.Errorf("the input topic holds %d records, but %d were acknowledged", n, l.acked)
	}
	return e
}

func retentionOf(p *place) time.Duration {
	for _, flag := range p.flags {
		var text string
		if n, _ := fmt.Sscanf(flag, "--retention=%s", &text); n == 1 {
			d, _ := time.ParseDuration(text)
			return d
		}
	}
	return 0
}
