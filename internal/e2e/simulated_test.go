//go:build unix

package e2e

import (
	"context"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/state"
)

// run simulates one seed, and returns what happened how often.
func (s *simulation) run() map[string]int {
	defer s.end()
	s.start()
	for range 12 + s.rnd.IntN(12) {
		s.orders()
		s.befall()
		time.Sleep(time.Duration(s.rnd.Int64N(int64(8 * time.Second))))
		if s.rnd.IntN(4) == 0 {
			s.settle()
		}
		if s.t.Failed() {
			break
		}
	}
	s.finish()
	return s.figures
}

// orders sends some, plainly or in a transaction that may be aborted.
func (s *simulation) orders() {
	s.t.Helper()
	records := make([]*kgo.Record, s.rnd.IntN(150))
	for i := range records {
		records[i] = to(s.rnd.Int32N(simPartitions), s.load.order())
	}
	s.figures["records"] += len(records)
	if s.rnd.IntN(3) > 0 {
		s.o.send(records...)
		return
	}
	commit := s.rnd.IntN(3) > 0
	cl, err := kgo.NewClient(append(s.o.dial, kgo.SeedBrokers(s.o.seed), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionalID("orders"))...)
	if err != nil {
		s.t.Fatal(err)
	}
	defer cl.Close()
	err = cl.BeginTransaction()
	if err == nil {
		err = cl.ProduceSync(context.Background(), records...).FirstErr()
	}
	if err == nil {
		err = cl.EndTransaction(context.Background(), kgo.TransactionEndTry(commit))
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if !commit {
		s.figures["orders aborted"] += len(records)
	}
}

// faultAt are the requests of the program that fail or lose their answers, and nobody
// else's.
func (s *simulation) faultAt() kfake.Fault {
	topic := []string{names.Orders, names.Changelog, names.Output, names.DeadLetters}[s.rnd.IntN(4)]
	all := []kfake.Fault{
		{Keys: []kmsg.Key{kmsg.Produce}, Topic: names.Changelog}, {Keys: []kmsg.Key{kmsg.Produce}, Topic: names.Output},
		{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Group: group}, {Keys: []kmsg.Key{kmsg.EndTxn}, TxnID: s.cfg.TransactionalID()},
		{Keys: []kmsg.Key{kmsg.InitProducerID}, TxnID: s.cfg.TransactionalID()}, {Keys: []kmsg.Key{kmsg.OffsetFetch}, Group: group},
		{Keys: []kmsg.Key{kmsg.Heartbeat}, Group: group}, {Keys: []kmsg.Key{kmsg.JoinGroup}, Group: group},
		{Keys: []kmsg.Key{kmsg.SyncGroup}, Group: group}, {Keys: []kmsg.Key{kmsg.FindCoordinator}, Group: group},
		{Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: topic}, {Keys: []kmsg.Key{kmsg.Fetch}, Topic: topic},
	}
	return all[s.rnd.IntN(len(all))]
}

// befall lets one thing happen, or none.
func (s *simulation) befall() {
	s.t.Helper()
	fault := s.faultAt()
	key := fault.Keys[0]
	switch s.rnd.IntN(10) {
	case 0:
		s.happened("answers lost to " + key.Name())
		s.wire.lose(key.Int16(), 1+s.rnd.IntN(3))
	case 1:
		fault.Err = []*kerr.Error{kerr.CoordinatorNotAvailable, kerr.NotCoordinator, kerr.RequestTimedOut, kerr.NotLeaderForPartition}[s.rnd.IntN(4)]
		s.happened("errors of " + key.Name())
		fault.Count = 1 + s.rnd.IntN(3)
		s.faults = append(s.faults, s.cluster.Fault(fault))
	case 2, 3:
		s.powerCut()
	case 4:
		s.happened("restart")
		s.stop()
		s.start()
	case 5:
		s.happened("disk lost")
		s.stop()
		s.disk = vfs.NewCrashableMem()
		s.start()
	case 6:
		s.happened("cut off for a while")
		s.wire.set(true)
		time.Sleep(time.Duration(s.rnd.Int64N(int64(40 * time.Second))))
		s.wire.set(false)
	case 7:
		s.fence()
	}
}

func (s *simulation) happened(what string) { s.figures[what]++ }

// powerCut ends the program at once, with some of the data lost that was not synced.
func (s *simulation) powerCut() {
	s.t.Helper()
	s.happened("power cut")
	time.Sleep(time.Duration(s.rnd.Int64N(int64(300 * time.Millisecond))))
	s.wire.set(true)
	disk := s.disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: s.rnd.IntN(101), RNG: s.rnd})
	s.cancel()
	s.ended(<-s.done)
	_ = s.st.Abandon()
	s.disk = disk
	s.wire.set(false)
	s.start()
}

// stop is a clean stop.
func (s *simulation) stop() {
	s.t.Helper()
	s.cancel()
	s.ended(<-s.done)
	if err := s.st.Close(); err != nil {
		s.t.Error(err)
	}
}

// fence takes the program's transactional id away, at most once in a while: twice in a
// minute would end it.
func (s *simulation) fence() {
	s.t.Helper()
	s.happened("fenced")
	s.calm()
	cl, err := kgo.NewClient(append(s.o.dial, kgo.SeedBrokers(s.o.seed), kgo.TransactionalID(s.cfg.TransactionalID()))...)
	if err != nil {
		s.t.Fatal(err)
	}
	defer cl.Close()
	if _, _, err := cl.ProducerID(context.Background()); err != nil {
		s.t.Fatal(err)
	}
	time.Sleep(90 * time.Second)
}

// ended checks what ended the program when it was told to.
func (s *simulation) ended(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Errorf("it ended: %v", err)
	}
}

// settle waits until all that is committed is counted, and compares.
func (s *simulation) settle() {
	s.t.Helper()
	s.calm()
	s.counted()
	e, err := expect(rules{window: killWindow, grace: killGrace}, s.o.committed(names.Orders))
	if err != nil {
		s.t.Fatal(err)
	}
	compared, wrong := e.checkChangelog(s.t, s.o)
	s.figures["counters compared"] += compared
	s.figures["wrong"] += wrong
	s.checkState(e, s.st)
}

// counted waits until the state has all that is committed.
func (s *simulation) counted() {
	s.t.Helper()
	ends := s.o.offsets(names.Orders, s.o.adm.ListCommittedOffsets)
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		behind := ""
		for p, end := range ends {
			if m, _ := s.st.Meta(p); m.Next < end {
				behind = fmt.Sprintf("partition %d is counted up to %d, not %d", p, m.Next, end)
			}
		}
		if behind == "" {
			return
		}
		select {
		case err := <-s.done:
			s.done <- err
			s.t.Fatalf("it ended: %v", err)
		default:
		}
		if now := s.status.Now(); time.Since(began) > 10*time.Minute {
			s.t.Fatalf("%s after ten minutes; %s, %s", behind, now.Phase, now.LastError)
		}
	}
}

// calm ends the faults that have not struck: they would strike what looks.
func (s *simulation) calm() {
	for _, f := range s.faults {
		f.Remove()
	}
	s.faults = nil
}

// finish closes all windows and compares everything, a restore from nothing included.
func (s *simulation) finish() {
	s.t.Helper()
	s.calm()
	s.counted()
	s.stop()
	s.job.IdleTimeout = 1000
	s.start()
	s.counted()
	for range 2000 {
		if _, open := s.st.NewestOpen(); !open {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.settle()
	e, err := expect(rules{window: killWindow, grace: killGrace}, s.o.committed(names.Orders))
	if err != nil {
		s.t.Fatal(err)
	}
	e.checkFinals(s.t, s.o, 10, false)
	e.checkLetters(s.t, s.o, false)
	s.figures["finals"] += len(e.starts())
	s.checkTimes()
	s.stop()
	s.disk = vfs.NewCrashableMem()
	s.start()
	s.counted()
	s.checkState(e, s.st)
}

// end ends all there is, whatever has happened: nothing may be left in the bubble.
func (s *simulation) end() {
	s.wire.set(true)
	s.cancel()
	<-s.done
	_ = s.st.Abandon()
	s.o.cl.Close()
	s.cluster.Close()
}

// checkTimes checks that no time in the changelog ever goes back.
func (s *simulation) checkTimes() {
	s.t.Helper()
	f := faults{t: s.t, what: "changelog"}
	defer f.end()
	for p, records := range s.o.committed(names.Changelog) {
		var meta state.Meta
		var through *int64
		for _, r := range records {
			c, err := state.DecodeChange(r.Key, r.Value)
			switch {
			case err != nil:
				f.add("partition %d offset %d: %v", p, r.Offset, err)
			case c.Kind == state.MetaKind:
				if c.Meta.Next < meta.Next || meta.Next > 0 && (c.Meta.Time.Watermark < meta.Time.Watermark || c.Meta.Time.CloseThrough < meta.Time.CloseThrough) {
					f.add("partition %d offset %d: a time goes back from %+v to %+v", p, r.Offset, meta, *c.Meta)
				}
				meta = *c.Meta
			case c.Kind == state.GlobalKind:
				if through != nil && c.Global.CloseThrough < *through {
					f.add("offset %d: the close-through goes back from %d to %d", r.Offset, *through, c.Global.CloseThrough)
				}
				through = &c.Global.CloseThrough
			case c.Deleted && c.Kind == state.CountKind:
				f.add("partition %d offset %d: a tombstone, though nothing has expired", p, r.Offset)
			}
		}
	}
}
