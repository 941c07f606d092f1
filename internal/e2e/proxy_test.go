//go:build unix

package e2e

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// proxy stands between clients and a broker. It can cut a connection when the answer to a
// request of some kind is on its way: the broker has done what was asked, and the client
// does not know.
type proxy struct {
	t    *testing.T
	addr string

	mu     sync.Mutex
	target string
	left   map[kmsg.Key]int // answers still to be lost, by kind
	conns  map[net.Conn]bool
}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{t: t, addr: l.Addr().String(), left: make(map[kmsg.Key]int), conns: make(map[net.Conn]bool)}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { p.serve(client) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.closeAll()
		wg.Wait()
	})
	return p
}

func (p *proxy) to(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
}

// lose cuts the connection before the next n answers to requests of a kind.
func (p *proxy) lose(key kmsg.Key, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left[key] = n
}

// toLose is how many of them are still to come.
func (p *proxy) toLose(key kmsg.Key) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left[key]
}

func (p *proxy) take(key kmsg.Key) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left[key] == 0 {
		return false
	}
	p.left[key]--
	return true
}

func (p *proxy) closeAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
}

func (p *proxy) hold(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[c] = true
}

// serve passes frames on both ways until one side ends. A connection's requests are
// answered in their order, so the n-th answer is that of the n-th request; only a produce
// request that wants no answer would break that, and nobody here sends any.
func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	broker, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer broker.Close()
	p.hold(client)
	p.hold(broker)
	asked := make(chan kmsg.Key, 1000)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer broker.Close()
		for pass(broker, client, func(head []byte) bool {
			asked <- kmsg.Key(binary.BigEndian.Uint16(head))
			return true
		}) {
		}
	})
	for pass(client, broker, func([]byte) bool { return !p.take(<-asked) }) {
	}
	client.Close()
	wg.Wait()
}

// pass passes one frame on if look, which sees its first four bytes, allows it.
func pass(to io.Writer, from io.Reader, look func(head []byte) bool) bool {
	var size [4]byte
	if _, err := io.ReadFull(from, size[:]); err != nil {
		return false
	}
	frame := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(from, frame); err != nil || len(frame) < 4 || !look(frame) {
		return false
	}
	_, err := to.Write(append(size[:], frame...))
	return err == nil
}
