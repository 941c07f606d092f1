package realkafka

import (
	"fmt"
	"syscall"
	"unsafe"
)

// rlimit as prlimit64 takes it.
type rlimit struct{ current, most uint64 }

// FillDisk makes every write of the broker that would lengthen a file fail from now on, as
// if its disk were full (the error is EFBIG where a full disk says ENOSPC; to the broker
// both are an I/O error of its log directory). It needs no privilege. A broker with one log
// directory ends by that; the next Start has room again.
func (b *Broker) FillDisk() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc == nil {
		return fmt.Errorf("fill the disk of broker %d: %w", b.ID, errNotRunning)
	}
	none := rlimit{most: ^uint64(0)} // of file size; the hard limit stays
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(b.proc.cmd.Process.Pid), syscall.RLIMIT_FSIZE,
		uintptr(unsafe.Pointer(&none)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("fill the disk of broker %d: %w", b.ID, errno)
	}
	return nil
}
