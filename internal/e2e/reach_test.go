//go:build unix

package e2e

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// nobody is an address where nobody listens, until the test ends: it is the other end of
// a connection, so that no other test is given it.
func nobody(t *testing.T) string {
	t.Helper()
	c, err := net.Dial("tcp", silent(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.LocalAddr().String()
}

// silent is an address where somebody listens who never says anything.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// TestReachBrokers names brokers that are not there.
func TestReachBrokers(t *testing.T) {
	t.Parallel()
	p := newPlace(t, steady...)
	for _, seed := range []string{nobody(t), silent(t)} {
		for _, args := range [][]string{{"topics", "check"}, {"topics", "create"}, {"seed", "--count=1"}, {"restore"}} {
			began := time.Now()
			p.run(append(args, "--brokers="+seed, "--timeout=1s")...).exits(1, seed)
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%v with --timeout=1s took %v", args, took)
			}
		}
	}

	// run waits for them, and says for whom.
	seed := nobody(t)
	g := p.with("--brokers=" + seed).start()
	g.saying("WRN", seed, "connection refused")
	if g.exited() {
		t.Errorf("run does not wait; exit code %d", g.code)
	}
	g.stop()
}

// TestReachLeftOver asks by address files that a killed program has left over.
func TestReachLeftOver(t *testing.T) {
	t.Parallel()
	p := newPlace(t, steady...)
	g := p.start().running()
	p.run("top").ok()
	g.kill()
	http, broker := filepath.Join(p.state(), "http.addr"), filepath.Join(p.data(), "broker.addr")
	for _, file := range []string{http, broker} {
		if _, err := os.Stat(file); err != nil {
			t.Fatal(err)
		}
	}
	p.run("top").exits(4, http, "left over")
	p.run("windows").exits(4, http, "left over")
	p.run("topics", "check").exits(4, broker, "left over")
	p.run("seed", "--count=1").exits(4, broker, "left over")

	// The next run takes them over.
	g = p.start().running()
	p.run("top").ok()
	p.run("seed", "--count=1", "--rate=100").ok()
	g.stop()
	p.run("topics", "check").exits(2, "--brokers", broker)
	p.run("seed").exits(2, "--brokers", broker)
}
