package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"windowed/internal/api"
	"windowed/internal/exit"
)

type topCmd struct {
	askFlags
	AllTime bool   `help:"The top of all time (default)." xor:"scope"`
	Window  string `help:"The top of a window: last (newest closed), current (newest open), or its start, 2026-03-01T10:00:00Z." xor:"scope"`
	N       int    `short:"n" help:"How many, 1 to 1000." default:"10"`
	Output  string `short:"o" help:"Form of the output: table, json, csv, tsv." enum:"table,json,csv,tsv" default:"table"`
}

func (c *topCmd) Run(std streams) error {
	if c.N < 1 || c.N > maxTop {
		return exit.Errorf(exit.Usage, "-n: %d is not between 1 and %d", c.N, maxTop)
	}
	q := url.Values{"n": {strconv.Itoa(c.N)}, "scope": {"all-time"}}
	if c.Window != "" {
		q.Set("scope", "window")
		q.Set("window", c.Window)
	}
	var top api.Top
	body, err := c.ask("/v1/top", q, &top)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		_, err := fmt.Fprintf(std.out, "%s\n", body)
		return err
	}
	return writeTop(std.out, c.Output, &top)
}

// scopeOf is the first column of tsv and csv.
func scopeOf(t *api.Top) string {
	if t.Window == nil {
		return "all-time"
	}
	return t.Window.Start
}

func writeTop(w io.Writer, form string, t *api.Top) error {
	scope := scopeOf(t)
	switch form {
	case "tsv":
		var lines []byte
		for _, e := range t.Top {
			lines = appendTSV(lines, scope, e.Rank, e.Drink, e.Count)
		}
		_, err := w.Write(lines)
		return err
	case "csv":
		table := csv.NewWriter(w)
		_ = table.Write([]string{"scope", "rank", "drink", "count"})
		for _, e := range t.Top {
			_ = table.Write([]string{scope, strconv.Itoa(e.Rank), csvGuard(e.Drink), itoa(e.Count)})
		}
		table.Flush()
		return table.Error()
	}
	var b strings.Builder
	b.WriteString(heading(t) + "\n")
	for _, line := range topLines(t) {
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(&b, "%s orders, %s portions, %s drinks", group(t.Records), group(t.Total), group(t.Drinks))
	if t.AsOf.Watermark != "" {
		fmt.Fprintf(&b, "; closed through %s", t.AsOf.Watermark)
	}
	if !t.AsOf.Complete {
		b.WriteString("; some partitions are not in it yet")
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// heading says what a list is the top of.
func heading(t *api.Top) string {
	if t.Window == nil {
		return "top of all time"
	}
	final := t.Window.State
	switch {
	case t.Window.Final && t.Window.Revision != nil && *t.Window.Revision > 0:
		final = fmt.Sprintf("final, revision %d", *t.Window.Revision)
	case t.Window.Final:
		final = "final"
	}
	return fmt.Sprintf("top of %s to %s (%s)", t.Window.Start, t.Window.End, final)
}
