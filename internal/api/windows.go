package api

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"strconv"

	"windowed/state"
	"windowed/window"
)

// Window says which window an answer is about, and how far it is.
type Window struct {
	Start      string  `json:"start"`
	End        string  `json:"end"`
	State      string  `json:"state"` // open, closed, expired
	Final      bool    `json:"final"`
	FinalSince string  `json:"final_since,omitempty"` // wall clock of the last final
	Revision   *uint32 `json:"revision,omitempty"`    // of the last final
	InGrace    bool    `json:"in_grace"`              // open, but some partition has passed its end
}

// WindowLine is one line of the list of windows.
type WindowLine struct {
	Window
	Records      uint64 `json:"records"`
	Total        uint64 `json:"total"`
	Drinks       uint64 `json:"drinks"`
	LateRecords  uint64 `json:"late_records"`
	LatePortions uint64 `json:"late_portions"`

	at int64 // the start, ms
}

// Windows is a list of windows, newest first.
type Windows struct {
	Schema    string       `json:"schema"`
	Size      string       `json:"window_size"`
	Windows   []WindowLine `json:"windows"`
	HeldBy    []int32      `json:"held_back_by,omitempty"` // partitions at the lowest close-through
	Truncated bool         `json:"truncated,omitempty"`
	Next      string       `json:"next_cursor,omitempty"` // for the windows before the last one here
	Words     *Words       `json:"words,omitempty"`       // nil: those of drinks
	AsOf      AsOf         `json:"as_of"`
}

// OneWindow is one window.
type OneWindow struct {
	Schema string `json:"schema"`
	WindowLine
	Words *Words `json:"words,omitempty"`
	AsOf  AsOf   `json:"as_of"`
}

// Sizes of the lists of windows.
const (
	maxWindows  = 500
	maxLookedAt = 10_000 // that one answer goes through to find some of a state
)

// selection says which windows are wanted.
type selection struct {
	from, to int64 // start in [from, to)
	state    string
	limit    int
}

// selection reads the parameters that choose windows.
func (a *Answers) selection(p *params, limit int) selection {
	sel := selection{from: math.MinInt64, to: math.MaxInt64, limit: p.integer("limit", limit, 1, maxWindows)}
	const form = "it is a time like 2026-03-01T10:00:00Z"
	if p.has("from") {
		sel.from, _ = p.instant("from", form)
	}
	if p.has("to") {
		sel.to, _ = p.instant("to", form)
	}
	if p.has("cursor") {
		at, err := readCursor(p.text("cursor"))
		if err != nil || !a.Config.Window.Aligned(at) {
			p.wrong("cursor", "cursor is not a next_cursor of an earlier answer")
		}
		sel.to = min(sel.to, at)
	}
	sel.state = p.choice("state", "", "open", "closed", "expired")
	return sel
}

// Windows lists the newest windows, at most limit.
func (a *Answers) Windows(limit int) (*Windows, error) {
	return a.list(selection{from: math.MinInt64, to: math.MaxInt64, limit: limit})
}

func (a *Answers) windows(_ *http.Request, p *params) (any, error) {
	sel := a.selection(p, maxWindows)
	if err := p.problem(); err != nil {
		return nil, err
	}
	return a.list(sel)
}

func (a *Answers) list(sel selection) (*Windows, error) {
	st, _, err := a.ready()
	if err != nil {
		return nil, err
	}
	lines, v, next, err := a.find(st, sel)
	if err != nil {
		return nil, err
	}
	return &Windows{
		Words:  a.Words,
		Schema: windowsSchema, Size: a.Config.Window.Duration().String(), Windows: lines,
		HeldBy: v.Holding(), Truncated: next != "", Next: next, AsOf: asOf(v),
	}, nil
}

// find collects the lines of a selection; first is the view that they begin with, and
// next the cursor of what was left out.
func (a *Answers) find(st *state.State, sel selection) (lines []WindowLine, first *state.View, next string, err error) {
	lines = []WindowLine{}
	for looked := 0; ; {
		found, at, err := st.List(sel.from, sel.to, maxWindows)
		if err != nil {
			return nil, nil, "", a.failed(err)
		}
		if first == nil {
			first = at
		}
		seen := newestSeen(at)
		for i := range found {
			line := a.line(at, &found[i], seen)
			if sel.state != "" && line.State != sel.state {
				continue
			}
			if len(lines) == sel.limit {
				return lines, first, cursor(found[i].Start + int64(a.Config.Window)), nil
			}
			lines = append(lines, line)
		}
		looked += len(found)
		if len(found) < maxWindows {
			return lines, first, "", nil
		}
		if sel.to = found[len(found)-1].Start; looked >= maxLookedAt {
			return lines, first, cursor(sel.to), nil
		}
	}
}

// cursor names the windows that start before a time.
func cursor(before int64) string {
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(before)))
}

func readCursor(text string) (int64, error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) != 8 {
		return 0, fmt.Errorf("not a cursor: %q", text)
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

// OneWindow is the window that starts at start (ms).
func (a *Answers) OneWindow(start int64) (*OneWindow, error) {
	st, v, err := a.ready()
	if err != nil {
		return nil, err
	}
	if err := a.aligned(start); err != nil {
		return nil, err
	}
	found, err := a.ask(st, v, window.At(start), 0)
	if err != nil {
		return nil, err
	}
	line, err := a.known(&found, start)
	if err != nil {
		return nil, err
	}
	return &OneWindow{Schema: windowSchema, WindowLine: *line, Words: a.Words, AsOf: asOf(found.View)}, nil
}

func (a *Answers) oneWindow(r *http.Request, p *params) (any, error) {
	start, _ := readInstant(r.PathValue("start"), "start", "it is a time like 2026-03-01T10:00:00Z", p)
	if err := p.problem(); err != nil {
		return nil, err
	}
	return a.OneWindow(start)
}

// aligned is a problem if no window starts at start.
func (a *Answers) aligned(start int64) error {
	if a.Config.Window.Aligned(start) {
		return nil
	}
	below := a.Config.Window.Start(start)
	return problem(http.StatusBadRequest, "window-misaligned", "%s is not the start of a window; its neighbours are %s and %s",
		window.FormatTime(start), window.FormatTime(below), window.FormatTime(a.Config.Window.End(below)))
}

// known is the line of a window; it is a problem if it never accepted a record or expired.
func (a *Answers) known(found *state.Answer, start int64) (*WindowLine, error) {
	v := found.View
	if a.Config.Lifecycle().State(start, v.Global.CloseThrough, v.NewestClosed) == window.Expired {
		return nil, problem(http.StatusGone, "window-expired", "the window of %s has expired (--retention)", window.FormatTime(start))
	}
	if found.Window.Records == 0 {
		return nil, problem(http.StatusNotFound, "unknown-window", "the window of %s accepted no record", window.FormatTime(start))
	}
	line := a.line(v, &found.Window, newestSeen(v))
	return &line, nil
}

// line describes a window; seen is the highest event time of all partitions.
func (a *Answers) line(v *state.View, w *state.Window, seen int64) WindowLine {
	end := a.Config.Window.End(w.Start)
	life := a.Config.Lifecycle().State(w.Start, v.Global.CloseThrough, v.NewestClosed)
	line := WindowLine{
		Window: Window{
			Start: window.FormatTime(w.Start), End: window.FormatTime(end), State: life.String(), Final: w.Final,
			InGrace: life == window.Open && end <= seen,
		},
		Records: w.Records, Total: w.Portions, Drinks: w.Drinks, LateRecords: w.LateRecords, LatePortions: w.LatePortions,
		at: w.Start,
	}
	if w.Final {
		line.Revision = &w.Emitted.Revision
		if w.Emitted.At != 0 {
			line.FinalSince = window.FormatTime(w.Emitted.At)
		}
	}
	return line
}

// newestSeen is the highest event time of all partitions.
func newestSeen(v *state.View) int64 {
	newest := window.None
	for _, t := range v.Times() {
		newest = max(newest, t.Watermark)
	}
	return newest
}

// windowColumns are the columns of a list of windows.
func (w *Words) windowColumns() []string {
	return []string{"start", "end", "state", "final", "revision", w.Records, w.Portions, w.Nouns, "late_" + w.Records, "late_" + w.Portions}
}

func (w *WindowLine) row() []string {
	revision := ""
	if w.Revision != nil {
		revision = strconv.FormatUint(uint64(*w.Revision), 10)
	}
	row := []string{w.Start, w.End, w.State, strconv.FormatBool(w.Final), revision}
	for _, n := range []uint64{w.Records, w.Total, w.Drinks, w.LateRecords, w.LatePortions} {
		row = append(row, strconv.FormatUint(n, 10))
	}
	return row
}

// Table is the list as rows.
func (w *Windows) Table() Table {
	t := Table{Header: w.Words.OrDefault().windowColumns(), Text: -1}
	for i := range w.Windows {
		t.Rows = append(t.Rows, w.Windows[i].row())
	}
	return t
}

func (w *Windows) lines() []any {
	lines := make([]any, len(w.Windows))
	for i := range w.Windows {
		lines[i] = &w.Windows[i]
	}
	return lines
}

// Table is the window as one row.
func (w *OneWindow) Table() Table {
	return Table{Header: w.Words.OrDefault().windowColumns(), Rows: [][]string{w.row()}, Text: -1}
}

func (w *OneWindow) lines() []any { return []any{&w.WindowLine} }
