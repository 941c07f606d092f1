//go:build unix

package e2e

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"windowed/internal/fault"
)

// network lets two instances behind a proxy go through all that can befall a process and
// its network.
func (c *chaos) network(t *testing.T, rnd *rand.Rand) {
	k := killed{own: true, instances: 2, proxied: true, program: c.program, env: c.env()}
	f := k.begin(t)
	l := newLoad(t, f.seed, killPartitions, rnd.Uint64())
	defer l.end()
	upsets := slices.Concat(instanceUpsets, networkUpsets, []upset{c.atPoint(), c.takeover()})
	for round := 0; round == 0 || time.Now().Before(c.until); round++ {
		for _, i := range rnd.Perm(len(upsets)) {
			if round > 0 && time.Now().After(c.until) {
				break
			}
			f.start()
			l.begin()
			time.Sleep(time.Duration(rnd.Int64N(int64(300 * time.Millisecond)))) // not a wait: the moment
			victim := rnd.IntN(2)
			upsets[i].do(f, victim, rnd)
			f.proxy.heal()
			if g := f.running[victim]; g != nil && g.exited() {
				f.running[victim] = nil
			}
			if name := upsets[i].name; name != "" {
				c.happened(name)
			}
		}
	}
	c.settle(t, k, f, l)
}

// atPoint kills the victim at one of the points that every instance passes.
func (c *chaos) atPoint() upset {
	points := pointsBut(append(atLeastOncePoints, fault.Fenced, fault.FinalPlanned, fault.Expired)...)
	return upset{"", func(f *fleet, victim int, rnd *rand.Rand) {
		point := points[rnd.IntN(len(points))]
		if f.dies(victim, point, rnd) {
			c.happened("kill -9 at " + point)
		}
	}}
}

// takeover kills the victim within a transaction, and the other one once it has ended it.
func (c *chaos) takeover() upset {
	return upset{"", func(f *fleet, victim int, rnd *rand.Rand) {
		other := 1 - victim
		f.arm(other, fault.Fenced, rnd)
		f.arm(victim, fault.Flushed, rnd)
		if f.died(victim, pointPatience) {
			c.happened("kill -9 at " + fault.Flushed)
		}
		if f.died(other, 5*sessionTimeout) {
			c.happened("kill -9 at " + fault.Fenced)
		}
	}}
}

// session is how the client id of an instance's session ends.
func (f *fleet) session(victim int) string {
	return "/" + strings.TrimSpace(read(f.places[victim].state()+"/instance-id"))
}

// networkUpsets are those of the network; the proxy is healed after each.
var networkUpsets = []upset{
	{"session cut off, both ways", func(f *fleet, victim int, rnd *rand.Rand) {
		f.proxy.set(netRules{client: f.session(victim), noRequests: true, noRest: true})
		outage(rnd, 2*sessionTimeout)
	}},
	{"requests do not arrive", func(f *fleet, victim int, rnd *rand.Rand) {
		f.proxy.set(netRules{client: f.session(victim), noRequests: true})
		outage(rnd, 2*sessionTimeout)
	}},
	{"answers do not arrive", func(f *fleet, victim int, rnd *rand.Rand) {
		f.proxy.set(netRules{client: f.session(victim), noRest: true})
		outage(rnd, 2*sessionTimeout)
	}},
	{"all cut off", func(f *fleet, _ int, rnd *rand.Rand) {
		f.proxy.set(netRules{noRequests: true, noRest: true})
		outage(rnd, 2*sessionTimeout)
	}},
	{"slow network", func(f *fleet, _ int, rnd *rand.Rand) {
		f.proxy.set(netRules{delay: time.Duration(10+rnd.IntN(90)) * time.Millisecond})
		outage(rnd, sessionTimeout)
	}},
	{"connections reset", func(f *fleet, victim int, rnd *rand.Rand) {
		for range 3 {
			if f.proxy.reset(f.session(victim)) == 0 {
				f.t.Log("the session had no connection to reset")
			}
			time.Sleep(time.Duration(rnd.Int64N(int64(200 * time.Millisecond))))
		}
	}},
	{"all connections reset", func(f *fleet, _ int, _ *rand.Rand) { f.proxy.reset("") }},
}

// outage is a random time up to limit.
func outage(rnd *rand.Rand, limit time.Duration) {
	time.Sleep(limit/8 + time.Duration(rnd.Int64N(int64(limit*7/8)))) // not a wait: the length of the outage
}
