package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// writeFile writes the orders of a workload of one partition as JSON lines.
func writeFile(file string, w *Workload) (err error) {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	buf := bufio.NewWriterSize(out, 1<<20)
	m := w.maker(0, newSampler(w.Drinks, w.Zipf))
	var line []byte
	for o, ok := m.next(); ok; o, ok = m.next() {
		line = append(o.append(line[:0], w.Size), '\n')
		if _, err := buf.Write(line); err != nil {
			return err
		}
	}
	return buf.Flush()
}

// filer counts a file, from the start of its process to the end.
type filer interface {
	name() string
	// command is what is run; its answer is on stdout or in the file answer.
	command(f *field, answer string) *exec.Cmd
	// read reads the answer from either.
	read(answer string) (Answer, error)
}

// whole runs a contestant over the field's file. All of the process counts.
func whole(ctx context.Context, c filer, f *field, limit time.Duration) Run {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w of %v", errLimit, limit))
	defer cancel()
	answer := filepath.Join(f.dir, "answer.tsv")
	p, err := startFiler(c, f, answer)
	if err != nil {
		return Run{Err: err}
	}
	r, err := watch(ctx, p)
	if err != nil {
		p.kill()
		return Run{Err: err}
	}
	if p.err != nil {
		return Run{Err: p.gone()}
	}
	orders := float64(f.truth.Orders)
	r.Speed = orders / r.First.Seconds()
	used := p.cmd.ProcessState
	r.CPU = (used.UserTime() + used.SystemTime()).Seconds() * 1e6 / orders
	a, err := c.read(answer)
	if err != nil {
		return Run{Err: err}
	}
	r.Counts, r.Verdict = true, compare(shortened(f.truth.Answer, longestTop), a)
	return r
}

// watch waits for the end of a process. Its peak memory is gone with it, so it is looked
// at all the while.
func watch(ctx context.Context, p *child) (r Run, err error) {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.ended:
			r.First = time.Since(p.began)
			return r, nil
		case <-ctx.Done():
			return r, context.Cause(ctx)
		case <-tick.C:
		}
		if rss, err := p.peak(); err == nil {
			r.RSS = max(r.RSS, rss)
		}
	}
}

func startFiler(c filer, f *field, answer string) (*child, error) {
	cmd := c.command(f, answer)
	return startChild(f.dir, "contestant", nil, cmd.Path, cmd.Args[1:]...)
}

// shortened are the top n of each scope.
func shortened(a Answer, n int) Answer {
	short := make(Answer, len(a))
	for scope, counts := range a {
		for _, c := range topOf(counts, n) {
			short.add(scope, c.drink, c.count)
		}
	}
	return short
}

// replaying is windowed replay.
type replaying struct{ program string }

func (r *replaying) name() string { return "windowed replay" }

func (r *replaying) command(f *field, answer string) *exec.Cmd {
	// The shell gives way to the program, and only opens the file for it.
	return exec.Command("/bin/sh", "-c", `out=$1; shift; exec "$@" >"$out"`, "sh", answer,
		r.program, "replay", f.file, "--window="+f.workload.Window.String(), "--grace="+f.workload.Grace.String(),
		"--top="+strconv.Itoa(longestTop), "-o", "tsv")
}

// read reads tsv: scope, rank, drink, count. No drink here needs escapes.
func (r *replaying) read(answer string) (Answer, error) {
	text, err := os.ReadFile(answer)
	if err != nil {
		return nil, err
	}
	a := Answer{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 4 {
			return nil, fmt.Errorf("%q is not scope, rank, drink and count", line)
		}
		n, err := strconv.ParseUint(fields[3], 10, 64)
		if err != nil {
			return nil, err
		}
		scope := allTime
		if fields[0] != "all-time" {
			start, err := time.Parse(time.RFC3339, fields[0])
			if err != nil {
				return nil, err
			}
			scope = strconv.FormatInt(start.UnixMilli(), 10)
		}
		a.add(scope, fields[2], n)
	}
	return a, nil
}

// duckDB is DuckDB over the same file.
type duckDB struct {
	script string
	python string // of the environment with the package
}

// duckVersion is the release that is installed, and duckDir where, below the directory for
// what is built.
const (
	duckVersion = "2.0.1"
	duckDir     = "duckdb-" + duckVersion
)

func (d *duckDB) name() string { return "DuckDB" }

// install makes the environment below out, unless it is there.
func (d *duckDB) install(ctx context.Context, out string, progress func(string, ...any)) error {
	if _, err := exec.LookPath("python3"); err != nil {
		return fmt.Errorf("%w: no python3 here", errMissing)
	}
	dir := filepath.Join(out, duckDir)
	d.python = filepath.Join(dir, "bin", "python")
	if exec.CommandContext(ctx, d.python, "-c", "import duckdb").Run() == nil {
		return nil
	}
	progress("installing DuckDB %s", duckVersion)
	for _, args := range [][]string{
		{"python3", "-m", "venv", "--clear", dir},
		{d.python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "duckdb==" + duckVersion},
	} {
		if text, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s: %w\n%s", errMissing, strings.Join(args, " "), err, text)
		}
	}
	return nil
}

func (d *duckDB) command(f *field, answer string) *exec.Cmd {
	return exec.Command(d.python, d.script, f.file, answer, ms(f.workload.Window), strconv.Itoa(longestTop), strconv.Itoa(runtime.NumCPU()))
}

func (d *duckDB) read(answer string) (Answer, error) { return readAnswer(answer) }

// ms is a span in whole milliseconds, as text.
func ms(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
