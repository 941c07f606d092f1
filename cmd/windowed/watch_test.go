package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"windowed/internal/api"
	"windowed/internal/exit"
)

// watching is a watcher of a server.
func watching(addr, form string, terminal bool) (w *watcher, out, err *bytes.Buffer) {
	out, err = new(bytes.Buffer), new(bytes.Buffer)
	cmd := &topCmd{Window: "current", N: 2}
	cmd.Server, cmd.Timeout, cmd.Output = addr, 5*time.Second, form
	w = &watcher{cmd: cmd, std: streams{out: out, err: err}, screen: newScreen(out)}
	if terminal {
		w.screen = &screen{out: &display{height: 24}, terminal: true, size: func() (int, int) { return 200, 24 }}
	}
	return w, out, err
}

// TestWatch looks again and again: only changes are printed.
func TestWatch(t *testing.T) {
	addr, st := answering(t, api.Options{})
	for form, want := range map[string]string{
		"tsv": "2026-03-01T13:00:00Z\t1\tlatte\t100\n2026-03-01T13:00:00Z\t2\ttab\\there\t99\n2026-03-01T13:00:00Z\t1\tlatte\t200\n2026-03-01T13:00:00Z\t2\ttab\\there\t99\n",
	} {
		w, out, _ := watching(addr, form, false)
		for i := range 6 {
			if i == 3 {
				more(t, st, 200)
			}
			if err := w.look(t.Context(), time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		if out.String() != want {
			t.Errorf("%s: %q, not %q", form, out, want)
		}
	}
	w, out, _ := watching(addr, "json", false)
	_ = w.look(t.Context(), time.Now())
	more(t, st, 201)
	_ = w.look(t.Context(), time.Now())
	_ = w.look(t.Context(), time.Now())
	if n := strings.Count(out.String(), "\n"); n != 2 || !strings.HasPrefix(out.String(), "{") {
		t.Errorf("json: %d lines: %s", n, out)
	}
}

// TestWatchGone watches a windowed that restarts.
func TestWatchGone(t *testing.T) {
	addr, _ := answering(t, api.Options{})
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"type":"/problems/restoring","status":503,"detail":"restoring: 1 of 2 changelog records"}`))
	}))
	defer away.Close()
	terminal, _, _ := watching(addr, "table", true)
	plain, out, errs := watching(addr, "table", false)
	shown := func() string { return strings.Join(terminal.screen.out.(*display).lines, "\n") }
	look := func() {
		t.Helper()
		for _, w := range []*watcher{terminal, plain} {
			if err := w.look(t.Context(), time.Now()); err != nil {
				t.Fatal(err)
			}
		}
	}
	look()
	whole := shown()
	if !strings.Contains(whole, "latte") || !strings.Contains(whole, "top of 2026-03-01T13:00:00Z") {
		t.Fatalf("shown is %q", whole)
	}
	terminal.cmd.Server = strings.TrimPrefix(away.URL, "http://")
	plain.cmd.Server = terminal.cmd.Server
	look()
	look()
	if !strings.HasPrefix(shown(), whole) || !strings.Contains(shown(), "waiting since") || !strings.Contains(shown(), "restoring: 1 of 2") {
		t.Errorf("while it is away: %q", shown())
	}
	if n := strings.Count(errs.String(), "waiting"); n != 1 {
		t.Errorf("stderr: %q", errs)
	}
	terminal.cmd.Server, plain.cmd.Server = addr, addr
	look()
	if shown() != whole {
		t.Errorf("when it is back: %q", shown())
	}
	if n := strings.Count(out.String(), "top of"); n != 1 {
		t.Errorf("the same list is printed %d times", n)
	}
	plain.cmd.Window = "nonsense"
	if err := plain.look(t.Context(), time.Now()); exit.Code(err) != exit.Usage {
		t.Errorf("a window that cannot be: %v", err)
	}
	call("top", "--watch", "--every=0s", "--server="+addr).must(t, exit.Usage, "--every")
}

// TestWatchStops is told to stop while the server takes its time.
func TestWatchStops(t *testing.T) {
	asked := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	defer slow.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-asked
		cancel()
	}()
	w, out, errs := watching(strings.TrimPrefix(slow.URL, "http://"), "table", false)
	w.cmd.Timeout = time.Minute
	began := time.Now()
	if err := w.look(ctx, began); err != nil || out.Len()+errs.Len() > 0 {
		t.Errorf("%v; %q, %q", err, out, errs)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it stops after %v", took)
	}
}
