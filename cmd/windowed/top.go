package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"windowed/internal/api"
	"windowed/internal/exit"
)

type topCmd struct {
	askFlags
	outputFlag
	AllTime bool          `help:"The top of all time (default)." xor:"scope"`
	Window  string        `help:"The top of a window: last (newest closed), current (newest open), or its start, 2026-03-01T10:00:00Z." xor:"scope"`
	N       int           `short:"n" help:"How many, 1 to 1000." default:"10"`
	Watch   bool          `short:"w" help:"Go on showing it: redrawn in place on a terminal, again after each change elsewhere."`
	Every   time.Duration `help:"How often --watch asks." default:"1s"`
}

// Run prints a list once, or until it is interrupted.
func (c *topCmd) Run(std streams) error {
	if c.N < 1 || c.N > maxTop {
		return exit.Errorf(exit.Usage, "-n: %d is not between 1 and %d", c.N, maxTop)
	}
	if c.Watch {
		return c.watch(std)
	}
	got, err := c.get(context.Background(), "/v1/top", c.query(), "")
	if err != nil {
		return err
	}
	return c.write(std.out, got.body)
}

func (c *topCmd) query() url.Values {
	q := url.Values{"n": {strconv.Itoa(c.N)}, "scope": {"all-time"}}
	if c.Window != "" {
		q.Set("scope", "window")
		q.Set("window", c.Window)
	}
	return q
}

// write prints an answer in the form wanted: JSON as it came.
func (c *topCmd) write(w io.Writer, body []byte) error {
	if c.Output == "json" {
		_, err := w.Write(body)
		return err
	}
	var top api.Top
	if err := json.Unmarshal(body, &top); err != nil {
		return fmt.Errorf("read the answer to /v1/top: %w", err)
	}
	return c.print(w, top.Table(), &top, func(w io.Writer) error {
		_, err := io.WriteString(w, topText(&top))
		return err
	})
}

// topText is a list as a terminal shows it.
func topText(t *api.Top) string {
	var b strings.Builder
	b.WriteString(heading(t) + "\n")
	for _, line := range topLines(t) {
		b.WriteString(line + "\n")
	}
	words := t.Words.OrDefault()
	fmt.Fprintf(&b, "%s %s, %s %s, %s %s", group(t.Records), words.Records, group(t.Total), words.Portions, group(t.Drinks), words.Nouns)
	if t.AsOf.Watermark != "" {
		fmt.Fprintf(&b, "; closed through %s", t.AsOf.Watermark)
	}
	if !t.AsOf.Complete {
		b.WriteString("; some partitions are not in it yet")
	}
	return b.String() + "\n"
}

// heading says what a list is the top of.
func heading(t *api.Top) string {
	if t.Window == nil {
		return "top of all time"
	}
	return fmt.Sprintf("top of %s to %s (%s)", t.Window.Start, t.Window.End, lifeOf(t.Window))
}

// lifeOf says how final a window is.
func lifeOf(w *api.Window) string {
	switch {
	case w.Final && w.Revision != nil && *w.Revision > 0:
		return fmt.Sprintf("final, revision %d", *w.Revision)
	case w.Final:
		return "final"
	case w.InGrace:
		return w.State + ", in its grace"
	}
	return w.State
}
