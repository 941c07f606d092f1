//go:build unix

package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"windowed/internal/fault"
)

// atLeastOncePoints are passed at least once only.
var atLeastOncePoints = []string{fault.Written, fault.OffsetsCommitted}

// transactionPoints are passed in exactly once mode only.
var transactionPoints = []string{
	fault.Claimed, fault.Fenced, fault.Begun, fault.Produced, fault.Flushed, fault.BeforeOffset, fault.OffsetsSent,
	fault.EndSent, fault.Ended,
}

// seldom are passed once a start, or once a second, or when windows close.
var seldom = map[string]int{
	fault.Claimed: 1, fault.Fenced: 1, fault.Restored: 1, fault.Released: 1, fault.Resumed: 1,
	fault.FinalPlanned: 4, fault.Expired: 3, fault.BeforeCheck: 2, fault.Checkpointed: 2,
}

// pointsBut are all points but some.
func pointsBut(but ...string) []string {
	return slices.DeleteFunc(slices.Clone(fault.Points), func(p string) bool { return slices.Contains(but, p) })
}

// points kills one instance at every point, again and again. The next start, which has to
// put things right, dies at another one.
func (c *chaos) points(t *testing.T, rnd *rand.Rand) {
	c.die(t, rnd, killed{own: true, instances: 1, program: c.program, env: c.env(), flags: []string{"--retention=1m", "--commit-interval=30ms"}}, pointsBut(append(atLeastOncePoints, fault.Fenced)...))
}

func (c *chaos) pointsAtLeastOnce(t *testing.T, rnd *rand.Rand) {
	flags := []string{"--retention=1m", "--guarantee=at-least-once", "--commit-interval=20ms"}
	c.die(t, rnd, killed{own: true, instances: 1, program: c.program, env: c.env(), flags: flags}, pointsBut(transactionPoints...))
}

func (c *chaos) die(t *testing.T, rnd *rand.Rand, k killed, points []string) {
	f := k.begin(t)
	l := newLoad(t, f.seed, killPartitions, rnd.Uint64())
	defer l.end()
	l.begin()
	for round := 0; round == 0 || time.Now().Before(c.until); round++ {
		for _, i := range rnd.Perm(len(points)) {
			if round > 0 && time.Now().After(c.until) {
				break
			}
			if !f.dies(0, points[i], rnd) {
				t.Errorf("it does not pass the point %s", points[i])
				continue
			}
			c.happened("kill -9 at " + points[i])
		}
	}
	c.settle(t, k, f, l)
}

// pointVariable tells a build with failpoints where to die.
const pointVariable = "WINDOWED_FAILPOINT"

// pointPatience is how long a program may take to pass a point.
const pointPatience = 30 * time.Second

// dies starts an instance anew, to die at a point, and says whether it did.
func (f *fleet) dies(victim int, point string, rnd *rand.Rand) bool {
	f.t.Helper()
	f.arm(victim, point, rnd)
	return f.died(victim, pointPatience)
}

// arm starts an instance anew, to die at a point.
func (f *fleet) arm(victim int, point string, rnd *rand.Rand) {
	f.t.Helper()
	if g := f.running[victim]; g != nil && !g.exited() {
		g.kill()
	}
	n := 1 + rnd.IntN(20)
	if most, ok := seldom[point]; ok {
		n = 1 + rnd.IntN(most)
	}
	armed := *f.places[victim]
	armed.env = append(slices.Clip(armed.env), fmt.Sprintf("%s=%s:%d", pointVariable, point, n))
	f.running[victim] = armed.start()
}

// died waits until an instance has died at its point; one that has not is killed.
func (f *fleet) died(victim int, limit time.Duration) bool {
	f.t.Helper()
	g := f.running[victim]
	f.running[victim] = nil
	select {
	case <-g.done:
		if g.code != -1 {
			f.t.Errorf("it ended with exit code %d:\n%s", g.code, lastLines(g.stderr.String(), 20))
		}
		return true
	case <-time.After(limit):
		f.t.Logf("not dead after %v:\n%s", limit, lastLines(g.stderr.String(), 10))
		g.kill()
		return false
	}
}
