package main

import "syscall"

// childAttr keeps the terminal's Ctrl-C away from a child, and has the kernel kill it when
// this program ends, however that comes about.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
