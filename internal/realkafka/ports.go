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

// pickPorts returns n different ports that are free now. Another process may
// still take one before the broker does; the start is then done again.
func pickPorts(n int) ([]int, error) {
	var held []net.Listener
	defer func() {
		for _, l := range held {
			l.Close()
		}
	}()
	var ports []int
	for range portTries {
		if len(ports) == n {
			return ports, nil
		}
		port := firstPort + rand.IntN(lastPort-firstPort)
		l, err := net.Listen("tcp", address(port))
		if err != nil {
			continue
		}
		held = append(held, l) // held until all are chosen, so that they differ
		ports = append(ports, port)
	}
	return nil, fmt.Errorf("choose %d free ports in %d-%d: gave up after %d tries", n, firstPort, lastPort, portTries)
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
