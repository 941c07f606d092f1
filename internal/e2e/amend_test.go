//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestAmend counts with --late=amend: late orders go into their closed window, whose
// final comes again with a higher revision.
func TestAmend(t *testing.T) {
	t.Parallel()
	p := newPlace(t, append([]string{"--late=amend", "--flush=200ms"}, steady...)...)
	p.topics(2, nil)
	g := p.start().running()
	o := g.broker()
	both := func(ms int64, drink string, quantity uint64) {
		t.Helper()
		o.send(to(0, one(ms, drink, quantity)), to(1, one(ms, drink, quantity)))
	}
	both(noon, "latte", 1)
	both(noon+5*hour, "latte", 1)
	revisions(t, o, noon, 1)
	both(noon+1000, "late latte", 10)
	revisions(t, o, noon, 2)
	both(noon+2*hour, "forgotten tea", 3) // a window that was never open
	revisions(t, o, noon+2*hour, 1)
	both(noon+2000, "late latte", 100)
	revisions(t, o, noon, 3)
	g.reaches(o.ends(names.Orders))
	g.kill()

	g = p.with("--idle-timeout=1s").start().running().closed()
	o = g.broker()
	r := rules{window: time.Hour, grace: time.Minute, amend: true}
	e := modelled(t, o, r)
	if e.late != 6 {
		t.Fatalf("%d orders are late, not 6: the test is of no use", e.late)
	}
	e.checkChangelog(t, o)
	e.checkAnswers(t, g)
	for _, start := range e.starts() {
		e.checkLastFinal(t, finals(o, names.Output), start)
	}
	if n := len(o.committed(names.DeadLetters)[0]) + len(o.committed(names.DeadLetters)[1]); n != 0 {
		t.Errorf("%d dead letters, though all late orders were taken", n)
	}
	checkSum(t, g)
	mustSay(t, p.run("windows").ok(), "revision 2")
	mustSay(t, p.run("top", "--window=2026-03-01T12:00:00Z").ok(), "final, revision 2")
	g.stop()
}

// revisions waits until a window has n finals or more: two late orders may come in one
// revision or in two. Their revisions must count up from 0, their totals must grow.
func revisions(t *testing.T, o *outside, start int64, n int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d finals of %s", n, label(start)), func() error {
		total, k := uint64(0), 0
		for _, r := range finals(o, names.Output) {
			if string(r.Key) != label(start) {
				continue
			}
			var v finalValue
			if err := json.Unmarshal(r.Value, &v); err != nil {
				t.Fatal(err)
			}
			if int(v.Revision) != k || v.Total <= total || headerOf(r, "revision") != fmt.Sprint(k) {
				t.Fatalf("final number %d of %s: %s after a total of %d", k, r.Key, r.Value, total)
			}
			total, k = v.Total, k+1
		}
		if k < n {
			return fmt.Errorf("%d so far", k)
		}
		return nil
	})
}

// checkLastFinal compares the last final of a window with what is expected.
func (e *expectation) checkLastFinal(t *testing.T, finals []*kgo.Record, start int64) {
	t.Helper()
	last := lastOf(finals, label(start))
	if last == nil {
		t.Errorf("window %s has no final", label(start))
		return
	}
	var v finalValue
	if err := json.Unmarshal(last.Value, &v); err != nil {
		t.Fatal(err)
	}
	if w := e.windows[start]; v.Records != w.orders || v.Total != w.portions || fmt.Sprint(v.Top) != fmt.Sprint(w.top(10)) {
		t.Errorf("the last final of %s is %s; not %d orders, %d portions, %v", label(start), last.Value, w.orders, w.portions, w.top(10))
	}
}

// checkSum checks that the windows and the late portions add up to all of time.
func checkSum(t *testing.T, g *program) {
	t.Helper()
	var all topAnswer
	g.answer("/v1/top", &all)
	sum := uint64(0)
	for _, w := range g.windows().Windows {
		sum += w.Total + w.LatePortions
	}
	if sum != all.Total {
		t.Errorf("windows and late portions add up to %d, all of time is %d", sum, all.Total)
	}
}

// TestAmendTooLate amends within the retention only: what comes later is a dead letter.
func TestAmendTooLate(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "--late=amend", "--flush=100ms", "--idle-timeout=0s", "--retention=2h")
	p.topics(1, nil)
	g := p.start().running()
	o := g.broker()
	o.send(to(0, one(noon, "latte", 1)))
	o.send(to(0, one(noon+10*hour, "latte", 1))) // noon expires, once a newer window is closed
	o.send(to(0, one(noon+12*hour, "latte", 1)))
	g.reaches(o.ends(names.Orders))
	eventually(t, "noon to expire", func() error {
		for _, w := range g.windows().Windows {
			if w.Start == label(noon) {
				return fmt.Errorf("it is %s", w.State)
			}
		}
		return nil
	})
	o.send(to(0, one(noon+1000, "too late", 1)), to(0, one(noon+10*hour, "in time", 1)))
	g.reaches(o.ends(names.Orders))
	letters := o.committed(names.DeadLetters)[0]
	if len(letters) != 1 || headerOf(letters[0], "reason") != "late" || headerOf(letters[0], "counted") != "all-time" || headerOf(letters[0], "offset") != "3" {
		t.Errorf("dead letters: %v", letters)
	}
	if s := g.status(); s.Late != 1 || s.Amended != 1 || s.Portions != 5 {
		t.Errorf("%d late, %d amended, %d portions", s.Late, s.Amended, s.Portions)
	}
	g.stop()
}
