package e2e

import "syscall"

// childAttr keeps the terminal's Ctrl-C away from the child and has the kernel kill it
// when the thread that started it ends: a test run cut off by its timeout leaves no
// process behind.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
