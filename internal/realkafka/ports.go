package realkafka

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports come from below the usual ephemeral range (32768 on Linux): a broker
// has to get its port back after a kill, and inside that range any outgoing
// connection could take it meanwhile.
const (
	firstPort = 20000
	lastPort  = 32000
	portTries = 200
)

// ports are the ports of a cluster, kept for it while its brokers are down.
type ports struct {
	numbers []int
	holds   []hold
}

// holdPorts chooses n different ports that are free, and keeps others from
// taking them. Where hold cannot do that, another process may take one before
// the broker does; the start is then done again.
func holdPorts(n int) (*ports, error) {
	p := &ports{}
	for range portTries {
		if len(p.numbers) == n {
			return p, nil
		}
		port := firstPort + rand.IntN(lastPort-firstPort)
		h, err := holdPort(port)
		if err != nil {
			continue
		}
		p.numbers, p.holds = append(p.numbers, port), append(p.holds, h)
	}
	p.release()
	return nil, fmt.Errorf("choose %d free ports in %d-%d: gave up after %d tries", n, firstPort, lastPort, portTries)
}

// release gives the ports away. Brokers that have them keep them.
func (p *ports) release() {
	for _, h := range p.holds {
		h.release()
	}
	p.holds = nil
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
