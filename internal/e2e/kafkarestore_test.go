//go:build unix

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// leaveOpen leaves a transaction open in changelog partition 0, as a process does that is
// killed in it.
func (j *job) leaveOpen(id string, timeout time.Duration) {
	j.t.Helper()
	cl := j.site.cluster.Client(j.t, kgo.TransactionalID(id), kgo.TransactionTimeout(timeout), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	j.write(cl, 0)
	cl.Close()
	figures.fault("transaction left open", 1)
}

// write begins a transaction with a record that no reader may see.
func (j *job) write(cl *kgo.Client, p int32) {
	j.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	err := cl.BeginTransaction()
	if err == nil {
		r := &kgo.Record{Topic: j.topics.Changelog, Partition: p, Key: []byte("latte:all"), Value: []byte("01234567")}
		err = cl.ProduceSync(ctx, r).FirstErr()
	}
	if err != nil {
		j.t.Fatal(err)
	}
}

// counted is a job of which n orders for each of 2 partitions are counted, and its place.
func (s *site) counted(t *testing.T, n int, config map[string]string) (*job, *place) {
	t.Helper()
	j := s.job(t, 2, config)
	p := j.place()
	g := p.start().running()
	lattes(j.outside, n)
	g.reaches(j.now()).stop()
	return j, p
}

// exact checks that every order there is was counted once, and stops the program.
func (j *job) exact(g *program, lattes uint64) {
	j.t.Helper()
	g.reaches(j.now()).counts(lattes)
	figures.sums(lattes, g.status().Portions)
	g.stop()
}

// deadOwner: an instance died with a transaction open in the changelog. The next one ends
// it, long before its timeout, and goes on.
func (s *site) deadOwner(t *testing.T) {
	j, p := s.counted(t, 5, nil)
	j.leaveOpen(j.group+"-dead", 5*time.Minute)
	began := time.Now()
	g := p.start().running()
	t.Logf("running %v after its start", time.Since(began).Round(time.Millisecond))
	mustSay(t, g.stderr.String(), "ended the open transaction", j.group+"-dead")
	lattes(j.outside, 5)
	j.exact(g, 20)
}

// openForReaders: whoever only reads may not end the transaction of a member. It says whom
// it waits for, and goes on when the brokers end the transaction. KAFKA-10167: to end at
// the last stable offset instead would miss what was committed behind it.
func (s *site) openForReaders(t *testing.T) {
	j, p := s.counted(t, 5, nil)
	const timeout = 8 * time.Second
	j.leaveOpen(j.group+"-dead", timeout)
	replica := newPlace(t, "serve").with(counting...).with(j.flags()...).with("--retention=" + killRetention.String()).start()
	p.wipe()
	out, took := j.restore(p)
	t.Logf("restored after %v, behind a transaction of %v", took.Round(time.Millisecond), timeout)
	mustSay(t, out.ok(), "10 orders")
	mustSay(t, out.err, "waiting for an open transaction", j.group+"-dead")
	if took < timeout/2 || took > 4*timeout {
		t.Errorf("it took %v to restore", took)
	}
	replica.saying("waiting for an open transaction", j.group+"-dead")
	replica.running().reaches(j.now()).counts(10)
	replica.stop()
	j.exact(p.start().running(), 10)
}

// endsOfTheLog restores changelogs that end in what is no record: KAFKA-12951 (a commit
// marker), KAFKA-12980 (an aborted transaction and its marker), KAFKA-14302 (batches that
// the log cleaner has emptied).
func (s *site) endsOfTheLog(t *testing.T) {
	j, p := s.counted(t, 5, map[string]string{"delete.retention.ms": "100"})
	ctx, cancel := bounded()
	defer cancel()
	aborter := s.cluster.Client(t, kgo.TransactionalID(j.group+"-aborter"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	abort := func(ctx context.Context) error {
		for p := range j.partitions {
			j.write(aborter, p)
			if err := aborter.EndTransaction(ctx, kgo.TryAbort); err != nil {
				return err
			}
		}
		return nil
	}
	clean := func(ctx context.Context) error { return s.cluster.Compact(ctx, j.topics.Changelog) }
	for _, end := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"a commit marker", func(context.Context) error { return nil }},
		{"an aborted transaction", abort},
		{"two aborted transactions", abort},
		{"cleaned batches and an aborted transaction", clean},
		{"the same, cleaned of tombstones and markers", clean},
	} {
		if err := end.do(ctx); err != nil {
			t.Fatal(err)
		}
		if err := s.cluster.Settle(ctx); err != nil {
			t.Fatal(err)
		}
		p.wipe()
		out, took := j.restore(p)
		t.Logf("%s: restored in %v", end.name, took.Round(time.Millisecond))
		mustSay(t, out.ok(), "10 orders")
		if took > prompt {
			t.Errorf("%s: that took %v", end.name, took)
		}
		figures.fault("end of the log without a record", 1)
	}
	j.exact(p.start().running(), 10)
}

// prompt is what a restore of a few records takes at most on a busy machine; one that does
// not see the end waits for ever, or for RestoreWait.
const prompt = 15 * time.Second

// logCleaning: the real cleaner with our own tombstones. What it leaves restores to the
// same counts, and is no more than the windows that are still kept. KAFKA-8522.
func (s *site) logCleaning(t *testing.T) {
	j := s.job(t, 2, map[string]string{"delete.retention.ms": "100"})
	p := j.place("--retention=1m")
	g := p.start().running()
	j.begin(faultRate)
	time.Sleep(4 * time.Second) // not a wait: event time, 400 s of it
	e := j.settle(g)
	ctx, cancel := bounded()
	defer cancel()
	for range 2 { // the second time the tombstones go, too
		if err := s.cluster.Compact(ctx, j.topics.Changelog); err != nil {
			t.Fatal(err)
		}
	}
	e.checkChangelog(t, j.outside)
	kept, bound := 0, len(e.partitions)*(len(e.windows)+1)*(loadDrinks+controls)
	for _, records := range j.committed(j.topics.Changelog) {
		kept += len(records)
	}
	t.Logf("%d records are left, at most %d may be, for %d windows", kept, bound, len(e.windows))
	if kept > bound {
		t.Errorf("%d records are left, more than %d", kept, bound)
	}
	p.wipe()
	out, _ := j.restore(p)
	if strings.Contains(out.ok(), "nothing to restore") {
		t.Error(out.out)
	}
	g = p.start().running()
	e.checkAnswers(t, g)
	g.stop()
	figures.fault("log cleaned, state directory lost", 1)
}

// controls is how many control records a window, and a partition, has at most.
const controls = 5
