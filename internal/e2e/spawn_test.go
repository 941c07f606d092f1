//go:build unix

package e2e

import (
	"os/exec"
	"runtime"
	"sync"
)

// spawn starts a process from one OS thread that lives as long as the test run: the
// death signal of a child follows the thread that started it.
func spawn(cmd *exec.Cmd) error {
	spawner()
	started := make(chan error)
	jobs <- func() { started <- cmd.Start() }
	return <-started
}

var jobs = make(chan func())

var spawner = sync.OnceFunc(func() {
	go func() {
		runtime.LockOSThread()
		for job := range jobs {
			job()
		}
	}()
})
