package realkafka

import "syscall"

// childAttr keeps the terminal's Ctrl-C away from the child and has the kernel
// kill it when the thread that started it ends. Without the latter a test that
// is cut off by its timeout leaves a broker behind.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
