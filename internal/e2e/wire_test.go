//go:build unix

package e2e

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// wire is the network of one program: it can be cut, and it can lose answers, so that the
// broker has done what it was asked for and the program does not know.
type wire struct {
	dial    func(ctx context.Context, network, host string) (net.Conn, error)
	latency time.Duration // of each request

	mu    sync.Mutex
	cut   bool
	conns map[*wireConn]bool
	key   int16 // of the requests whose answers are lost
	left  int   // how many more
}

// beats are the requests of all simulations: as long as there are some, time goes on.
var beats atomic.Int64

// errCutOff is what a network says, and not this test's own error: it must be taken for one.
var errCutOff = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("cut off by the test")}

func (w *wire) Dial(ctx context.Context, network, host string) (net.Conn, error) {
	w.mu.Lock()
	cut := w.cut
	w.mu.Unlock()
	if cut {
		return nil, errCutOff
	}
	conn, err := w.dial(ctx, network, host)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err} // as if nobody listens
	}
	c := &wireConn{Conn: conn, wire: w}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conns == nil {
		w.conns = make(map[*wireConn]bool)
	}
	w.conns[c] = true
	return c, nil
}

// set cuts the network, or mends it.
func (w *wire) set(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut = cut; cut {
		for c := range w.conns {
			_ = c.Conn.Close()
		}
		clear(w.conns)
	}
}

// lose loses the answers to the next n requests with this key.
func (w *wire) lose(key int16, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.key, w.left = key, n
}

type wireConn struct {
	net.Conn
	wire *wire
	lost bool // the answer that comes next is lost; guarded by wire.mu
}

func (c *wireConn) Write(b []byte) (int, error) {
	time.Sleep(c.wire.latency)
	beats.Add(1)
	if len(b) >= 6 {
		c.wire.mu.Lock()
		if int16(b[4])<<8|int16(b[5]) == c.wire.key && c.wire.left > 0 {
			c.wire.left--
			c.lost = true
		}
		c.wire.mu.Unlock()
	}
	return c.Conn.Write(b)
}

func (c *wireConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	if c.lost && err == nil {
		_ = c.Conn.Close()
		return 0, errCutOff
	}
	return n, err
}

func (c *wireConn) Close() error {
	c.wire.mu.Lock()
	delete(c.wire.conns, c)
	c.wire.mu.Unlock()
	return c.Conn.Close()
}
