//go:build unix

package e2e

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// killed is one series of kill -9 under load.
type killed struct {
	name   string
	flags  []string
	rounds int // short form
	wipe   int // the state directory is lost in one of so many rounds; 0: never
}

var series = []killed{
	{name: "exactly once", rounds: 5},
	{name: "exactly once, lost disks", rounds: 5, wipe: 2},
	{name: "at least once", rounds: 5, flags: []string{"--guarantee=at-least-once"}},
	{name: "short retention", rounds: 4, flags: []string{"--retention=1m"}, wipe: 3},
}

// fullRounds is how many rounds each series has in the full form.
const fullRounds = 60

// TestKill kills the program, and with it the embedded broker, at random moments under
// load. At the end every count must be right.
func TestKill(t *testing.T) {
	for i, k := range series {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			if full {
				k.rounds = fullRounds
			}
			k.run(t, uint64(i))
		})
	}
}

const (
	killWindow    = 10 * time.Second
	killGrace     = 2 * time.Second
	killRetention = 876000 * time.Hour
)

func (k killed) run(t *testing.T, salt uint64) {
	seed := uint64(time.Now().UnixNano()) + salt
	rnd := rand.New(rand.NewPCG(seed, 0))
	p := newPlace(t, "--window="+killWindow.String(), "--grace="+killGrace.String(), "--retention="+killRetention.String(), "--idle-timeout=0s").with(k.flags...)
	p.topics(4, nil)
	l := newLoad(p, 4, seed)
	defer l.end()
	before, wiped, recovery := "", 0, time.Duration(0)
	for range k.rounds {
		began := time.Now()
		g := p.start().running()
		recovery = max(recovery, time.Since(began))
		l.begin()
		l.follow(before)
		before = read(l.addrFile())
		time.Sleep(50*time.Millisecond + time.Duration(rnd.Int64N(int64(550*time.Millisecond)))) // not a wait: the moment of death
		g.kill()
		if k.wipe > 0 && rnd.IntN(k.wipe) == 0 {
			p.wipe()
			wiped++
		}
	}
	e, counters, wrong := k.settle(t, p, l)
	t.Logf("seed %d: %d kills, %d state directories lost, %d records (%d late, %d refused), slowest start %v, %d counters compared, %d wrong",
		seed, k.rounds, wiped, e.allTime.orders+refused(e), e.late, refused(e), recovery.Round(time.Millisecond), counters, wrong)
}

func refused(e *expectation) (n uint64) {
	for _, m := range e.invalid {
		n += m
	}
	return n
}

// settle lets the last run count everything and close all windows, and compares.
func (k killed) settle(t *testing.T, p *place, l *load) (*expectation, int, int) {
	t.Helper()
	g := p.start().running()
	l.finish()
	o := g.broker()
	g.reaches(o.ends(names.Orders))
	g.stop()
	// Idleness is a decision by the clock: it comes in only now that all is counted.
	g = p.with("--idle-timeout=1s").start().running().closed()
	o = g.broker()
	for p, start := range o.starts(names.Orders) {
		if start != 0 {
			t.Fatalf("partition %d of the input begins at %d: the expected counts cannot be computed", p, start)
		}
	}
	input := o.committed(names.Orders)
	e, err := expect(rules{window: killWindow, grace: killGrace}, input)
	if err != nil {
		t.Fatal(err)
	}
	if n := e.allTime.orders + refused(e); n < uint64(l.acked) || n == 0 {
		t.Errorf("the input topic holds %d records, but %d were acknowledged", n, l.acked)
	}
	e.checkFinals(t, o, 10, true)
	e.checkLetters(t, o, true)
	if retention := retentionOf(p); retention != killRetention {
		e.expire(t, g, retention)
	}
	counters, wrong := e.checkChangelog(t, o)
	e.checkAnswers(t, g)
	g.stop()
	return e, counters, wrong
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
