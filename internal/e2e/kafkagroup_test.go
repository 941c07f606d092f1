//go:build unix

package e2e

import (
	"fmt"
	"regexp"
	"testing"
	"time"
)

// protocols kills and restarts one of two instances, with either group protocol (KIP-848
// is the one of --group-protocol=consumer).
func (s *site) protocols(t *testing.T) {
	for _, protocol := range []string{"classic", "consumer"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			j := s.job(t, 4, nil)
			all := []*program{j.place("--group-protocol=" + protocol).start(), j.place("--group-protocol=" + protocol).start()}
			for _, g := range all {
				g.running()
			}
			j.begin(faultRate)
			for _, g := range all {
				g.passes(j.now())
			}
			all[0].kill()
			figures.fault("kill -9", 1)
			all[1].passes(j.now())
			all[0] = all[0].place.start().running()
			all[0].passes(j.now())
			j.settle(all...)
		})
	}
}

// staticMembership restarts one of two instances with --instance-id within the session
// timeout, by a stop and by kill -9. The group does not hear of it: no rebalance, and the
// other one's partition goes on.
func (s *site) staticMembership(t *testing.T) {
	j := s.job(t, 2, nil)
	var all []*program
	for _, name := range []string{"a", "b"} {
		all = append(all, j.place("--instance-id="+name, "--session-timeout=30s").start())
	}
	for _, g := range all {
		g.running()
	}
	j.ownerOfFirst(all)
	j.begin(faultRate)
	other, before := all[1], all[1].rebalances()
	mine := other.status().Owned[0]
	for _, end := range []func(*program){(*program).stop, (*program).kill} {
		end(all[0])
		ends := j.now()
		time.Sleep(time.Second) // not a wait: how long it is away
		other.passes(map[int32]int64{mine: ends[mine]})
		all[0] = all[0].place.start().running()
		all[0].passes(ends)
	}
	if after := other.rebalances(); after != before {
		t.Errorf("the other instance has seen %v rebalances, %v before", after, before)
	}
	figures.fault("restart of a static member", 2)
	j.settle(all...)
}

var rebalancesLine = regexp.MustCompile(`(?m)^windowed_rebalances_total (\d+)$`)

// rebalances is how often the partitions that the program owns have changed.
func (g *program) rebalances() (n int) {
	g.t.Helper()
	body := g.body("/metrics")
	found := rebalancesLine.FindStringSubmatch(body)
	if found == nil {
		g.t.Fatalf("no rebalances in %s", body)
	}
	_, _ = fmt.Sscan(found[1], &n)
	return n
}
