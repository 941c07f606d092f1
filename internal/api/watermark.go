package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"windowed/internal/engine"
	"windowed/state"
)

// Watermark is how far time is in each input partition, and which of them hold the
// windows open.
type Watermark struct {
	Schema       string               `json:"schema"`
	CloseThrough string               `json:"close_through,omitempty"` // C: windows with an end at or before it are closed
	HeldBy       []int32              `json:"held_back_by"`            // empty if all partitions are equally far
	Partitions   []PartitionWatermark `json:"partitions"`
	AsOf         AsOf                 `json:"as_of"`
}

// PartitionWatermark is one input partition.
type PartitionWatermark struct {
	Partition    int32  `json:"partition"`
	Watermark    string `json:"watermark,omitempty"`     // highest event time accepted
	CloseThrough string `json:"close_through,omitempty"` // orders of windows with an end at or before it are late
	Idle         bool   `json:"idle"`
	Next         int64  `json:"next_offset"`
	Lag          *int64 `json:"lag"` // offsets up to the last stable one; nil: not known
	HoldsBack    bool   `json:"holds_back"`
	Stopped      string `json:"stopped,omitempty"` // why it is not read any more
}

// Watermark is how far time is now.
func (a *Answers) Watermark() (*Watermark, error) {
	_, v, err := a.ready()
	if err != nil {
		return nil, err
	}
	return a.watermark(v), nil
}

func (a *Answers) watermark(v *state.View) *Watermark {
	a.Status.WantEnds()
	now := a.Status.Now()
	times := v.Times()
	held := v.Holding()
	w := &Watermark{
		Schema: watermarkSchema, CloseThrough: optionalTime(v.Global.CloseThrough), HeldBy: held,
		Partitions: make([]PartitionWatermark, len(times)), AsOf: asOf(v),
	}
	if held == nil {
		w.HeldBy = []int32{}
	}
	for i := range times {
		p := int32(i)
		m, _ := v.Meta(p)
		w.Partitions[i] = PartitionWatermark{
			Partition: p, Watermark: optionalTime(times[i].Watermark), CloseThrough: optionalTime(times[i].CloseThrough),
			Idle: times[i].Idle, Next: m.Next, Lag: lag(&now, v, p), HoldsBack: slices.Contains(held, p), Stopped: now.Stopped[p],
		}
	}
	return w
}

// The last stable offsets are asked for once a second while somebody looks. Older ones
// than endsFresh say nothing of the lag now, so the first who looks waits up to endsWait.
const (
	endsFresh = 10 * time.Second
	endsWait  = 2 * time.Second
	endsPause = 20 * time.Millisecond
)

// lag is how many offsets below the last stable one are not counted yet; nil if the
// brokers were not asked lately. Markers of transactions count as offsets: the position
// moves over them too, so a partition that is worked off has lag 0.
func lag(now *engine.StatusNow, v *state.View, p int32) *int64 {
	end, ok := now.Ends.Orders[p]
	m, known := v.Meta(p)
	if !ok || !known || time.Since(now.Ends.At) > endsFresh {
		return nil
	}
	behind := max(0, end-m.Next)
	return &behind
}

func (a *Answers) serveWatermark(r *http.Request, p *params) (any, error) {
	if err := p.problem(); err != nil {
		return nil, err
	}
	if _, v, err := a.ready(); err != nil || len(v.Times()) == 0 {
		return a.Watermark() // there is no lag to wait for
	}
	a.awaitEnds(r.Context())
	return a.Watermark()
}

// awaitEnds waits for fresh last stable offsets: whoever asks once wants to see a lag too.
func (a *Answers) awaitEnds(ctx context.Context) {
	a.Status.WantEnds()
	ctx, cancel := context.WithTimeout(ctx, endsWait)
	defer cancel()
	tick := time.NewTicker(endsPause)
	defer tick.Stop()
	for now := a.Status.Now(); now.Phase == engine.Running && time.Since(now.Ends.At) > endsFresh; now = a.Status.Now() {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Table is the partitions as rows.
func (w *Watermark) Table() Table {
	t := Table{Header: []string{"partition", "watermark", "close_through", "idle", "next_offset", "lag", "holds_back", "stopped"}, Text: 7}
	for i := range w.Partitions {
		p := &w.Partitions[i]
		behind := ""
		if p.Lag != nil {
			behind = strconv.FormatInt(*p.Lag, 10)
		}
		t.Rows = append(t.Rows, []string{
			strconv.Itoa(int(p.Partition)), p.Watermark, p.CloseThrough, strconv.FormatBool(p.Idle),
			strconv.FormatInt(p.Next, 10), behind, strconv.FormatBool(p.HoldsBack), p.Stopped,
		})
	}
	return t
}

func (w *Watermark) lines() []any {
	lines := make([]any, len(w.Partitions))
	for i := range w.Partitions {
		lines[i] = &w.Partitions[i]
	}
	return lines
}
