package api

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/internal/engine"
	"windowed/internal/event"
	"windowed/state"
	"windowed/window"
)

const (
	hour = int64(3_600_000)
	noon = int64(1772366400000) // 2026-03-01T12:00:00Z
)

// quiet drops the store's lines.
type quiet struct{}

func (quiet) Infof(string, ...any)         {}
func (quiet) Errorf(string, ...any)        {}
func (quiet) Fatalf(f string, args ...any) { panic(f) }

// world is a state, what answers from it, and a client.
type world struct {
	t       testing.TB
	st      *state.State
	answers *Answers
	server  *Server
	metas   map[int32]state.Meta
	next    int64
	slowest atomic.Int64 // nanoseconds to apply a transaction
}

// newWorld is a state without counts whose run is in the phase running.
func newWorld(t testing.TB, options Options) *world {
	t.Helper()
	cfg := &engine.Config{Window: window.Size(hour), Grace: 60_000, Retention: 6 * hour}
	st, err := state.Open("state", state.Options{FS: vfs.NewMem(), Window: cfg.Lifecycle(), RankCapacity: 5, Logger: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, st: st, metas: make(map[int32]state.Meta)}
	w.answers = &Answers{State: func() *state.State { return w.st }, Config: cfg, Status: new(engine.Status), Version: "test"}
	w.answers.Status.Set(engine.StatusNow{Phase: engine.Running})
	w.server = NewServer(w.answers, options)
	t.Cleanup(func() {
		w.server.Close()
		_ = st.Abandon()
	})
	return w
}

// apply commits changes of a partition.
func (w *world) apply(p int32, changes ...state.Change) {
	w.t.Helper()
	w.next++
	if err := w.st.Apply(p, changes, w.next); err != nil {
		w.t.Fatal(err)
	}
}

// orders counts one order with each of the drinks, 1 portion of the first, 2 of the
// second and so on, in a window of a partition; the watermark goes to its end.
func (w *world) orders(p int32, start int64, drinks ...string) {
	w.t.Helper()
	m, ok := w.metas[p]
	if !ok {
		m = state.NewMeta(0)
	}
	var changes []state.Change
	numbers, err := w.st.Numbers(p, start)
	if err != nil {
		w.t.Fatal(err)
	}
	for i, drink := range drinks {
		portions := uint64(i + 1)
		for _, scope := range []window.Scope{window.AllTime, window.At(start)} {
			had, err := w.st.Count(p, drink, scope)
			if err != nil {
				w.t.Fatal(err)
			}
			changes = append(changes, state.Change{Kind: state.CountKind, Scope: scope, Drink: drink, Count: had + portions})
		}
		numbers = numbers.Plus(window.Numbers{Records: 1, Portions: portions})
		m.Next, m.Counters.Records, m.Counters.Counted = m.Next+1, m.Counters.Records+1, m.Counters.Counted+1
		m.Counters.Portions += portions
	}
	m.Time.Accept(start+hour-1, 60_000)
	w.metas[p] = m
	w.apply(p, append(changes, state.Change{Kind: state.NumbersKind, Scope: window.At(start), Numbers: &numbers}, state.Change{Kind: state.MetaKind, Meta: &m})...)
}

// final closes windows up to start, which gets a final.
func (w *world) final(start int64, revision uint32) {
	w.t.Helper()
	found, _, err := w.st.Window(start)
	if err != nil {
		w.t.Fatal(err)
	}
	w.apply(0, state.Change{Kind: state.EmittedKind, Scope: window.At(start), Emitted: &state.Emitted{Revision: revision, Total: found.Portions, At: start + hour + 61_000}})
	w.close(start + hour)
}

// close raises the close-through.
func (w *world) close(through int64) {
	w.apply(0, state.Change{Kind: state.GlobalKind, Global: &state.Global{CloseThrough: through, Partitions: 2}})
}

// usual is a world with two partitions: noon is closed, 13:00 is open and in its grace,
// 14:00 is open and has one order.
func usual(t testing.TB, options Options) *world {
	w := newWorld(t, options)
	w.close(window.None)
	w.orders(0, noon, "tea", "latte", "mocha")
	w.orders(1, noon, "tea", "mocha")
	w.final(noon, 0)
	w.orders(1, noon+hour, "a", "b", "c", "d", "e", "f", "g")
	w.orders(0, noon+2*hour, "latte")
	w.close(noon + hour)
	w.answers.Status.Set(engine.StatusNow{
		Phase: engine.Running, Owned: []int32{0, 1}, Commits: 7,
		Ends:    engine.Ends{Orders: map[int32]int64{0: 9, 1: 3}, At: time.Now()},
		Invalid: map[event.Reason][]engine.Refused{event.Malformed: {{Partition: 1, Offset: 4, Detail: "not JSON", At: time.UnixMilli(noon)}}},
		Stopped: map[int32]string{1: "a batch cannot be read"},
	})
	return w
}

// restoring makes the run one that restores.
func (w *world) restoring() {
	w.answers.Status.Set(engine.StatusNow{Phase: engine.Restoring})
	w.answers.Progress = func() Progress { return Progress{Active: true, Done: 63, Total: 100, Rate: 10, Seconds: 3.7} }
}

// reply is an answer over HTTP, without a network.
type reply struct {
	t    testing.TB
	path string
	*httptest.ResponseRecorder
}

// get asks a path; headers come in pairs.
func (w *world) get(path string, headers ...string) *reply {
	w.t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = "localhost:8080"
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.server.ServeHTTP(rec, r)
	return &reply{w.t, path, rec}
}

// ok decodes the answer of a path into v.
func (w *world) ok(path string, v any) *reply {
	w.t.Helper()
	r := w.get(path)
	if r.Code != http.StatusOK {
		w.t.Fatalf("%s: %d %s", path, r.Code, r.Body)
	}
	if err := json.Unmarshal(r.Body.Bytes(), v); err != nil {
		w.t.Fatalf("%s: %v in %s", path, err, r.Body)
	}
	return r
}

// refuses checks that a reply is a problem, and that it says what it should.
func (r *reply) refuses(status int, slug string, says ...string) Problem {
	r.t.Helper()
	var p Problem
	err := json.Unmarshal(r.Body.Bytes(), &p)
	if err != nil || r.Code != status || p.Status != status || p.Type != "/problems/"+slug || p.Title == "" {
		r.t.Errorf("%s: %d %s (%v), not %d %s", r.path, r.Code, r.Body, err, status, slug)
	}
	if got := r.Header().Get("Content-Type"); got != "application/problem+json" {
		r.t.Errorf("%s: a problem as %q", r.path, got)
	}
	for _, s := range says {
		if !strings.Contains(p.Detail, s) {
			r.t.Errorf("%s: %q does not say %q", r.path, p.Detail, s)
		}
	}
	return p
}

func (r *reply) text() string {
	body, _ := io.ReadAll(r.Body)
	return string(body)
}
