package realkafka

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// A spawner starts processes from one OS thread that lives as long as it does:
// the death signal of a child follows the thread that started it, and Go ends
// threads at will unless a goroutine holds them.
type spawner struct{ jobs chan func() }

func newSpawner() *spawner {
	s := &spawner{jobs: make(chan func())}
	go func() {
		runtime.LockOSThread() // not unlocked: the thread ends with this goroutine
		for job := range s.jobs {
			job()
		}
	}()
	return s
}

// close ends the thread, and on Linux with it every child still running.
func (s *spawner) close() { close(s.jobs) }

func (s *spawner) start(cmd *exec.Cmd) (*process, error) {
	cmd.SysProcAttr = childAttr()
	started := make(chan error)
	s.jobs <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// process is a child that was started here; only such are ever signalled.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // how it ended, once done is closed
}

func (p *process) exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *process) signal(sig syscall.Signal) error {
	err := p.cmd.Process.Signal(sig)
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("send %v to process %d: %w", sig, p.cmd.Process.Pid, err)
	}
	return nil
}

// wait waits for the end of the process, at most for limit.
func (p *process) wait(limit time.Duration) error {
	select {
	case <-p.done:
		return nil
	case <-time.After(limit):
		return fmt.Errorf("process %d has not ended after %v", p.cmd.Process.Pid, limit)
	}
}

func (p *process) kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	return p.wait(killWait)
}

const killWait = 10 * time.Second
