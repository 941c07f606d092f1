package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"windowed/internal/api"
	"windowed/internal/engine"
	"windowed/window"
)

// view shows the counts as a table every flush interval: redrawn in place on a terminal,
// one below the other elsewhere.
type view struct {
	screen  *screen
	answers *api.Answers
	n       int
}

func newView(out io.Writer, answers *api.Answers, n int) *view {
	s := newScreen(out)
	s.whole = true // log lines come between
	return &view{screen: s, answers: answers, n: n}
}

// show shows until ctx ends; the first table comes as soon as there is something.
func (v *view) show(ctx context.Context, every time.Duration) error {
	pause := min(every, 500*time.Millisecond)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		text, err := v.table()
		if err != nil {
			return err
		}
		if text == "" {
			continue
		}
		pause = every
		if err := v.screen.show(text); err != nil {
			return fmt.Errorf("write snapshot: %w", err)
		}
	}
}

// table is the top of all time, of the newest open and of the newest closed window, side
// by side; empty before the first order.
func (v *view) table() (string, error) {
	if v.answers.Status.Now().Phase != engine.Running {
		return "", nil
	}
	all, err := v.answers.AllTime(v.n)
	var unready *api.Problem
	if errors.As(err, &unready) {
		return "", nil
	}
	if err != nil || all.Records == 0 {
		return "", err
	}
	columns := []column{{title: "all time", top: all}}
	st := v.answers.State()
	if start, ok := st.NewestOpen(); ok {
		if columns, err = v.column(columns, "current", start); err != nil {
			return "", err
		}
	}
	if start := st.NewestClosed(); start != window.None {
		if columns, err = v.column(columns, "last", start); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	totals := st.Totals()
	words := v.answers.Words.OrDefault()
	fmt.Fprintf(&b, "%s %s   %s %s   late %s   invalid %s   closed through %s\n\n",
		words.Records, group(all.Records), words.Portions, group(all.Total), group(totals.Late), group(totals.InvalidRecords()), orDash(all.AsOf.Watermark))
	writeColumns(&b, columns, v.n)
	return b.String(), nil
}

type column struct {
	title string
	top   *api.Top
}

// column adds a window, unless it went meanwhile.
func (v *view) column(columns []column, name string, start int64) ([]column, error) {
	top, err := v.answers.InWindow(start, v.n)
	var gone *api.Problem
	if errors.As(err, &gone) {
		return columns, nil
	}
	if err != nil {
		return columns, err
	}
	return append(columns, column{title: name, top: top}), nil
}

func writeColumns(b *strings.Builder, columns []column, n int) {
	texts := make([][]string, len(columns))
	widths := make([]int, len(columns))
	for i, c := range columns {
		lines := []string{c.title, span(c.top)}
		texts[i] = append(lines, topLines(c.top)...)
		for _, line := range texts[i] {
			widths[i] = max(widths[i], columnsOf(line))
		}
	}
	for row := range n + 2 {
		var line strings.Builder
		for i := range columns {
			cell := ""
			if row < len(texts[i]) {
				cell = texts[i][row]
			}
			line.WriteString(pad(cell, widths[i]) + "    ")
		}
		if text := strings.TrimRight(line.String(), " "); text != "" || row < 2 {
			b.WriteString(text + "\n")
		}
	}
}

// span says which time a list is about.
func span(t *api.Top) string {
	if t.Window == nil {
		return fmt.Sprintf("%s %s", group(t.Drinks), t.Words.OrDefault().Nouns)
	}
	return fmt.Sprintf("%s to %s (%s)", clockOf(t.Window.Start), clockOf(t.Window.End), lifeOf(t.Window))
}

// clockOf shortens a time of today to its clock.
func clockOf(text string) string {
	if day := time.Now().UTC().Format("2006-01-02T"); strings.HasPrefix(text, day) {
		return strings.TrimPrefix(text, day)
	}
	return text
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
