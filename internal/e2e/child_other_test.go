//go:build unix && !linux

package e2e

import "syscall"

// childAttr keeps the terminal's Ctrl-C away from the child.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
