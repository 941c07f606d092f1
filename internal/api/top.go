package api

import (
	"net/http"
	"strconv"

	"windowed/internal/engine"
	"windowed/state"
	"windowed/window"
)

// Top is a top list.
type Top struct {
	Schema  string          `json:"schema"`
	Scope   string          `json:"scope"` // all-time, window
	Window  *Window         `json:"window,omitempty"`
	Records uint64          `json:"records"`
	Total   uint64          `json:"total"`  // portions
	Drinks  uint64          `json:"drinks"` // distinct
	Top     []engine.Ranked `json:"top"`
	Words   *Words          `json:"words,omitempty"` // nil: those of drinks
	AsOf    AsOf            `json:"as_of"`

	named bool // asked for by its start, so that it always means this window
}

// The length of a top list.
const (
	defaultTop = 10
	maxTop     = 1000
)

// AllTime is the top n of all time.
func (a *Answers) AllTime(n int) (*Top, error) {
	st, v, err := a.ready()
	if err != nil {
		return nil, err
	}
	return a.allTime(st, v, n)
}

func (a *Answers) allTime(st *state.State, v *state.View, n int) (*Top, error) {
	found, err := a.ask(st, v, window.AllTime, n)
	if err != nil {
		return nil, err
	}
	totals := found.View.Totals()
	return &Top{
		Schema: engine.Schema, Scope: "all-time", Records: totals.AllTimeRecords(), Total: totals.Portions,
		Drinks: found.Window.Drinks, Top: engine.Rank(found.Top), Words: a.Words, AsOf: asOf(found.View),
	}, nil
}

// InWindow is the top n of the window that starts at start (ms).
func (a *Answers) InWindow(start int64, n int) (*Top, error) {
	st, v, err := a.ready()
	if err != nil {
		return nil, err
	}
	return a.inWindow(st, v, start, n)
}

func (a *Answers) inWindow(st *state.State, v *state.View, start int64, n int) (*Top, error) {
	if err := a.aligned(start); err != nil {
		return nil, err
	}
	found, err := a.ask(st, v, window.At(start), n)
	if err != nil {
		return nil, err
	}
	line, err := a.known(&found, start)
	if err != nil {
		return nil, err
	}
	return &Top{
		Schema: engine.Schema, Scope: "window", Window: &line.Window, Records: line.Records, Total: line.Total,
		Drinks: line.Drinks, Top: engine.Rank(found.Top), Words: a.Words, AsOf: asOf(found.View),
	}, nil
}

// top answers /v1/top.
func (a *Answers) top(_ *http.Request, p *params) (any, error) {
	n := p.integer("n", defaultTop, 1, maxTop)
	scope := p.choice("scope", "", "all-time", "window")
	if scope == "all-time" && p.has("window") {
		p.wrong("window", "window does not go with scope=all-time; leave one of them out")
	}
	name := p.text("window")
	start, at := int64(0), false
	if name != "" && name != "last" && name != "current" {
		start, at = p.instant("window", "it is last, current, or a start like 2026-03-01T10:00:00Z")
	}
	if err := p.problem(); err != nil {
		return nil, err
	}
	st, v, err := a.ready()
	switch {
	case err != nil:
		return nil, err
	case scope == "all-time", scope == "" && !p.has("window"):
		return a.allTime(st, v, n)
	case !at:
		if start, err = newest(v, name); err != nil {
			return nil, err
		}
	}
	top, err := a.inWindow(st, v, start, n)
	if err != nil {
		return nil, err
	}
	top.named = at
	return top, nil
}

// newest is the window that last or current stands for.
func newest(v *state.View, name string) (int64, error) {
	if name == "current" {
		if start, ok := v.NewestOpen(); ok {
			return start, nil
		}
		return 0, problem(http.StatusNotFound, "unknown-window", "no window is open: no order has come since the last one closed")
	}
	if v.NewestClosed != window.None {
		return v.NewestClosed, nil
	}
	return 0, problem(http.StatusNotFound, "unknown-window", "no window is closed yet%s", holding(v))
}

// Table is the list as rows.
func (t *Top) Table() Table {
	rows := Table{Header: []string{"scope", "rank", t.Words.OrDefault().Noun, "count"}, Text: 2}
	scope := t.scope()
	for _, e := range t.Top {
		rows.Rows = append(rows.Rows, []string{scope, strconv.Itoa(e.Rank), e.Drink, strconv.FormatUint(e.Count, 10)})
	}
	return rows
}

// scope is the first column: all-time, or the window's start.
func (t *Top) scope() string {
	if t.Window == nil {
		return "all-time"
	}
	return t.Window.Start
}

func (t *Top) lines() []any {
	lines := make([]any, len(t.Top))
	for i, e := range t.Top {
		lines[i] = struct {
			Scope string `json:"scope"`
			engine.Ranked
		}{t.scope(), e}
	}
	return lines
}
