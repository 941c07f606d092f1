package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"windowed/internal/event"
	"windowed/internal/exit"
	"windowed/internal/files"
	"windowed/internal/inspect"
)

type inspectCmd struct {
	File string `arg:"" optional:"" help:"File to look at; - is standard input. Without one: the orders topic."`
	jobFlags
	kafkaFlags
	formatFlag
	registryFlags
	fileFlags
	outputFlag
	Subject string        `help:"Instead of records: every version of this subject of the schema registry, and whether its records can be counted by the mapping." placeholder:"SUBJECT"`
	Sample  int           `help:"Records to look at: the first of a file, the last of a topic." default:"10000"`
	Timeout time.Duration `help:"How long to try." default:"10s"`
}

// fileFlags say how files are read.
type fileFlags struct {
	Delimiter string `help:"What stands between the fields of a row, one character; \\t is a tab. Default: a comma in CSV, a tab in TSV." placeholder:"CHAR"`
	Header    string `help:"Whether rows begin with one of names: yes, no; auto: unless the mapping names all columns by numbers, from 1." enum:"auto,yes,no" default:"auto"`
}

// options are how files are read under the given mapping, which may be nil.
func (f *fileFlags) options(as formatFlag, m *event.Mapping) (files.Options, error) {
	format, err := as.file()
	if err != nil {
		return files.Options{}, err
	}
	comma := strings.ReplaceAll(f.Delimiter, `\t`, "\t")
	if len(comma) > 1 || comma != "" && (comma[0] >= 0x80 || strings.Contains("\"\r\n", comma)) {
		return files.Options{}, exit.Errorf(exit.Usage, "--delimiter: %q is not one character of ASCII other than a quote or a line end", f.Delimiter)
	}
	header := map[string]files.Header{"auto": files.HeaderAuto, "yes": files.HeaderPresent, "no": files.HeaderAbsent}[f.Header]
	o := files.Options{Format: format, Header: header, Mapping: m}
	if comma != "" {
		o.Comma = comma[0]
	}
	return o, nil
}

func (c *inspectCmd) Run(std streams, root *cli) error {
	cfg, err := c.jobFlags.config()
	if err != nil {
		return err
	}
	if c.Sample < 1 {
		return exit.Errorf(exit.Usage, "--sample: %d is not positive", c.Sample)
	}
	if c.Subject != "" {
		return c.trySubject(std, root, cfg.Order)
	}
	var sample *inspect.Sample
	end := func() {}
	if c.File != "" {
		sample, err = c.sampleFile(std.in)
	} else {
		sample, end, err = c.sampleTopic(std, root)
	}
	if err != nil {
		return err
	}
	defer end()
	given := inspect.Given{Window: cfg.Window, Grace: c.Grace, TimeField: c.TimeField != "ts" || c.TimeLayout != ""}
	if len(c.Name) > 0 || c.Items != nil {
		given.Config = cfg.Order
	}
	given.Config.TimeField, given.Config.TimeUnit, given.Config.TimeLayout = cfg.Order.TimeField, cfg.Order.TimeUnit, cfg.Order.TimeLayout
	given.Config.TimeZone, given.Config.Split, given.Config.Envelope = cfg.Order.TimeZone, cfg.Order.Split, cfg.Order.Envelope
	r := inspect.Look(sample, given)
	command := c.command(r)
	err = c.print(std.out, fieldTable(r), inspectedOf(r, command), func(w io.Writer) error { return printInspected(w, r, command) })
	if err == nil && r.Problem != "" {
		err = exit.Errorf(exit.Problem, "%s", r.Problem)
	}
	return err
}

// sampleFile reads the first records of a file.
func (c *inspectCmd) sampleFile(stdin io.Reader) (*inspect.Sample, error) {
	in := stdin
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return nil, exit.With(exit.Usage, err)
		}
		defer f.Close()
		in = f
	}
	opts, err := c.fileFlags.options(c.formatFlag, nil)
	if err != nil {
		return nil, err
	}
	opts.Guess = true
	file, err := files.Open(in, c.File, opts)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	defer file.Close()
	s := &inspect.Sample{Format: file.Format().String(), Profile: inspect.NewProfile(), Decoder: file.Decoder}
	for len(s.Records) < c.Sample {
		value, err := file.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("inspect %s: %w", c.File, err)
		}
		value = append([]byte{}, value...)
		s.Records = append(s.Records, inspect.Record{Record: event.Record{Value: value, Timestamp: -1}})
		addToProfile(s.Profile, file, value)
	}
	c.found(file, s)
	return s, nil
}

// found takes note of how the file is written, for the command that is printed.
func (c *inspectCmd) found(file *files.File, s *inspect.Sample) {
	s.Header = file.Header()
	usual := map[files.Format]byte{files.CSV: ',', files.TSV: '\t'}[file.Format()]
	switch comma := file.Comma(); {
	case comma == usual:
		c.Delimiter = ""
	case comma == '\t':
		c.Delimiter = `\t`
	default:
		c.Delimiter = string(comma)
	}
	if s.Profile.Records == 0 && len(s.Records) > 0 && c.Format == "auto" && file.Format() == files.JSON {
		s.Lacking = "no record could be read as JSON; if they are rows, say --format=csv or --format=tsv"
	}
}

func addToProfile(p *inspect.Profile, file *files.File, value []byte) {
	if file.Format() == files.JSON {
		p.AddJSON(value)
		return
	}
	row, err := file.Split(value)
	if names := file.Columns(); err == nil && len(row) == len(names) {
		p.AddRow(names, row)
	} else {
		p.Broken++
	}
}
