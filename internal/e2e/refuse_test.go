//go:build unix

package e2e

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// TestRefuseSecondProcess starts a second process on the directories of a running one.
func TestRefuseSecondProcess(t *testing.T) {
	t.Parallel()
	p := newPlace(t, steady...)
	g := p.start().running()
	http, broker := g.address(), read(filepath.Join(p.data(), "broker.addr"))

	other := filepath.Join(p.dir, "other")
	p.run(p.with("--data-dir="+other).runFlags()...).exits(2, "--state", p.state())
	p.run("restore").exits(2, "--state", p.state())
	// Two brokers over the same files would destroy them.
	p.run(p.with("--state="+other).runFlags()...).exits(2, p.data(), "--data-dir", "--brokers="+broker)

	if g.address() != http || read(filepath.Join(p.data(), "broker.addr")) != broker {
		t.Error("the addresses of the running process are gone")
	}
	p.with("--state="+other, "--brokers="+broker).start().running().stop() // as the message says
	g.stop()
}

// TestRefuseConfiguration changes what the counts are bound to.
func TestRefuseConfiguration(t *testing.T) {
	t.Parallel()
	p := newPlace(t, steady...)
	g := p.start().running()
	o := g.broker()
	someOrders(o, 70)
	g.reaches(o.ends(names.Orders))
	e := modelled(t, o, hourly)
	g.stop()

	p.with("--window=10m").start().refuses(2, "--window was 3600000ms and is now 600000ms", "--state", "--group")
	p.with("--time-field=at").start().refuses(2, `--time-field was "ts" and is now "at"`)
	p.with("--grace=5m").start().refuses(2, "--grace was 60000ms and is now 300000ms", "--reconfigure")
	p.with("--late=amend").start().refuses(2, "--late was dead-letter and is now amend", "--reconfigure")
	p.with("--window=10m", "--reconfigure").start().refuses(2, "--window was")
	p.run("restore", "--window=10m").exits(2, "--window was")

	// Nothing was written, nothing is lost.
	g = p.start().running()
	e.checkChangelog(t, g.broker())
	e.checkAnswers(t, g)
	g.stop()

	g = p.with("--grace=5m", "--reconfigure").start().running()
	e.checkAnswers(t, g)
	g.reaches(map[int32]int64{0: 70})
	g.stop()
	p.with("--grace=5m").start().running().stop()
	p.start().refuses(2, "--grace was 300000ms and is now 60000ms", "--reconfigure")
}

// TestRefusePaths starts with paths that no record has. Once counts have begun, records
// that lack something are dead letters like any other.
func TestRefusePaths(t *testing.T) {
	t.Parallel()
	p := newPlace(t, steady...)
	p.topics(1, func(o *outside) {
		for range 3 {
			o.send(to(0, []byte(`{"at":"2026-03-01T10:00:00Z","page":"/a"}`)))
		}
	})
	p.with("--time-field=at", "--name=pgae").start().refuses(2, "no record of the first 3 has `pgae`", "did you mean `page`?", "--no-sample")
	p.with("--time-field=at", "--items=lines", "--name=page").start().refuses(2, "no record of the first 3 has `lines`")
	q := p.with("--time-field=at", "--name=page")
	g := q.start().running()
	g.reaches(map[int32]int64{0: 3}).stop()
	q.with("--name=other").start().refuses(2, "the mapping of records was", `name="page"`, `name="other"`)
	g = q.start().running()
	if s := g.status(); s.Counted != 3 {
		t.Errorf("%d records are counted, not 3", s.Counted)
	}
	g.stop()
}

// TestRefusePathsOfSchemas: the paths are looked for in records with schemas too, by all
// names that their fields have; a registry that is away is not waited for.
func TestRefusePathsOfSchemas(t *testing.T) {
	t.Parallel()
	j := onFake(t)
	first := j.registered(firstVersion)
	j.registered(thirdVersion)
	for range 3 {
		j.good(0, j.firstOrder(first, line("latte", 2)), item{"latte", 2})
	}
	typo := j.place.with("--items=items", "--name=drnk", "--quantity=quantity")
	typo.start().refuses(2, "no record of the first 3 has `items.drnk`; did you mean `items[].drink`?")
	j.place.with("--items=items", "--name=drink", "--quantity=quantity", "--time-field=tss").start().refuses(2, "no record of the first 3 has `tss`")
	g := j.place.with("--items=items", "--name=beverage", "--quantity=amount").start().running()
	j.settled(g)
	g.stop()
	away := onFake(t)
	away.registry.down.Store(true)
	away.send(away.order(0, framed(1, nil, []byte("x"))))
	away.place.with("--items=items", "--name=drnk", "--quantity=quantity").start().running().stop()
}

// TestRefuseForeignState starts on directories that are not this job's.
func TestRefuseForeignState(t *testing.T) {
	t.Parallel()
	p := newPlace(t, steady...)
	if err := os.MkdirAll(p.state(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.state(), "thesis.txt"), []byte("chapter 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.start().refuses(2, "thesis.txt", "--state")
	absent(t, p.data())
	p.wipe()

	p.start().running().stop()
	p.with("--group=somebody").start().refuses(2, "belongs to group drink-count", "--state")
	p.with("--changelog-topic=another", "--orders-topic=orders").start().refuses(2, "belongs to group", "changelog "+names.Changelog, "--state")
	p.start().running().stop()
}

// TestRefuseAddress takes the addresses to answer on.
func TestRefuseAddress(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := l.Addr().String()
	p := newPlace(t, steady...)
	p.with("--http="+taken).start().refuses(2, "--http", taken)
	p.with("--embedded-listen="+taken).start().refuses(2, "--embedded-listen", taken)
	p.with("--http=0.0.0.0:0").start().refuses(2, "--http", "--insecure-http")
	p.with("--embedded-listen=nonsense").start().refuses(2, "--embedded-listen")

	// The default is only a wish. If the port is taken already, so much the better.
	if l, err := net.Listen("tcp", "127.0.0.1:8080"); err == nil {
		defer l.Close()
	}
	g := p.with("--http=127.0.0.1:8080").start().running()
	if g.address() == "127.0.0.1:8080" {
		t.Error("it answers on an address that is taken")
	}
	g.saying("127.0.0.1:8080")
	mustSay(t, p.run("top", "-o", "json").ok(), `"schema":"windowed.top/v1"`) // finds the other port
	g.stop()
}
