package kafka_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// cutter loses answers: the broker does what a request says, and the connection breaks
// before the answer arrives. Or it delays them.
type cutter struct {
	dial  func(ctx context.Context, network, host string) (net.Conn, error)
	key   int16         // of the requests whose answers are lost
	delay time.Duration // not 0: the answers arrive, but so much later
	left  atomic.Int32  // how many more
	lost  atomic.Int32
}

var errCut = errors.New("connection cut by the test")

func (c *cutter) Dial(ctx context.Context, network, host string) (net.Conn, error) {
	conn, err := c.dial(ctx, network, host)
	if err != nil {
		return nil, err
	}
	return &cutConn{Conn: conn, cutter: c}, nil
}

type cutConn struct {
	net.Conn
	cutter *cutter

	mu  sync.Mutex
	cut bool // the answer that comes next is lost
}

func (c *cutConn) Write(b []byte) (int, error) {
	if len(b) >= 6 && int16(b[4])<<8|int16(b[5]) == c.cutter.key && c.cutter.left.Add(-1) >= 0 {
		c.mu.Lock()
		c.cut = true
		c.mu.Unlock()
	}
	return c.Conn.Write(b)
}

func (c *cutConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	cut := c.cut
	c.mu.Unlock()
	if cut && err == nil {
		c.cutter.lost.Add(1)
		if c.cutter.delay > 0 {
			c.mu.Lock()
			c.cut = false
			c.mu.Unlock()
			time.Sleep(c.cutter.delay)
			return n, nil
		}
		_ = c.Conn.Close()
		return 0, errCut
	}
	return n, err
}
