package api

import (
	"net/http"
	"time"

	"windowed/internal/engine"
	"windowed/internal/event"
	"windowed/window"
)

// Status is how the process is. It is answered while the counts are restored too.
type Status struct {
	Schema     string               `json:"schema"`
	Version    string               `json:"version"`
	Phase      string               `json:"phase"`
	Restore    Progress             `json:"restore"`
	Owned      []int32              `json:"owned_partitions"`
	Paused     []int32              `json:"paused_partitions,omitempty"` // owned, but not read now
	Partitions []Partition          `json:"partitions"`
	Records    uint64               `json:"records"`
	Counted    uint64               `json:"counted"`
	Portions   uint64               `json:"portions"`
	Late       uint64               `json:"late"`
	LateIdle   uint64               `json:"late_idle"`
	Amended    uint64               `json:"amended"`
	Invalid    map[string]uint64    `json:"invalid"`
	Refused    map[string][]Refused `json:"last_invalid"` // by reason, the newest first; of this process
	Skipped    uint64               `json:"skipped"`
	Commits    uint64               `json:"commits"`
	Aborts     uint64               `json:"aborts"`
	Rebuilds   uint64               `json:"session_rebuilds"`
	LastError  string               `json:"last_error,omitempty"`
	Waiting    string               `json:"waiting,omitempty"` // why records wait for the schema registry
	Stopped    map[int32]string     `json:"stopped_partitions,omitempty"`
	Words      *Words               `json:"words,omitempty"` // nil: those of drinks
	AsOf       AsOf                 `json:"as_of"`
}

// Partition is one input partition in a Status.
type Partition struct {
	Partition    int32  `json:"partition"`
	Next         int64  `json:"next_offset"`
	Watermark    string `json:"watermark,omitempty"`
	CloseThrough string `json:"close_through,omitempty"`
	Idle         bool   `json:"idle"`
}

// Refused is a record that was refused, or came too late for its window.
type Refused struct {
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
	Error     string `json:"error"`
	At        string `json:"at"` // when that was committed
}

// StatusNow is how the process is.
func (a *Answers) StatusNow() *Status {
	now := a.Status.Now()
	s := &Status{
		Schema: statusSchema, Version: a.Version, Words: a.Words, Phase: string(now.Phase), Restore: a.progress(),
		Owned: now.Owned, Paused: now.Paused, Skipped: now.Skipped, Commits: now.Commits, Aborts: now.Aborts,
		Rebuilds: now.Rebuilds, LastError: now.LastError, Waiting: now.Waiting, Stopped: now.Stopped,
		Partitions: []Partition{}, Invalid: map[string]uint64{}, Refused: refused(&now),
	}
	if s.Owned == nil {
		s.Owned = []int32{}
	}
	s.AsOf = AsOf{Positions: map[string]int64{}, Generated: window.FormatTime(time.Now().UnixMilli())}
	st := a.State()
	if st == nil {
		return s
	}
	v, err := st.View()
	if err != nil {
		return s
	}
	totals := v.Totals()
	s.Records, s.Counted, s.Portions = totals.Records, totals.Counted, totals.Portions
	s.Late, s.LateIdle, s.Amended = totals.Late, totals.LateIdle, totals.Amended
	for i := 1; i < len(totals.Invalid); i++ {
		s.Invalid[event.Reason(i).String()] = totals.Invalid[i]
	}
	for p := range v.Global.Partitions {
		m, ok := v.Meta(p)
		part := Partition{Partition: p, Next: m.Next, Idle: m.Time.Idle}
		if ok {
			part.Watermark, part.CloseThrough = optionalTime(m.Time.Watermark), optionalTime(m.Time.CloseThrough)
		}
		s.Partitions = append(s.Partitions, part)
	}
	s.AsOf = asOf(v)
	return s
}

func refused(now *engine.StatusNow) map[string][]Refused {
	all := make(map[string][]Refused, len(now.Invalid))
	for reason, list := range now.Invalid {
		for _, r := range list {
			all[reason.String()] = append(all[reason.String()], Refused{
				Partition: r.Partition, Offset: r.Offset, Error: r.Detail, At: window.FormatTime(r.At.UnixMilli()),
			})
		}
	}
	return all
}

func (a *Answers) serveStatus(*http.Request, *params) (any, error) { return a.StatusNow(), nil }

// health is the answer of the probes.
type health struct {
	Status string `json:"status"`
}

func live(*http.Request, *params) (any, error) { return &health{"ok"}, nil }

// readiness is ok once every assigned partition is restored and its counts are answered.
func (a *Answers) readiness(*http.Request, *params) (any, error) {
	if _, _, err := a.ready(); err != nil {
		return nil, err
	}
	if why := a.Status.Now().Waiting; why != "" {
		return nil, problem(http.StatusServiceUnavailable, "not-ready", "not ready: records wait for the schema registry: %s", why)
	}
	return &health{"ok"}, nil
}
