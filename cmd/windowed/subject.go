package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"windowed/internal/api"
	"windowed/internal/event"
	"windowed/internal/exit"
	"windowed/internal/wire"
)

// subjectVersion is a version of a subject as JSON.
type subjectVersion struct {
	Version  int    `json:"version"`
	SchemaID uint32 `json:"schema_id"`
	Format   string `json:"format"`
	Problem  string `json:"problem,omitempty"`
	Note     string `json:"note,omitempty"`
}

// trySubject says of every version of the subject whether the mapping can count it.
func (c *inspectCmd) trySubject(std streams, root *cli, records event.Config) error {
	if c.File != "" {
		return exit.Errorf(exit.Usage, "--subject is looked at instead of a file: leave out %s", c.File)
	}
	if len(c.SchemaRegistry) == 0 {
		return exit.Errorf(exit.Usage, "--subject=%s needs --schema-registry", c.Subject)
	}
	if records.Envelope != event.NoEnvelope {
		return exit.Errorf(exit.Usage, "--subject does not go with --envelope=%s: what is in an envelope has no example", records.Envelope)
	}
	versions, err := c.versions(std, root, records)
	if err != nil {
		return err
	}
	bad := 0
	for _, v := range versions {
		if v.Problem != "" {
			bad++
		}
	}
	err = c.print(std.out, versionTable(versions), versionsJSON(c.Subject, versions), func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
		fmt.Fprintln(t, "VERSION\tSCHEMA ID\tFORMAT\tCOUNTED")
		for _, v := range versions {
			fmt.Fprintf(t, "%d\t%d\t%s\t%s\n", v.Version, v.ID, v.Format, printable(verdict(&v)))
		}
		return t.Flush()
	})
	if err == nil && bad > 0 {
		err = exit.Errorf(exit.Problem, "records of %d of %d versions of %s would be refused", bad, len(versions), c.Subject)
	}
	return err
}

func (c *inspectCmd) versions(std streams, root *cli, records event.Config) ([]wire.Version, error) {
	log, err := root.logger(std)
	if err != nil {
		return nil, err
	}
	format, err := c.formatFlag.values()
	if err != nil {
		return nil, err
	}
	mapping, err := event.NewMapping(records)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	options, err := c.registryFlags.options(format, mapping, c.OrdersTopic, log)
	if err != nil {
		return nil, err
	}
	if options.Schemas == nil {
		return nil, exit.Errorf(exit.Usage, "--format=%s has no schemas", format)
	}
	defer options.Schemas.Close()
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	versions, err := options.Try(ctx, c.Subject, exampleText(&records))
	switch {
	case errors.Is(err, wire.ErrNoSubject):
		return nil, exit.With(exit.Usage, err)
	case err != nil:
		return nil, exit.Errorf(exit.NotReady, "the schema registry does not tell: %w", err)
	}
	return versions, nil
}

// exampleText is a text that can be a name, and a time as the mapping reads it.
func exampleText(c *event.Config) string {
	at := time.Date(2026, 3, 1, 10, 15, 50, 0, time.UTC)
	switch c.TimeLayout {
	case "", event.LayoutRFC3339, event.LayoutISO:
		return at.Format(time.RFC3339)
	}
	return at.Format(c.TimeLayout)
}

func verdict(v *wire.Version) string {
	if v.Problem != "" {
		return "no: " + v.Problem
	}
	return cmp.Or(v.Note, "yes")
}

func versionTable(versions []wire.Version) api.Table {
	t := api.Table{Header: []string{"version", "schema_id", "format", "problem", "note"}}
	for _, v := range versions {
		t.Rows = append(t.Rows, []string{strconv.Itoa(v.Version), strconv.Itoa(int(v.ID)), v.Format.String(), v.Problem, v.Note})
	}
	return t
}

func versionsJSON(subject string, versions []wire.Version) any {
	all := make([]subjectVersion, len(versions))
	for i, v := range versions {
		all[i] = subjectVersion{v.Version, v.ID, v.Format.String(), v.Problem, v.Note}
	}
	return struct {
		Schema   string           `json:"schema"`
		Subject  string           `json:"subject"`
		Versions []subjectVersion `json:"versions"`
	}{"windowed.subject/v1", subject, all}
}
