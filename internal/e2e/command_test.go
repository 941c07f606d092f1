//go:build unix

package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// outcome is what became of a command that ended.
type outcome struct {
	t        *testing.T
	args     string
	code     int
	out, err string
}

// run runs a command of windowed to its end. Its working directory is the place, so that
// ./state and ./data are the place's own.
func (p *place) run(args ...string) *outcome {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, windowed, args...)
	cmd.Dir, cmd.Env = p.dir, p.environment()
	cmd.SysProcAttr = childAttr()
	var out, err text
	cmd.Stdout, cmd.Stderr = &out, &err
	if e := spawn(cmd); e != nil {
		p.t.Fatal(e)
	}
	_ = cmd.Wait()
	if ctx.Err() != nil {
		p.t.Fatalf("windowed %s: still running after %v\n%s", strings.Join(args, " "), patience, err.String())
	}
	return &outcome{t: p.t, args: strings.Join(args, " "), code: cmd.ProcessState.ExitCode(), out: out.String(), err: err.String()}
}

// ok is the output of a command that must succeed.
func (o *outcome) ok() string {
	o.t.Helper()
	o.exits(0)
	return o.out
}

// exits checks the exit code, and that stderr says all of the given.
func (o *outcome) exits(code int, says ...string) {
	o.t.Helper()
	if o.code != code {
		o.t.Fatalf("windowed %s: exit code %d, not %d\nstdout: %s\nstderr: %s", o.args, o.code, code, lastLines(o.out, 20), lastLines(o.err, 20))
	}
	mustSay(o.t, o.err, says...)
}

func mustSay(t *testing.T, text string, says ...string) {
	t.Helper()
	if err := said(text, says...); err != nil {
		t.Fatal(err)
	}
}

// said is nil if a text says all of these.
func said(text string, says ...string) error {
	for _, s := range says {
		if !strings.Contains(text, s) {
			return fmt.Errorf("nothing says %q:\n%s", s, lastLines(text, 20))
		}
	}
	return nil
}
