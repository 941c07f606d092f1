package api

import (
	"math"
	"strconv"
	"time"

	"windowed/internal/engine"
	"windowed/internal/order"
	"windowed/state"
	"windowed/window"
)

// Answers makes answers from a state. Safe for concurrent use.
type Answers struct {
	State    func() *state.State // nil while there is none
	Config   *engine.Config
	Status   *engine.Status
	Progress func() Progress
	Version  string
}

// Progress is how far a restore is.
type Progress struct {
	Active  bool    `json:"active"`
	Done    int64   `json:"done_records"`
	Total   int64   `json:"total_records"`
	Rate    float64 `json:"records_per_second"`
	Seconds float64 `json:"eta_seconds"`
}

// Window says which window an answer is about, and how far it is.
type Window struct {
	Start    string  `json:"start"`
	End      string  `json:"end"`
	State    string  `json:"state"` // open, closed, expired
	Final    bool    `json:"final"`
	Revision *uint32 `json:"revision,omitempty"` // of the last final
}

// AsOf says what an answer is made from.
type AsOf struct {
	Watermark string           `json:"watermark,omitempty"` // the committed close-through
	Positions map[string]int64 `json:"positions"`           // next offset by input partition
	Complete  bool             `json:"complete"`            // all input partitions are in it
	Generated string           `json:"generated_at"`
}

// Top is a top list.
type Top struct {
	Schema  string          `json:"schema"`
	Scope   string          `json:"scope"`
	Window  *Window         `json:"window,omitempty"`
	Records uint64          `json:"records"`
	Total   uint64          `json:"total"`
	Drinks  uint64          `json:"drinks"` // distinct
	Top     []engine.Ranked `json:"top"`
	AsOf    AsOf            `json:"as_of"`
}

// WindowLine is one line of the list of windows.
type WindowLine struct {
	Window
	Records      uint64 `json:"records"`
	Total        uint64 `json:"total"`
	Drinks       uint64 `json:"drinks"`
	LateRecords  uint64 `json:"late_records"`
	LatePortions uint64 `json:"late_portions"`
}

// Windows is the list of windows, newest first.
type Windows struct {
	Schema    string       `json:"schema"`
	Size      string       `json:"window_size"`
	Windows   []WindowLine `json:"windows"`
	HeldBy    []int32      `json:"held_back_by,omitempty"` // partitions at the lowest close-through
	Truncated bool         `json:"truncated,omitempty"`
	AsOf      AsOf         `json:"as_of"`
}

// Status is how the process is.
type Status struct {
	Schema     string            `json:"schema"`
	Version    string            `json:"version"`
	Phase      string            `json:"phase"`
	Restore    Progress          `json:"restore"`
	Owned      []int32           `json:"owned_partitions"`
	Partitions []Partition       `json:"partitions"`
	Records    uint64            `json:"records"`
	Counted    uint64            `json:"counted"`
	Portions   uint64            `json:"portions"`
	Late       uint64            `json:"late"`
	LateIdle   uint64            `json:"late_idle"`
	Amended    uint64            `json:"amended"`
	Invalid    map[string]uint64 `json:"invalid"`
	Skipped    uint64            `json:"skipped"`
	Commits    uint64            `json:"commits"`
	Aborts     uint64            `json:"aborts"`
	Rebuilds   uint64            `json:"session_rebuilds"`
	LastError  string            `json:"last_error,omitempty"`
	Stopped    map[int32]string  `json:"stopped_partitions,omitempty"`
	AsOf       AsOf              `json:"as_of"`
}

// Partition is one input partition in a Status.
type Partition struct {
	Partition    int32  `json:"partition"`
	Next         int64  `json:"next_offset"`
	Watermark    string `json:"watermark,omitempty"`
	CloseThrough string `json:"close_through,omitempty"`
	Idle         bool   `json:"idle"`
}

// Schemas of the answers; fields are only ever added.
const (
	windowsSchema = "windowed.windows/v1"
	statusSchema  = "windowed.status/v1"
)

// maxWindows is how many windows one answer lists.
const maxWindows = 500

// AllTime is the top n of all time.
func (a *Answers) AllTime(n int) (*Top, error) {
	st := a.State()
	entries, err := st.Top(window.AllTime, n)
	if err != nil {
		return nil, err
	}
	drinks, err := st.AllTimeDrinks()
	if err != nil {
		return nil, err
	}
	totals := st.Totals()
	return &Top{
		Schema: engine.Schema, Scope: "all-time", Records: totals.AllTimeRecords(), Total: totals.Portions,
		Drinks: drinks, Top: engine.Rank(entries), AsOf: a.asOf(st),
	}, nil
}

// InWindow is the top n of the window that starts at start.
func (a *Answers) InWindow(start int64, n int) (*Top, error) {
	st := a.State()
	w, entries, _, err := st.TopOfWindow(start, n)
	if err != nil {
		return nil, err
	}
	line, err := a.line(st, &w, start)
	if err != nil {
		return nil, err
	}
	return &Top{
		Schema: engine.Schema, Scope: "window", Window: &line.Window, Records: line.Records, Total: line.Total,
		Drinks: line.Drinks, Top: engine.Rank(entries), AsOf: a.asOf(st),
	}, nil
}

// line describes one window; it is a problem if it never accepted a record or expired.
func (a *Answers) line(st *state.State, w *state.Window, start int64) (*WindowLine, error) {
	if !a.Config.Window.Aligned(start) {
		below := a.Config.Window.Start(start)
		return nil, problem(400, "window-misaligned", "%s is not the start of a window; its neighbours are %s and %s",
			window.FormatTime(start), window.FormatTime(below), window.FormatTime(a.Config.Window.End(below)))
	}
	c := closeThrough(st)
	if a.Config.Lifecycle().State(start, c, st.NewestClosed()) == window.Expired {
		return nil, problem(410, "window-expired", "the window of %s has expired (--retention)", window.FormatTime(start))
	}
	if w.Records == 0 {
		return nil, problem(404, "unknown-window", "the window of %s accepted no record", window.FormatTime(start))
	}
	line := a.windowLine(st, c, w)
	return &line, nil
}

func (a *Answers) windowLine(st *state.State, c int64, w *state.Window) WindowLine {
	line := WindowLine{
		Window: Window{
			Start: window.FormatTime(w.Start), End: window.FormatTime(a.Config.Window.End(w.Start)),
			State: a.Config.Lifecycle().State(w.Start, c, st.NewestClosed()).String(), Final: w.Final,
		},
		Records: w.Records, Total: w.Portions, Drinks: w.Drinks, LateRecords: w.LateRecords, LatePortions: w.LatePortions,
	}
	if w.Final {
		line.Revision = &w.Emitted.Revision
	}
	return line
}

// Windows lists the windows, newest first.
func (a *Answers) Windows() (*Windows, error) {
	st := a.State()
	all, err := st.Windows(math.MinInt64, math.MaxInt64, maxWindows)
	if err != nil {
		return nil, err
	}
	answer := &Windows{Schema: windowsSchema, Size: a.Config.Window.Duration().String(), Windows: []WindowLine{}, AsOf: a.asOf(st), Truncated: len(all) == maxWindows}
	c := closeThrough(st)
	for i := range all {
		answer.Windows = append(answer.Windows, a.windowLine(st, c, &all[i]))
	}
	answer.HeldBy = heldBy(st)
	return answer, nil
}

// heldBy are the partitions at the lowest close-through, if not all are.
func heldBy(st *state.State) []int32 {
	times := st.Times()
	lowest := int64(math.MaxInt64)
	for i := range times {
		lowest = min(lowest, times[i].CloseThrough)
	}
	var held []int32
	for i := range times {
		if times[i].CloseThrough == lowest {
			held = append(held, int32(i))
		}
	}
	if len(held) == len(times) && lowest != window.None {
		return nil
	}
	return held
}

// StatusNow is how the process is.
func (a *Answers) StatusNow() *Status {
	now := a.Status.Now()
	s := &Status{
		Schema: statusSchema, Version: a.Version, Phase: string(now.Phase), Owned: now.Owned,
		Skipped: now.Skipped, Commits: now.Commits, Aborts: now.Aborts, Rebuilds: now.Rebuilds, LastError: now.LastError, Stopped: now.Stopped,
		Partitions: []Partition{}, Invalid: map[string]uint64{},
	}
	if a.Progress != nil {
		s.Restore = a.Progress()
	}
	st := a.State()
	if st == nil {
		return s
	}
	totals := st.Totals()
	s.Records, s.Counted, s.Portions = totals.Records, totals.Counted, totals.Portions
	s.Late, s.LateIdle, s.Amended = totals.Late, totals.LateIdle, totals.Amended
	for i := 1; i < len(totals.Invalid); i++ {
		s.Invalid[order.Reason(i).String()] = totals.Invalid[i]
	}
	for p := range st.Times() {
		m, _ := st.Meta(int32(p))
		s.Partitions = append(s.Partitions, Partition{
			Partition: int32(p), Next: m.Next, Idle: m.Time.Idle,
			Watermark: optionalTime(m.Time.Watermark), CloseThrough: optionalTime(m.Time.CloseThrough),
		})
	}
	s.AsOf = a.asOf(st)
	return s
}

func (a *Answers) asOf(st *state.State) AsOf {
	as := AsOf{Watermark: optionalTime(closeThrough(st)), Positions: map[string]int64{}, Generated: window.FormatTime(time.Now().UnixMilli()), Complete: true}
	g, ok := st.Global()
	as.Complete = ok
	for p := range g.Partitions {
		m, ok := st.Meta(p)
		as.Complete = as.Complete && ok
		if ok {
			as.Positions[strconv.Itoa(int(p))] = m.Next
		}
	}
	return as
}

func closeThrough(st *state.State) int64 {
	g, _ := st.Global()
	return g.CloseThrough
}

func optionalTime(ms int64) string {
	if ms == window.None {
		return ""
	}
	return window.FormatTime(ms)
}
