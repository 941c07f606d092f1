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

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/internal/engine"
	"windowed/internal/event"
	"windowed/internal/exit"
	"windowed/internal/files"
	"windowed/internal/inspect"
	"windowed/state"
	"windowed/window"
)

type replayCmd struct {
	Files    []string `arg:"" name:"file" help:"Files of JSON lines, a JSON array, CSV or TSV, as they are or packed by gzip or zstd, read as one partition in this order; - is standard input."`
	Output   string   `short:"o" help:"Form of the output: table, json (a line per window), csv, tsv." enum:"table,json,csv,tsv" default:"tsv"`
	Scope    string   `help:"What to print: windows, all-time, both." enum:"windows,all-time,both" default:"both"`
	NoSample bool     `help:"Do not look whether the mapping's paths are in the first 1,000 records."`
	formatFlag
	fileFlags
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
	words, err := c.words()
	if err != nil {
		return err
	}
	print := printer(c.Output, words.OrDefault(), out)
	replay, err := engine.NewReplay(cfg, st, func(o *engine.Output) error {
		if c.Scope == "all-time" {
			return nil
		}
		return print(o)
	})
	if err != nil {
		return errors.Join(exit.With(exit.Usage, err), st.Close())
	}
	err = c.replay(replay, st, std, c.watch(std.err, words.OrDefault().Records), print)
	return errors.Join(err, out.Flush(), st.Close())
}

func (c *replayCmd) replay(replay *engine.Replay, st *state.State, std streams, watched *replayed, print func(*engine.Output) error) error {
	defer watched.shown.end()
	for _, name := range c.Files {
		if err := c.replayFile(name, std.in, replay, watched); err != nil {
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
	return printSummary(std.err, &totals, replay)
}

// replayFile adds the records of a file; blank lines do not count.
func (c *replayCmd) replayFile(name string, stdin io.Reader, replay *engine.Replay, watched *replayed) error {
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return exit.With(exit.Usage, err)
		}
		defer f.Close()
		in = f
	}
	file, mapping, err := c.open(watched.of(in), name)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Decoder(mapping); err != nil {
		return exit.With(exit.Usage, trimmed{err, "event: "})
	}
	input := &replayedFile{file: file}
	if err := c.check(input, mapping); err != nil {
		return err
	}
	decoder := func() (event.Reader, error) { return file.Decoder(mapping) }
	return replay.AddAll(input, decoder, runtime.NumCPU(), watched.add)
}

// open begins to read a file by the mapping.
func (c *replayCmd) open(in io.Reader, name string) (*files.File, *event.Mapping, error) {
	records, err := c.mappingFlags.config()
	if err != nil {
		return nil, nil, err
	}
	mapping, err := event.NewMapping(records)
	if err != nil {
		return nil, nil, err
	}
	opts, err := c.fileFlags.options(c.formatFlag, mapping)
	if err != nil {
		return nil, nil, err
	}
	file, err := files.Open(in, name, opts)
	if err != nil {
		return nil, nil, exit.With(exit.Usage, err)
	}
	return file, mapping, nil
}

// check reads ahead to see whether the mapping's paths are there at all.
func (c *replayCmd) check(f *replayedFile, m *event.Mapping) error {
	if c.NoSample || f.file.Format() != files.JSON || m.Text() == "" && c.TimeField == "ts" {
		return nil
	}
	profile := inspect.NewProfile()
	for left := sampledRecords; left > 0; {
		chunk, err := f.file.Chunk()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		f.ahead = append(f.ahead, chunk)
		chunk.Each(func(value []byte) {
			if left--; left >= 0 {
				profile.AddJSON(value)
			}
		})
	}
	return missing(profile, m)
}

// summary is what replay prints on stderr at the end.
type summary struct {
	Records  uint64            `json:"records"`
	Counted  uint64            `json:"counted"`
	Late     uint64            `json:"late"`
	Amended  uint64            `json:"amended,omitempty"`
	Portions uint64            `json:"portions"`
	Invalid  map[string]uint64 `json:"invalid,omitempty"`
	Examples map[string]string `json:"examples,omitempty"`      // of invalid records, the first of each reason
	Repeated uint64            `json:"hour_repeated,omitempty"` // times without zone in an hour that came twice
	Skipped  uint64            `json:"hour_skipped,omitempty"`  // or never was
}

func printSummary(w io.Writer, t *state.Counters, r *engine.Replay) error {
	clocks := r.Clocks
	s := summary{Records: t.Records, Counted: t.Counted, Late: t.Late, Amended: t.Amended, Portions: t.Portions, Repeated: clocks.Repeated, Skipped: clocks.Skipped}
	s.Invalid = invalidByReason(t)
	for reason, e := range r.Examples {
		if s.Examples == nil {
			s.Examples = make(map[string]string)
		}
		s.Examples[reason.String()] = fmt.Sprintf("record %d: %s", e.Record, e.Detail)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(s)
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
		m[event.Reason(i).String()] = n
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
