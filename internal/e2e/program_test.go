//go:build unix

package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// program is a windowed that runs.
type program struct {
	t      *testing.T
	place  *place
	cmd    *exec.Cmd
	stdout text
	stderr text
	done   chan struct{}
	code   int // once done is closed; -1 if a signal ended it
	number int // among those of the test
}

// started counts the programs of a test, by its name.
var started sync.Map

// shownPrograms is how many of a failed test's programs show their last lines.
const shownPrograms = 3

// start starts the place's windowed. It is killed at the end of the test if it still
// runs then, and what it wrote is shown if the test failed.
func (p *place) start() *program {
	p.t.Helper()
	g := &program{t: p.t, place: p, done: make(chan struct{})}
	g.cmd = exec.Command(cmp.Or(p.program, windowed), p.runFlags()...)
	g.cmd.Dir, g.cmd.Env = p.dir, p.environment()
	g.cmd.Stdout, g.cmd.Stderr = &g.stdout, &g.stderr
	g.cmd.SysProcAttr = childAttr()
	// An address left over by a killed predecessor must not be taken for ours.
	_ = os.Remove(filepath.Join(p.state(), "http.addr"))
	if err := spawn(g.cmd); err != nil {
		p.t.Fatal(err)
	}
	go func() {
		_ = g.cmd.Wait()
		g.code = g.cmd.ProcessState.ExitCode()
		close(g.done)
	}()
	count, _ := started.LoadOrStore(p.t.Name(), new(atomic.Int64))
	g.number = int(count.(*atomic.Int64).Add(1))
	p.t.Cleanup(g.cleanup)
	return g
}

// logsVariable names a directory for what the programs of failed tests log, all of it, at
// level debug.
const logsVariable = "WINDOWED_E2E_LOGS"

func (g *program) cleanup() {
	if g.t.Failed() && !g.exited() {
		var s json.RawMessage
		err := g.ask("/v1/status", &s)
		g.t.Logf("it was still running: %s (%v)", s, err)
	}
	if g.t.Failed() && os.Getenv(logsVariable) != "" {
		g.signal(syscall.SIGQUIT) // its goroutines
		select {
		case <-g.done:
		case <-time.After(time.Second):
		}
	}
	g.signal(syscall.SIGKILL)
	<-g.done
	count, _ := started.Load(g.t.Name())
	if g.t.Failed() && g.number > int(count.(*atomic.Int64).Load())-shownPrograms {
		if dir := os.Getenv(logsVariable); dir != "" {
			_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.log", strings.ReplaceAll(g.t.Name(), "/", "_"), g.number)), []byte(g.stderr.String()), 0o644)
		}
		g.t.Logf("%s\n%s", strings.Join(g.cmd.Args[1:], " "), lastLines(g.stderr.String(), 30))
	}
}

func (g *program) signal(s os.Signal) { _ = g.cmd.Process.Signal(s) }

func (g *program) exited() bool {
	select {
	case <-g.done:
		return true
	default:
		return false
	}
}

// kill is kill -9.
func (g *program) kill() {
	g.t.Helper()
	if g.exited() {
		g.t.Fatalf("it had ended by itself with exit code %d:\n%s", g.code, lastLines(g.stderr.String(), 20))
	}
	g.signal(syscall.SIGKILL)
	<-g.done
}

// stop is Ctrl-C, and what must come of it: exit code 0 within a few seconds.
func (g *program) stop() { g.t.Helper(); g.stopBy(syscall.SIGINT) }

func (g *program) stopBy(s os.Signal) {
	g.t.Helper()
	g.signal(s)
	g.ends(0)
}

// ends waits until it ends by itself, with the given exit code.
func (g *program) ends(code int) {
	g.t.Helper()
	select {
	case <-g.done:
	case <-time.After(patience):
		g.t.Fatalf("still running after %v; its last lines:\n%s", patience, lastLines(g.stderr.String(), 20))
	}
	if g.code != code {
		g.t.Fatalf("exit code %d, not %d; its last lines:\n%s", g.code, code, lastLines(g.stderr.String(), 20))
	}
}

// refuses waits until it has ended with exit code 2 or what else is given, with a last
// line that says all of the given.
func (g *program) refuses(code int, says ...string) {
	g.t.Helper()
	g.ends(code)
	mustSay(g.t, g.stderr.String(), says...)
}

// saying waits until it has written a line on stderr with all of these.
func (g *program) saying(says ...string) {
	g.t.Helper()
	eventually(g.t, "a line with "+strings.Join(says, ", "), func() error {
		return said(g.stderr.String(), says...)
	})
}
