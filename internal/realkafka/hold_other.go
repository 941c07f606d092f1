//go:build unix && !linux

package realkafka

import "net"

// hold keeps nothing: elsewhere two sockets cannot share a port as on Linux.
type hold struct{}

// holdPort looks whether the port is free.
func holdPort(port int) (hold, error) {
	l, err := net.Listen("tcp", address(port))
	if err != nil {
		return hold{}, err
	}
	return hold{}, l.Close()
}

func (hold) release() {}
