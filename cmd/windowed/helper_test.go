package main

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/internal/api"
	"windowed/internal/engine"
	"windowed/state"
	"windowed/window"
)

// called is what a run of the program printed, and its exit code.
type called struct {
	code     int
	out, err string
}

// call runs the program in this process.
func call(args ...string) called {
	return callWith(nil, args...)
}

// callWith runs it with an environment.
func callWith(env []string, args ...string) called {
	var out, err bytes.Buffer
	code := run(args, env, streams{in: strings.NewReader(""), out: &out, err: &err})
	return called{code, out.String(), err.String()}
}

const testHour = int64(3_600_000)

// testNoon is 2026-03-01T12:00:00Z.
const testNoon = int64(1772366400000)

// answering is a server over a state with a closed window, an open one, and awkward
// names; it returns its address and its state.
func answering(t *testing.T, o api.Options) (addr string, st *state.State) {
	t.Helper()
	cfg := &engine.Config{Window: window.Size(testHour), Retention: 24 * testHour}
	st, err := state.Open("state", state.Options{FS: vfs.NewMem(), Window: cfg.Lifecycle(), Logger: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Abandon() })
	names := []string{"latte", "tab\there", "new\nline", "=1+1", "a,\"b\"", "\x1b[31mred", "tea:all", "é"}
	m := state.NewMeta(int64(len(names)))
	m.Counters = state.Counters{Records: 16, Counted: 16, Portions: 72}
	m.Time.Accept(testNoon+testHour+1, 0)
	var changes []state.Change
	for _, scope := range []window.Scope{window.AllTime, window.At(testNoon), window.At(testNoon + testHour)} {
		for i, name := range names {
			changes = append(changes, state.Change{Kind: state.CountKind, Scope: scope, Drink: name, Count: uint64(100 - i)})
		}
		if !scope.AllTime {
			changes = append(changes, state.Change{Kind: state.NumbersKind, Scope: scope, Numbers: &window.Numbers{Records: 8, Portions: 36}})
		}
	}
	changes = append(changes,
		state.Change{Kind: state.EmittedKind, Scope: window.At(testNoon), Emitted: &state.Emitted{Total: 36}},
		state.Change{Kind: state.GlobalKind, Global: &state.Global{CloseThrough: testNoon + testHour, Partitions: 1}},
		state.Change{Kind: state.MetaKind, Meta: &m})
	if err := st.Apply(0, changes, 1); err != nil {
		t.Fatal(err)
	}
	answers := &api.Answers{State: func() *state.State { return st }, Config: cfg, Status: new(engine.Status), Version: "test"}
	answers.Status.Set(engine.StatusNow{Phase: engine.Running})
	handler := api.NewServer(answers, o)
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		handler.Close()
		server.Close()
	})
	return strings.TrimPrefix(server.URL, "http://"), st
}

// more counts one more latte in the open window.
func more(t *testing.T, st *state.State, count uint64) {
	t.Helper()
	err := st.Apply(0, []state.Change{{Kind: state.CountKind, Scope: window.At(testNoon + testHour), Drink: "latte", Count: count}}, int64(count))
	if err != nil {
		t.Fatal(err)
	}
}

func (c called) must(t *testing.T, code int, says ...string) {
	t.Helper()
	for _, s := range says {
		if !strings.Contains(c.out+c.err, s) {
			t.Errorf("%q is not in\n%s%s", s, c.out, c.err)
		}
	}
	if c.code != code {
		t.Errorf("exit code %d, not %d:\n%s", c.code, code, fmt.Sprint(c.out, c.err))
	}
}
