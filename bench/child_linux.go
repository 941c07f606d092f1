package main

import "syscall"

// childAttr keeps the terminal's Ctrl-C away from a child, and has the kernel kill it when
// this program ends, however that comes about.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// writeBack waits until what was loaded, and what the last contestant has left, is on the
// disk: else the next one would wait for it.
func writeBack() { syscall.Sync() }
