package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/internal/engine"
	"windowed/internal/event"
	"windowed/state"
	"windowed/window"
)

// small is a workload with all that makes orders hard: disorder, late ones, few
// partitions that are uneven.
func small() *Workload {
	return &Workload{
		Seed: 7, Orders: 5_000, Partitions: 3, Drinks: 40, Zipf: 1.1, Items: 5,
		Start: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC), Span: 6 * time.Hour,
		Disorder: 90 * time.Second, Late: 0.05, Window: time.Hour, Grace: time.Minute,
	}
}

// textOf are the orders of one partition as lines.
func textOf(w *Workload, p int) []byte {
	var text []byte
	m := w.maker(p, newSampler(w.Drinks, w.Zipf))
	for o, ok := m.next(); ok; o, ok = m.next() {
		text = append(o.append(text, w.Size), '\n')
	}
	return text
}

func TestOrdersDependOnWorkloadAlone(t *testing.T) {
	a, b := textOf(small(), 1), textOf(small(), 1)
	if !bytes.Equal(a, b) {
		t.Error("the same workload made different orders")
	}
	other := small()
	other.Seed++
	if bytes.Equal(a, textOf(other, 1)) {
		t.Error("another seed made the same orders")
	}
	if bytes.Equal(a, textOf(small(), 2)) {
		t.Error("two partitions have the same orders")
	}
	// Figures of different versions of this program are only comparable if this holds.
	const first = `{"order_id":1,"shop_id":1,"ts":"2026-03-01T09:59:08.708Z","items":[{"drink":"house special 0","quantity":1}]}`
	if got, _, _ := bytes.Cut(a, []byte("\n")); string(got) != first {
		t.Errorf("the first order of partition 1 is\n%s\nnot\n%s", got, first)
	}
}

func TestOrderSize(t *testing.T) {
	w := small()
	w.Size = 600
	for line := range bytes.Lines(textOf(w, 0)) {
		line = bytes.TrimSpace(line)
		if len(line) != w.Size || !json.Valid(line) {
			t.Fatalf("%d bytes, want %d bytes of JSON: %s", len(line), w.Size, line)
		}
	}
}

func TestSampler(t *testing.T) {
	const n, draws = 50, 2_000_000
	for _, exponent := range []float64{0, 0.8, 1.1} {
		rnd := rand.New(rand.NewPCG(1, 2))
		s := newSampler(n, exponent)
		var seen [n]float64
		for range draws {
			seen[s.pick(rnd)]++
		}
		sum := 0.0
		for k := range n {
			sum += math.Pow(float64(k+1), -exponent)
		}
		for k := range n {
			want := draws * math.Pow(float64(k+1), -exponent) / sum
			if off := math.Abs(seen[k] - want); off > 6*math.Sqrt(want) {
				t.Errorf("exponent %v: drink %d was picked %v times, want about %.0f", exponent, k, seen[k], want)
			}
		}
	}
}

// quiet fails the test for what a store cannot go on from, and drops the rest.
type quiet struct{ t *testing.T }

func (quiet) Infof(string, ...any)                {}
func (quiet) Errorf(string, ...any)               {}
func (q quiet) Fatalf(format string, args ...any) { q.t.Fatalf(format, args...) }

// oneChunk is an input of one chunk.
type oneChunk struct{ text []byte }

func (c *oneChunk) Next() (engine.Chunk, error) {
	if c.text == nil {
		return nil, io.EOF
	}
	chunk := *c
	c.text = nil
	return &chunk, nil
}

func (c *oneChunk) Each(f func(value []byte)) {
	for line := range bytes.Lines(c.text) {
		f(bytes.TrimSpace(line))
	}
}

func (c *oneChunk) Done() {}

// replayed is what the program itself makes of one partition's orders.
func replayed(t *testing.T, w *Workload, p int, into Answer) (late uint64) {
	t.Helper()
	cfg := engine.Config{Window: window.Size(w.Window.Milliseconds()), Grace: w.Grace.Milliseconds(), Retention: 1000 * time.Hour.Milliseconds(), Top: 1000, Order: event.Config{TimeField: "ts"}}
	st, err := state.Open("replay", state.Options{FS: vfs.NewMem(), Window: cfg.Lifecycle(), Logger: quiet{t}})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	replay, err := engine.NewReplay(cfg, st, func(o *engine.Output) error {
		for _, e := range o.Top {
			into.add(strconv.FormatInt(o.Scope.Start, 10), e.Drink, e.Count)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	decoder := func() (event.Reader, error) { return event.NewDecoder(cfg.Order) }
	if err := replay.AddAll(&oneChunk{text: textOf(w, p)}, decoder, 1, func(int) {}); err != nil {
		t.Fatal(err)
	}
	if err := replay.Finish(); err != nil {
		t.Fatal(err)
	}
	top, err := st.Top(window.AllTime, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range top {
		into.add(allTime, e.Drink, e.Count)
	}
	return st.Totals().Late
}

func TestTruthIsWhatReplayCounts(t *testing.T) {
	w := small()
	truth := truthOf(w)
	got, late := Answer{}, uint64(0)
	for p := range w.Partitions {
		late += replayed(t, w, p, got)
	}
	if v := compare(truth.Answer, got); !v.Exact() {
		t.Errorf("replay is %s", &v)
	}
	if truth.Orders != int64(w.Orders) || truth.Late != int64(late) || late == 0 {
		t.Errorf("the truth has %d orders, %d of them late; made were %d, and replay found %d late", truth.Orders, truth.Late, w.Orders, late)
	}
}
