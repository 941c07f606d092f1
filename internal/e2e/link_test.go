//go:build unix

package e2e

import (
	"encoding/binary"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// network is the network in front of a broker. The broker tells clients the proxy's
// address, so that all they send comes through here.
type network struct {
	seed string

	mu    sync.Mutex
	moved *sync.Cond // the rules have changed
	rules netRules
	links map[*link]bool
}

// netRules are what the network does to the clients whose id ends with client. What is
// held back arrives later, when nobody waits for it any more, as on a real network.
type netRules struct {
	client             string
	noRequests, noRest bool // nothing reaches the broker; nothing comes back
	delay              time.Duration
}

// link is one connection through the proxy.
type link struct {
	client, broker net.Conn
	id             string // of the client, once it has said it
}

// behind is a listener that calls itself by another address.
type behind struct {
	net.Listener
	front net.Addr
}

func (b behind) Addr() net.Addr { return b.front }

// newNetwork starts a broker behind a proxy.
func newNetwork(t *testing.T) *network {
	t.Helper()
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &network{seed: front.Addr().String(), links: make(map[*link]bool)}
	p.moved = sync.NewCond(&p.mu)
	target := make(chan string, 1)
	go func() {
		to := <-target
		for {
			c, err := front.Accept()
			if err != nil {
				return
			}
			go p.carry(c, to)
		}
	}()
	t.Cleanup(func() { front.Close(); p.heal(); p.reset("") })
	newBroker(t, kfake.ListenFn(func(network, address string) (net.Listener, error) {
		l, err := net.Listen(network, address)
		if err != nil {
			return nil, err
		}
		target <- l.Addr().String()
		return behind{l, front.Addr()}, nil
	}))
	return p
}

// carry carries one connection until either side closes it.
func (p *network) carry(c net.Conn, to string) {
	b, err := net.Dial("tcp", to)
	if err != nil {
		c.Close()
		return
	}
	l := &link{client: c, broker: b}
	p.mu.Lock()
	p.links[l] = true
	p.mu.Unlock()
	go func() {
		p.pump(l, b, c, func(r netRules) bool { return r.noRequests })
		b.Close()
	}()
	p.pump(l, c, b, func(r netRules) bool { return r.noRest })
	c.Close()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
}

// pump copies one direction of a link by the rules.
func (p *network) pump(l *link, to, from net.Conn, held func(netRules) bool) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if from == l.client {
				p.name(l, buf[:n])
			}
			p.wait(l, held)
			if _, werr := to.Write(buf[:n]); werr != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// name learns the client's id from its first request: size, key, version, correlation
// id, then the id.
func (p *network) name(l *link, b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	const at = 4 + 2 + 2 + 4
	if l.id != "" || len(b) < at+2 {
		return
	}
	if n := int(int16(binary.BigEndian.Uint16(b[at:]))); n > 0 && len(b) >= at+2+n {
		l.id = string(b[at+2 : at+2+n])
	}
}

// wait holds a link's bytes back as long as the rules say.
func (p *network) wait(l *link, held func(netRules) bool) {
	p.mu.Lock()
	for strings.HasSuffix(l.id, p.rules.client) && held(p.rules) {
		p.moved.Wait()
	}
	delay := p.rules.delay
	ours := strings.HasSuffix(l.id, p.rules.client)
	p.mu.Unlock()
	if ours && delay > 0 {
		time.Sleep(delay)
	}
}

// set changes the rules; heal takes them all back.
func (p *network) set(r netRules) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = r
	p.moved.Broadcast()
}

func (p *network) heal() { p.set(netRules{}) }

// reset breaks the connections of a client, or of all, without a word.
func (p *network) reset(client string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		if !strings.HasSuffix(l.id, client) {
			continue
		}
		n++
		for _, c := range []net.Conn{l.client, l.broker} {
			if tcp, ok := c.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			c.Close()
		}
	}
	return n
}

// TestNetwork: what is held back arrives later, and the rules meet whom they should.
func TestNetwork(t *testing.T) {
	t.Parallel()
	p := newNetwork(t)
	o := look(t, p.seed)
	o.create(names.Orders, 1)
	p.set(netRules{noRest: true})
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.send(to(0, one(noon, "latte", 1)))
	}()
	select {
	case <-done:
		t.Error("an answer came through a network that is cut")
	case <-time.After(300 * time.Millisecond):
	}
	p.heal()
	<-done
	p.set(netRules{client: "/somebody", noRequests: true, noRest: true})
	if n := p.reset("/somebody"); n != 0 {
		t.Errorf("%d connections of somebody else", n)
	}
	o.send(to(0, one(noon, "latte", 1)))
	if n := p.reset(""); n == 0 {
		t.Error("no connection comes through the proxy")
	}
	o.send(to(0, one(noon, "latte", 1)))
}
