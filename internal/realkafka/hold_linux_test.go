package realkafka

import (
	"net"
	"testing"
)

// TestHoldPort: a port is its broker's, listening or killed, until it is given away.
func TestHoldPort(t *testing.T) {
	p, err := holdPorts(1)
	must(t, err)
	port := p.numbers[0]
	taken := func(when string) {
		t.Helper()
		if h, err := holdPort(port); err == nil {
			h.release()
			t.Errorf("another takes the port %s", when)
		}
	}
	for range 2 {
		taken("while its broker is down")
		if c, err := net.Dial("tcp", address(port)); err == nil {
			c.Close()
			t.Error("somebody answers while the broker is down")
		}
		broker, err := net.Listen("tcp", address(port))
		must(t, err)
		taken("while its broker listens")
		broker.Close()
	}
	p.release()
	h, err := holdPort(port)
	must(t, err)
	h.release()
}
