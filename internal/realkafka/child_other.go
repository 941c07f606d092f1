//go:build unix && !linux

package realkafka

import "syscall"

// childAttr keeps the terminal's Ctrl-C away from the child. There is no
// death signal here: a test cut off by its timeout may leave a broker behind.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
