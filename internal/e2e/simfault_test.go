//go:build unix

package e2e

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// faultAt are the requests of the program that fail or lose their answers, and nobody
// else's.
func (s *simulation) faultAt() kfake.Fault {
	id := s.counting().cfg.TransactionalID()
	topic := []string{names.Orders, names.Changelog, names.Output, names.DeadLetters}[s.rnd.IntN(4)]
	all := []kfake.Fault{
		{Keys: []kmsg.Key{kmsg.Produce}, Topic: names.Changelog}, {Keys: []kmsg.Key{kmsg.Produce}, Topic: names.Output},
		{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Group: group}, {Keys: []kmsg.Key{kmsg.EndTxn}, TxnID: id},
		{Keys: []kmsg.Key{kmsg.InitProducerID}, TxnID: id}, {Keys: []kmsg.Key{kmsg.OffsetFetch}, Group: group},
		{Keys: []kmsg.Key{kmsg.Heartbeat}, Group: group}, {Keys: []kmsg.Key{kmsg.JoinGroup}, Group: group},
		{Keys: []kmsg.Key{kmsg.SyncGroup}, Group: group}, {Keys: []kmsg.Key{kmsg.FindCoordinator}, Group: group},
		{Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: topic}, {Keys: []kmsg.Key{kmsg.Fetch}, Topic: topic},
	}
	return all[s.rnd.IntN(len(all))]
}

// misfortune is something that can befall an instance.
type misfortune struct {
	often   int
	virtual bool // in virtual time only
	do      func(s *simulation, m *member)
}

var misfortunes = []misfortune{
	{1, false, (*simulation).loseAnswers},
	{1, false, (*simulation).answerErrors},
	{2, false, (*simulation).cutPower},
	{1, false, (*simulation).restart},
	{1, false, (*simulation).loseDisk},
	{1, false, (*simulation).cutOff},
	{1, true, func(s *simulation, _ *member) { s.fence() }},
	{2, false, (*simulation).breakDisk},
	{1, false, func(s *simulation, _ *member) { s.jump() }},
	{1, true, func(s *simulation, _ *member) { s.brokers() }},
	{1, false, func(s *simulation, _ *member) { s.move() }},
	{2, true, func(s *simulation, _ *member) { s.takeover() }},
	{2, false, func(s *simulation, _ *member) { s.clean() }},
	{2, false, (*simulation).oldDisk},
	{2, false, func(*simulation, *member) {}},
}

// befall lets one thing happen, or none.
func (s *simulation) befall() {
	s.t.Helper()
	m := s.members[s.rnd.IntN(len(s.members))]
	if s.rnd.IntN(4) > 0 {
		m = s.counting() // more often than the one that follows
	}
	var all []misfortune
	for _, x := range misfortunes {
		for range x.often {
			if !x.virtual || !s.several {
				all = append(all, x)
			}
		}
	}
	all[s.rnd.IntN(len(all))].do(s, m)
}

func (s *simulation) loseAnswers(m *member) {
	key := s.faultAt().Keys[0]
	s.happened("answers lost to " + key.Name())
	m.wire.lose(key.Int16(), 1+s.rnd.IntN(3))
}

func (s *simulation) answerErrors(*member) {
	fault := s.faultAt()
	fault.Err = []*kerr.Error{kerr.CoordinatorNotAvailable, kerr.NotCoordinator, kerr.RequestTimedOut, kerr.NotLeaderForPartition}[s.rnd.IntN(4)]
	fault.Count = 1 + s.rnd.IntN(3)
	s.happened("errors of " + fault.Keys[0].Name())
	s.faults = append(s.faults, s.broker.cluster.Fault(fault))
}

func (s *simulation) cutPower(m *member) {
	s.t.Helper()
	s.happened("power cuts")
	s.pause(s.upTo(300 * time.Millisecond))
	m.powerCut()
	m.start(m.counts)
}

func (s *simulation) loseDisk(m *member) {
	s.t.Helper()
	s.happened("disks lost")
	m.stop()
	m.disk.replace()
	m.start(m.counts)
}

// oldDisk makes a backup of an instance's disk, or puts it in again.
func (s *simulation) oldDisk(m *member) {
	s.t.Helper()
	if m.disk.save() {
		return
	}
	s.happened("old disks put in again")
	m.end(m.st.Load().Abandon)
	m.disk.rewind()
	m.start(m.counts)
}

func (s *simulation) cutOff(m *member) {
	s.t.Helper()
	s.happened("cut off for a while")
	m.wire.set(true)
	s.pause(s.upTo(40 * time.Second))
	if !m.disk.died() {
		m.wire.set(false)
	}
}

// restart stops an instance and starts it again; while nobody counts, the changelog may
// be compacted.
func (s *simulation) restart(m *member) {
	s.t.Helper()
	s.happened("restarts")
	m.stop()
	if m.counts && !s.several && s.rnd.IntN(2) == 0 {
		s.compact()
	}
	m.start(m.counts)
}

// breakDisk lets an operation of an instance's disk fail soon: a write as it counts or
// starts, a sync as it stops, a read as it starts, which is when most is read of a small
// store.
func (s *simulation) breakDisk(m *member) {
	s.t.Helper()
	what := s.rnd.IntN(len(diskFaults))
	starts := diskFaults[what].what == "read" || diskFaults[what].what == "write" && s.rnd.IntN(3) == 0
	if starts {
		m.end(m.st.Load().Abandon)
	}
	m.disk.arm(what)
	switch {
	case starts:
		m.start(m.counts)
	case diskFaults[what].what == "sync":
		s.pause(s.upTo(time.Second))
		m.stop()
		m.start(m.counts)
	}
}

// fence takes the program's transactional id away, at most once in a while: twice in a
// minute would end it.
func (s *simulation) fence() {
	s.t.Helper()
	s.happened("fencings")
	s.calm()
	cl, err := kgo.NewClient(append(s.o.dial, kgo.SeedBrokers(s.cfg.Brokers...), kgo.TransactionalID(s.counting().cfg.TransactionalID()))...)
	if err != nil {
		s.t.Fatal(err)
	}
	defer cl.Close()
	if _, _, err := cl.ProducerID(context.Background()); err != nil {
		s.t.Fatal(err)
	}
	s.pause(90 * time.Second)
}

// jump sets the wall clock wrong, or right again.
func (s *simulation) jump() {
	by := []time.Duration{0, time.Second, time.Hour, 24 * time.Hour, 45 * 24 * time.Hour}[s.rnd.IntN(5)]
	if s.rnd.IntN(2) == 0 {
		by = -by
	}
	s.happened("clock jumps")
	s.clock.jump(by)
}

// brokers restarts all brokers, as they were.
func (s *simulation) brokers() {
	s.t.Helper()
	s.happened("broker restarts")
	s.faults = nil // they go with the brokers
	s.broker.cluster.Close()
	s.pause(s.upTo(20 * time.Second))
	s.broker.start()
}

// move lets partitions have other leaders, groups and transactions other coordinators,
// also while orders are fetched and transactions abort (franz-go#1222).
func (s *simulation) move() {
	if s.rnd.IntN(2) == 0 {
		s.happened("leaders moved")
		s.broker.cluster.ShufflePartitionLeaders()
	} else {
		s.happened("coordinators moved")
		s.broker.cluster.RehashCoordinators()
	}
}

// takeover lets the instance that follows count, with its own store and name, once the
// other one has died or left; that one follows then.
func (s *simulation) takeover() {
	s.t.Helper()
	s.happened("takeovers")
	old, next := s.counting(), s.following()
	if s.rnd.IntN(2) == 0 {
		old.powerCut()
		// The brokers have to notice it: kgo stands still while a rebalance waits for a member.
		s.pause(s.cfg.SessionTimeout + time.Second)
	} else {
		old.stop()
	}
	next.end(next.st.Load().Close)
	next.start(true)
	old.start(false)
}
