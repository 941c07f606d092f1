//go:build unix

package e2e

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/state"
	"windowed/window"
)

// run simulates one seed, and adds up what happened how often.
func (s *simulation) run(sum *simFigures) {
	defer s.end()
	for i, m := range s.members {
		m.start(i == 0 || s.several)
	}
	steps := 12 + s.rnd.IntN(12)
	if s.several {
		steps /= 2
	}
	for range steps {
		s.orders()
		s.befall()
		s.pause(s.upTo(8 * time.Second))
		s.glance()
		if s.rnd.IntN(4) == 0 {
			s.settle()
		}
		if s.t.Failed() {
			return
		}
	}
	s.finish()
	l := s.ledger
	for what, n := range map[string]int{
		"counters compared": l.counters, "wrong": l.wrong, "finals": len(l.finals), "windows expired": l.expired,
		"silent partitions raised": l.raised, "orders late": int(l.e.late), "orders in the future": int(l.e.invalid["future"]),
		"orders refused": int(refused(l.e)), "orders counted": int(l.e.allTime.orders), "commits checked": l.commits,
	} {
		s.figures.add(what, n)
	}
	sum.addAll(s.figures)
}

// upTo is a random time below limit, ten times as short in real time.
func (s *simulation) upTo(limit time.Duration) time.Duration {
	d := time.Duration(s.rnd.Int64N(int64(limit)))
	if s.several {
		d /= 10
	}
	return d
}

func (s *simulation) happened(what string) { s.figures.add(what, 1) }

// counting is the instance that counts, or one of them.
func (s *simulation) counting() *member {
	all := s.allCounting()
	return all[s.rnd.IntN(len(all))]
}

func (s *simulation) allCounting() (all []*member) {
	for _, m := range s.members {
		if m.counts {
			all = append(all, m)
		}
	}
	return all
}

// following is the one that does not.
func (s *simulation) following() *member {
	if s.members[0] == s.counting() {
		return s.members[1]
	}
	return s.members[0]
}

// orders sends some, plainly or in a transaction that may be aborted.
func (s *simulation) orders() {
	s.t.Helper()
	records := make([]*kgo.Record, s.rnd.IntN(150))
	only := s.rnd.Int32N(2 * simPartitions) // some steps leave the other partitions silent
	for i := range records {
		p := s.rnd.Int32N(simPartitions)
		if only < simPartitions {
			p = only
		}
		records[i] = to(p, s.load.order())
	}
	s.figures.add("orders sent", len(records))
	if s.rnd.IntN(3) > 0 {
		s.o.send(records...)
		return
	}
	commit := s.rnd.IntN(3) > 0
	cl, err := kgo.NewClient(append(s.o.dial, kgo.SeedBrokers(s.cfg.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionalID("orders"))...)
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
		s.figures.add("orders aborted", len(records))
	}
}

// glance checks what was committed since the last one, and that no instance shows what
// was not.
func (s *simulation) glance() {
	s.t.Helper()
	type shown struct {
		who  string
		p    int32
		meta state.Meta
	}
	var all []shown
	for _, m := range s.members {
		for p := range int32(simPartitions) {
			if meta, ok := m.st.Load().Meta(p); ok {
				all = append(all, shown{m.cfg.Instance, p, meta})
			}
		}
	}
	s.ledger.catchUp()
	for _, x := range all {
		if want, ok := s.ledger.accounts[x.p].counters[x.meta.Next]; !ok || want != x.meta.Counters {
			s.t.Errorf("instance %s shows partition %d up to %d: %+v; committed (%v) is %+v", x.who, x.p, x.meta.Next, x.meta.Counters, ok, want)
		}
	}
}

// settle waits until all that is committed is counted, and compares.
func (s *simulation) settle() {
	s.t.Helper()
	s.calm()
	s.counted()
	s.compare()
}

// compare compares the stores of both instances with the changelog, and their answers
// with the model.
func (s *simulation) compare() {
	s.t.Helper()
	for _, m := range s.members {
		for began := time.Now(); ; s.pause(50 * time.Millisecond) {
			st := m.st.Load()
			s.ledger.catchUp()
			if s.ledger.checkStore(m.cfg.Instance, st, m.counts) && s.checkState(m.cfg.Instance, st) {
				break
			}
			if time.Since(began) > s.patience() {
				now := m.status.Now()
				s.t.Fatalf("instance %s is at %v of the changelog, not %v; %s, %s", m.cfg.Instance, st.Positions(), s.ledger.at[names.Changelog], now.Phase, now.LastError)
			}
		}
	}
}

// counted waits until the state has all that is committed.
func (s *simulation) counted() {
	s.t.Helper()
	ends := s.o.offsets(names.Orders, s.o.adm.ListCommittedOffsets)
	for began := time.Now(); ; s.pause(50 * time.Millisecond) {
		behind := ""
		for _, m := range s.allCounting() {
			for p, end := range ends {
				if meta, _ := m.st.Load().Meta(p); meta.Next < end {
					now := m.status.Now()
					behind = fmt.Sprintf("instance %s: partition %d is counted up to %d, not %d; %s, %s", m.cfg.Instance, p, meta.Next, end, now.Phase, now.LastError)
				}
			}
			select {
			case err := <-m.done:
				m.done <- err
				s.t.Fatalf("instance %s ended: %v", m.cfg.Instance, err)
			default:
			}
		}
		switch {
		case behind == "":
			return
		case time.Since(began) > s.patience():
			s.t.Fatalf("after %v: %s", s.patience(), behind)
		}
	}
}

// patience is how long everything takes at most.
func (s *simulation) patience() time.Duration {
	if s.several {
		return patience
	}
	return 10 * time.Minute
}

// calm ends the faults that have not struck: they would strike what looks.
func (s *simulation) calm() {
	for _, f := range s.faults {
		f.Remove()
	}
	s.faults = nil
	for _, m := range s.members {
		m.disk.calm()
	}
	s.pause(time.Millisecond) // a process that has just died
}

// finish closes all windows and compares everything, a restore from nothing included.
func (s *simulation) finish() {
	s.t.Helper()
	s.calm()
	s.counted()
	s.clock.jump(0)
	counting := s.allCounting()
	for _, m := range counting {
		m.stop()
	}
	s.job.IdleTimeout, s.ledger.idle = 1000, true
	for _, m := range counting {
		m.start(true)
	}
	s.counted()
	for began := time.Now(); ; s.pause(50 * time.Millisecond) {
		busy := s.busy(counting)
		if busy == "" {
			break
		}
		if time.Since(began) > s.patience() {
			s.t.Fatalf("%s: %+v", busy, counting[0].st.Load().Times())
		}
	}
	s.compare()
	s.ledger.checkEnd()
	for _, m := range counting {
		m.stop()
		m.disk.replace()
	}
	for _, m := range counting {
		m.start(true)
	}
	s.counted()
	s.compare()
}

// busy is what is left to close or to expire; empty: nothing is.
func (s *simulation) busy(counting []*member) string {
	st := counting[0].st.Load()
	if newest, open := st.NewestOpen(); open {
		return fmt.Sprintf("window %d is left open", newest)
	}
	for p := range int32(simPartitions) {
		if s.expires(counting, p) {
			meta, _ := st.Meta(p)
			return fmt.Sprintf("partition %d has expired through %d", p, meta.ExpiredThrough)
		}
	}
	return ""
}

// expires says whether partition p has windows to expire. A store knows the oldest final
// only as a lower bound, so it may say yes for ever where nothing is left; a no is certain,
// if the store is not behind.
func (s *simulation) expires(counting []*member, p int32) bool {
	newest, _ := counting[0].st.Load().Global()
	for _, m := range counting {
		st := m.st.Load()
		g, _ := st.Global()
		meta, _ := st.Meta(p)
		through := s.job.Lifecycle().ExpiredThrough(g.CloseThrough, st.NewestClosed())
		if g == newest && (through == window.None || !st.ExpiryDue(p, meta.ExpiredThrough, through)) {
			return false
		}
	}
	return true
}

// end ends all there is, whatever has happened: nothing may be left in the bubble.
func (s *simulation) end() {
	for _, m := range s.members {
		if m.cancel == nil {
			continue
		}
		m.wire.set(true)
		m.cancel()
		<-m.done
		_ = m.st.Load().Abandon()
	}
	s.o.cl.Close()
	s.broker.cluster.Close()
}
