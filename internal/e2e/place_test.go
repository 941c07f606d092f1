//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// place is where one windowed lives: a directory with its state and its embedded broker,
// and the flags it is run with.
type place struct {
	t       *testing.T
	dir     string
	env     []string // WINDOWED_* variables and the like
	flags   []string // of every run
	program string   // "": the one under test
}

// newPlace is an empty place. flags are those of run; --http and directories are added.
func newPlace(t *testing.T, flags ...string) *place {
	t.Helper()
	return &place{t: t, dir: t.TempDir(), flags: flags}
}

// with is the same place run with more flags, which win over the earlier ones.
func (p *place) with(flags ...string) *place {
	q := *p
	for _, flag := range flags {
		name, _, _ := strings.Cut(flag, "=")
		q.flags = without(q.flags, name)
	}
	q.flags = append(slices.Clip(q.flags), flags...)
	return &q
}

// without are the flags that do not set name.
func without(flags []string, name string) []string {
	var kept []string
	for _, flag := range flags {
		if flag != name && !strings.HasPrefix(flag, name+"=") {
			kept = append(kept, flag)
		}
	}
	return kept
}

func (p *place) state() string { return p.given("--state", "state") }
func (p *place) data() string  { return p.given("--data-dir", "data") }

// given is the directory that the flags name, else the place's own.
func (p *place) given(name, own string) string {
	for _, flag := range p.flags {
		if dir, ok := strings.CutPrefix(flag, name+"="); ok {
			return dir
		}
	}
	return filepath.Join(p.dir, own)
}

// runFlags are the arguments of run; --brokers instead of the embedded broker if the
// flags have it.
func (p *place) runFlags() []string {
	flags := p.flags
	for _, flag := range []string{"--state=" + p.state(), "--data-dir=" + p.data(), "--http=127.0.0.1:0"} {
		if name, _, _ := strings.Cut(flag, "="); len(without(flags, name)) == len(flags) {
			flags = append(slices.Clip(flags), flag)
		}
	}
	return flags
}

// environment is what the processes see: nothing of the test run's own WINDOWED_*.
func (p *place) environment() []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "TMPDIR=" + os.TempDir()}
	if os.Getenv(logsVariable) != "" {
		env = append(env, "WINDOWED_LOG_LEVEL=debug")
	}
	return append(env, p.env...)
}

// wipe removes the state directory, as a lost disk would.
func (p *place) wipe() {
	p.t.Helper()
	if err := os.RemoveAll(p.state()); err != nil {
		p.t.Fatal(err)
	}
}

// read is the content of a file, "" if there is none.
func read(file string) string {
	b, _ := os.ReadFile(file)
	return strings.TrimSpace(string(b))
}
