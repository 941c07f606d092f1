package api

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"windowed/internal/engine"
	"windowed/state"
	"windowed/window"
)

// Answers makes answers from a state. Safe for concurrent use.
type Answers struct {
	State    func() *state.State // nil while there is none
	Config   *engine.Config
	Status   *engine.Status
	Progress func() Progress // nil: nothing is ever restored
	Version  string
	Words    *Words // nil: those of drinks
}

// Progress is how far a restore is.
type Progress struct {
	Active  bool    `json:"active"`
	Done    int64   `json:"done_records"`
	Total   int64   `json:"total_records"`
	Rate    float64 `json:"records_per_second"`
	Seconds float64 `json:"eta_seconds"`
}

// AsOf says what an answer is made from.
type AsOf struct {
	Watermark string           `json:"watermark,omitempty"` // the committed close-through
	Positions map[string]int64 `json:"positions"`           // next offset by input partition
	Complete  bool             `json:"complete"`            // all input partitions are in it
	Generated string           `json:"generated_at"`
}

// Schemas of the answers; fields are only ever added.
const (
	windowsSchema   = "windowed.windows/v1"
	windowSchema    = "windowed.window/v1"
	itemSchema      = "windowed.item/v1"
	watermarkSchema = "windowed.watermark/v1"
	statusSchema    = "windowed.status/v1"
	streamSchema    = "windowed.stream/v1"
)

// ready is the state to answer from, and its view. Anything else than whole counts is a
// problem, with the progress of the restore: never an empty answer.
func (a *Answers) ready() (*state.State, *state.View, error) {
	phase := a.Status.Now().Phase
	st := a.State()
	if phase != engine.Running || st == nil {
		return nil, nil, a.unready(phase)
	}
	v, err := st.View()
	if err != nil {
		return nil, nil, a.failed(err)
	}
	return st, v, nil
}

func (a *Answers) unready(phase engine.Phase) *Problem {
	p := a.progress()
	if !p.Active {
		return problem(http.StatusServiceUnavailable, "not-ready", "not ready: %s", phase)
	}
	restoring := problem(http.StatusServiceUnavailable, "restoring", "restoring: %d of %d changelog records", p.Done, p.Total)
	restoring.Restore = &p
	return restoring
}

// failed is the problem of a state that cannot be read: one that is closed or damaged is
// about to be replaced.
func (a *Answers) failed(err error) error {
	if errors.Is(err, state.ErrClosed) || errors.Is(err, state.ErrCorrupt) {
		return problem(http.StatusServiceUnavailable, "not-ready", "not ready: the state is being replaced or closed (%v)", err)
	}
	return err
}

func (a *Answers) progress() Progress {
	if a.Progress == nil {
		return Progress{}
	}
	return a.Progress()
}

// ask is the top n of a scope, as of v if that holds it.
func (a *Answers) ask(st *state.State, v *state.View, scope window.Scope, n int) (state.Answer, error) {
	if found, ok := v.Ask(scope, n); ok {
		return found, nil
	}
	found, err := st.Ask(scope, n)
	if err != nil {
		return found, a.failed(err)
	}
	return found, nil
}

func asOf(v *state.View) AsOf {
	as := AsOf{
		Watermark: optionalTime(v.Global.CloseThrough), Positions: make(map[string]int64, v.Global.Partitions),
		Generated: window.FormatTime(time.Now().UnixMilli()), Complete: v.HasGlobal,
	}
	for p := range v.Global.Partitions {
		m, ok := v.Meta(p)
		as.Complete = as.Complete && ok
		if ok {
			as.Positions[strconv.Itoa(int(p))] = m.Next
		}
	}
	return as
}

// holding says which partitions keep every window open.
func holding(v *state.View) string {
	held := v.Holding()
	if len(held) == 0 {
		return ""
	}
	texts := make([]string, len(held))
	for i, p := range held {
		texts[i] = strconv.Itoa(int(p))
	}
	return "; input partitions [" + strings.Join(texts, ",") + "] have had no order yet or are behind"
}

func optionalTime(ms int64) string {
	if ms == window.None {
		return ""
	}
	return window.FormatTime(ms)
}
