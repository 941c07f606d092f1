package realkafka

import (
	"fmt"
	"os"
	"syscall"
)

// hold is a socket bound to a port of 127.0.0.1 that does not listen.
type hold struct{ fd int }

// holdPort binds a socket to a port that nobody has, and only then sets
// SO_REUSEADDR: a broker, which sets it too, can listen there beside it. Without
// this another cluster could choose the port of a broker that was killed and is
// to come back; for it, and for outgoing connections, the port is taken.
func holdPort(port int) (hold, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return hold{}, os.NewSyscallError("socket", err)
	}
	err = syscall.Bind(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	if err == nil {
		err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	}
	if err != nil {
		syscall.Close(fd)
		return hold{}, fmt.Errorf("hold port %d: %w", port, err)
	}
	return hold{fd}, nil
}

func (h hold) release() { syscall.Close(h.fd) }
