//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// noon is an event time to count from: the start of an hour, long past.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMilli()

const minute, hour = int64(60_000), int64(3_600_000)

// someOrders are n orders for each of 4 partitions, a minute apart, from noon on, the
// last ones of the hour first missing.
func someOrders(o *outside, n int) {
	o.t.Helper()
	for p := range int32(4) {
		for i := range n {
			o.send(to(p, orderAt(noon+int64(i)*minute, item{"latte", 2}, item{"tea: earl grey", uint64(1 + p)})))
		}
	}
}

// modelled computes what must come out of the input topic under the default rules.
func modelled(t *testing.T, o *outside, r rules) *expectation {
	t.Helper()
	e, err := expect(r, o.committed(o.topics.Orders))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var hourly = rules{window: time.Hour, grace: time.Minute}

// steady are flags under which nothing depends on how long a test takes.
var steady = []string{"--idle-timeout=0s", "--retention=876000h"}

// absent checks that files are not there.
func absent(t *testing.T, files ...string) {
	t.Helper()
	for _, file := range files {
		if _, err := os.Stat(file); !os.IsNotExist(err) {
			t.Errorf("%s is still there (%v)", file, err)
		}
	}
}

// TestStop stops the program by either signal and starts it again: counting goes on as
// if nothing had happened, and a clean stop leaves no address behind.
func TestStop(t *testing.T) {
	t.Parallel()
	p := newPlace(t, steady...)
	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		g := p.start().running()
		o := g.broker()
		someOrders(o, 25)
		g.reaches(o.ends(names.Orders))
		g.stopBy(signal)
		absent(t, filepath.Join(p.state(), "http.addr"), filepath.Join(p.data(), "broker.addr"))
	}
	g := p.start().running()
	o := g.broker()
	someOrders(o, 70) // into the second hour
	g.reaches(o.ends(names.Orders))
	e := modelled(t, o, hourly)
	e.checkChangelog(t, o)
	e.checkAnswers(t, g)
	if s := g.status(); s.Skipped != 0 || s.Rebuilds != 0 {
		t.Errorf("%d orders were read again, %d sessions lost", s.Skipped, s.Rebuilds)
	}
	g.stop()
}

// TestStopWhileStarting stops the program before it counts.
func TestStopWhileStarting(t *testing.T) {
	t.Parallel()
	p := newPlace(t, steady...)
	g := p.start()
	g.saying("answering")
	g.stop()
	absent(t, filepath.Join(p.state(), "http.addr"), filepath.Join(p.data(), "broker.addr"))
}

// TestRestore loses the state directory and restores it, from a stopped embedded broker
// and from one that runs.
func TestRestore(t *testing.T) {
	t.Parallel()
	p := newPlace(t, steady...)
	if out := p.run("restore", "--http=").out; out != "" {
		t.Errorf("restore takes a flag that is none of its own: %s", out)
	}
	out := p.run("restore").ok()
	mustSay(t, out, "nothing to restore", names.Changelog)

	g := p.start().running()
	o := g.broker()
	someOrders(o, 70)
	g.reaches(o.ends(names.Orders))
	e := modelled(t, o, hourly)
	g.stop()

	p.wipe()
	mustSay(t, p.run("restore").ok(), "restored", "280 orders", "portions")
	absent(t, filepath.Join(p.state(), "http.addr"), filepath.Join(p.data(), "broker.addr"))
	g = p.start().running()
	o = g.broker()
	e.checkChangelog(t, o)
	e.checkAnswers(t, g)

	// A second state directory, from the broker that runs.
	mustSay(t, p.run("restore", "--state="+filepath.Join(p.dir, "second")).ok(), "280 orders")
	if g.exited() {
		t.Error("the running one has ended")
	}
	someOrders(o, 1)
	g.reaches(o.ends(names.Orders))
	g.stop()

	// Of what was restored twice nothing is counted twice.
	second := *p
	second.flags = append([]string{"--state=" + filepath.Join(p.dir, "second")}, p.flags...)
	mustSay(t, p.run("restore", "--state="+filepath.Join(p.dir, "second")).ok(), "284 orders")
	if again := p.run("restore", "--state="+filepath.Join(p.dir, "second")).ok(); !strings.Contains(again, "284 orders") {
		t.Errorf("restored again: %s", again)
	}
}
