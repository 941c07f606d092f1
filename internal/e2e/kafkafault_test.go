//go:build unix

package e2e

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestKafkaFaults does to jobs on one real broker what kfake cannot do at all, or does
// otherwise. Each has topics of its own, so they run at the same time.
func TestKafkaFaults(t *testing.T) {
	s := newSite(t)
	for _, test := range []struct {
		name string
		run  func(*site, *testing.T)
	}{
		// The longest ones first: they wait for time-outs.
		{"a time-out in a transaction", (*site).timedOut},
		{"an open transaction before readers", (*site).openForReaders},
		{"zombies", (*site).zombies},
		{"more partitions", (*site).morePartitions},
		{"static membership", (*site).staticMembership},
		{"a dead owner's transaction", (*site).deadOwner},
		{"lost answers", (*site).lostAnswers},
		{"log cleaning", (*site).logCleaning},
		{"ends of the log", (*site).endsOfTheLog},
		{"group protocols", (*site).protocols},
		{"topics gone", (*site).topicsGone},
		{"records too large", (*site).tooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(s, t)
		})
	}
}

// faultRate is the load under most faults, orders a second.
const faultRate = 300

// lostAnswers: requests are done, their answers are lost. franz-go#1207, #1052: going on
// with the same session after a lost EndTxn counts the transaction twice.
func (s *site) lostAnswers(t *testing.T) {
	j := s.job(t, 2, nil)
	g := j.place("--brokers=" + s.proxy.addr).start().running()
	j.begin(faultRate)
	for _, key := range []kmsg.Key{kmsg.EndTxn, kmsg.TxnOffsetCommit, kmsg.Produce, kmsg.InitProducerID} {
		const n = 3
		s.proxy.lose(key, n)
		if key == kmsg.InitProducerID {
			s.proxy.lose(kmsg.EndTxn, n) // so that there are sessions that ask for one
		}
		eventually(t, fmt.Sprintf("%d lost answers of kind %d", n, key), func() error {
			g.alive()
			if left := s.proxy.toLose(key); left > 0 {
				return fmt.Errorf("%d to go", left)
			}
			return nil
		})
		figures.fault("lost answer to "+key.Name(), n)
		g.passes(j.now())
	}
	if g.status().Rebuilds == 0 {
		t.Error("no session was lost: the test tests nothing")
	}
	j.settle(g)
}

// timedOut: the process stands still in a transaction for longer than its timeout, but
// stays in the group, so only the transaction coordinator can tell.
func (s *site) timedOut(t *testing.T) {
	j := s.job(t, 2, nil)
	g := j.place("--session-timeout=30s").start().running()
	j.begin(faultRate)
	g.passes(j.now())
	j.freeze(g)
	eventually(t, "the brokers to abort the transaction", func() error {
		if state := j.transaction(g); state == "Ongoing" {
			return fmt.Errorf("it is %s", state)
		}
		return nil
	})
	figures.fault("transaction timed out in a pause", 1)
	g.signal(syscall.SIGCONT)
	g.passes(j.now())
	j.settle(g)
}

// freeze stops the process while it has a transaction open.
func (j *job) freeze(g *program) {
	j.t.Helper()
	eventually(j.t, "an open transaction", func() error {
		g.alive()
		g.signal(syscall.SIGSTOP)
		if state := j.transaction(g); state != "Ongoing" {
			g.signal(syscall.SIGCONT)
			return fmt.Errorf("it is %s", state)
		}
		time.Sleep(50 * time.Millisecond) // not a wait: its last request may be on its way
		if state := j.transaction(g); state != "Ongoing" {
			g.signal(syscall.SIGCONT)
			return fmt.Errorf("it was just ended: %s", state)
		}
		return nil
	})
}

// transaction is the state of the program's transactional id.
func (j *job) transaction(g *program) string {
	j.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	id := j.group + "-" + instance(g.place)
	described, err := j.adm.DescribeTransactions(ctx, id)
	if err != nil {
		j.t.Fatal(err)
	}
	return described[id].State
}

// zombies: one of two instances sleeps past its session, once with orders in an open
// transaction, once with nothing to commit but the finals that are due. The other one
// takes over; what wakes up commits nothing. kafka-flow#732.
func (s *site) zombies(t *testing.T) {
	j := s.job(t, 2, nil)
	all := []*program{j.place().start(), j.place().start()}
	for _, g := range all {
		g.running()
	}
	l := j.begin(faultRate)
	all[0].passes(j.now())
	j.freeze(all[0])
	all[1].passes(j.now()) // that is: all partitions, beyond what the zombie has open
	all[0].signal(syscall.SIGCONT)
	all[0].passes(j.now())
	l.finish()

	// Without load: the owner of partition 0 sleeps, and windows close meanwhile.
	zombie, other := j.ownerOfFirst(all)
	zombie.signal(syscall.SIGSTOP)
	last := time.Now().Add(24 * time.Hour * -20).Truncate(time.Hour)
	for p := range j.partitions {
		j.send(j.order(p, one(last.UnixMilli(), "late riser", 1)))
	}
	other.reaches(j.now())
	eventually(t, "the other one to close the windows", func() error {
		for _, w := range other.windows().Windows {
			if !w.Final && w.Start != label(last.UnixMilli()) {
				return fmt.Errorf("%s is open", w.Start)
			}
		}
		return nil
	})
	zombie.signal(syscall.SIGCONT)
	figures.fault("zombie", 2)
	j.settle(all...)
}

// ownerOfFirst waits until all is shared out, and says who owns partition 0.
func (j *job) ownerOfFirst(all []*program) (owner, other *program) {
	j.t.Helper()
	eventually(j.t, "each to own a partition", func() error {
		for i, g := range all {
			g.alive()
			owned := g.status().Owned
			if len(owned) != 1 {
				return fmt.Errorf("instance %d owns %v", i, owned)
			}
			if slices.Contains(owned, 0) {
				owner, other = g, all[1-i]
			}
		}
		return nil
	})
	return owner, other
}
