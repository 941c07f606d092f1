package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/internal/engine"
	"windowed/internal/exit"
	"windowed/internal/order"
	"windowed/state"
	"windowed/window"
)

type replayCmd struct {
	Files  []string `arg:"" name:"file" help:"Files of JSON lines, read as one partition in this order; - is standard input."`
	Output string   `short:"o" help:"Form of the output: table, json (a line per window), csv, tsv." enum:"table,json,csv,tsv" default:"tsv"`
	Scope  string   `help:"What to print: windows, all-time, both." enum:"windows,all-time,both" default:"both"`
	jobFlags
}

func (c *replayCmd) Run(std streams) error {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	// One window's keys live here until it expires; a disk would only slow them down.
	st, err := state.Open("replay", state.Options{FS: vfs.NewMem(), Window: cfg.Lifecycle(), Logger: quiet{}})
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(std.out, 1<<16)
	print := printer(c.Output, out)
	replay, err := engine.NewReplay(cfg, st, func(o *engine.Output) error {
		if c.Scope == "all-time" {
			return nil
		}
		return print(o)
	})
	if err != nil {
		return errors.Join(exit.With(exit.Usage, err), st.Close())
	}
	err = c.replay(replay, st, std, print)
	return errors.Join(err, out.Flush(), st.Close())
}

func (c *replayCmd) replay(replay *engine.Replay, st *state.State, std streams, print func(*engine.Output) error) error {
	watched := c.watch(std.err)
	defer watched.shown.end()
	for _, name := range c.Files {
		if err := replayFile(name, std.in, replay, watched); err != nil {
			return fmt.Errorf("replay %s: %w", name, err)
		}
	}
	watched.shown.end()
	if err := replay.Finish(); err != nil {
		return err
	}
	totals := st.Totals()
	if c.Scope != "windows" {
		top, err := st.Top(window.AllTime, c.Top)
		if err != nil {
			return err
		}
		o := engine.Output{Scope: window.AllTime, Records: totals.AllTimeRecords(), Total: totals.Portions, Top: top}
		if err := print(&o); err != nil {
			return err
		}
	}
	return printSummary(std.err, &totals)
}

// replayed is how far a replay is.
type replayed struct {
	shown  *progress
	bytes  int64 // of all files; 0 if one of them does not say
	read   int64
	orders int64
}

// watch begins to show the progress of a replay.
func (c *replayCmd) watch(out io.Writer) *replayed {
	r := &replayed{shown: newProgress(out, "replaying", "orders", time.Now())}
	for _, name := range c.Files {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			r.bytes = 0
			return r
		}
		r.bytes += info.Size()
	}
	return r
}

// add takes note of what was read.
func (r *replayed) add(orders int, bytes int64) {
	r.read += bytes
	r.orders += int64(orders)
	share := -1.0
	if r.bytes > 0 {
		share = float64(r.read) / float64(r.bytes)
	}
	r.shown.at(r.orders, share, time.Now())
}

// replayFile adds the lines of a file; blank ones do not count.
func replayFile(name string, stdin io.Reader, replay *engine.Replay, watched *replayed) error {
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return exit.With(exit.Usage, err)
		}
		defer f.Close()
		in = f
	}
	return replay.AddAll(engine.NewLines(in), runtime.NumCPU(), watched.add)
}

// summary is what replay prints on stderr at the end.
type summary struct {
	Records  uint64            `json:"records"`
	Counted  uint64            `json:"counted"`
	Late     uint64            `json:"late"`
	Amended  uint64            `json:"amended,omitempty"`
	Portions uint64            `json:"portions"`
	Invalid  map[string]uint64 `json:"invalid,omitempty"`
}

func printSummary(w io.Writer, t *state.Counters) error {
	s := summary{Records: t.Records, Counted: t.Counted, Late: t.Late, Amended: t.Amended, Portions: t.Portions}
	s.Invalid = invalidByReason(t)
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// invalidByReason are the counts of refused records by the reason's name, without zeros.
func invalidByReason(t *state.Counters) map[string]uint64 {
	var m map[string]uint64
	for i, n := range t.Invalid {
		if n == 0 {
			continue
		}
		if m == nil {
			m = make(map[string]uint64)
		}
		m[order.Reason(i).String()] = n
	}
	return m
}

// quiet drops the store's log lines; its errors still come back as errors.
type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "windowed: "+format+"\n", args...)
	os.Exit(exit.Failure)
}

func itoa(n uint64) string { return strconv.FormatUint(n, 10) }
