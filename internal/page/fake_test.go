package page

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// object is a JSON object.
type object = map[string]any

// fake plays the JSON API by its contract: the stream and one window's list. It says what
// the test wants said, and can break off as a dying program does.
type fake struct {
	*httptest.Server
	mu      sync.Mutex
	update  object
	tops    map[string]object // by start: what v1/top answers
	gone    map[string]int    // by start: the status of a refusal
	streams map[chan string]struct{}
	down    bool
	full    bool // no stream is served
	asked   int  // questions for one window
}

// newFake serves the page and the fake API below base ("/" or "/some/prefix/").
func newFake(t *testing.T, base string) *fake {
	f := &fake{tops: map[string]object{}, gone: map[string]int{}, streams: map[chan string]struct{}{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/stream", f.stream)
	mux.HandleFunc("GET /v1/top", f.top)
	for _, part := range []string{"status", "watermark", "windows"} {
		mux.HandleFunc("GET /v1/"+part, func(w http.ResponseWriter, _ *http.Request) { f.part(w, part) })
	}
	mux.Handle("/", Handler())
	root := http.StripPrefix(strings.TrimSuffix(base, "/"), mux)
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		down := f.down
		f.mu.Unlock()
		if down {
			panic(http.ErrAbortHandler) // cut, without an answer
		}
		root.ServeHTTP(w, r)
	}))
	f.Config.ErrorLog = nil
	t.Cleanup(func() {
		f.cut()
		f.Close()
	})
	return f
}

func (f *fake) stream(w http.ResponseWriter, r *http.Request) {
	c := make(chan string, 16)
	f.mu.Lock()
	if f.full {
		f.mu.Unlock()
		http.Error(w, `{"type":"/problems/too-many-streams","status":503}`, http.StatusServiceUnavailable)
		return
	}
	f.streams[c] = struct{}{}
	if f.update != nil {
		c <- event("update", f.update)
	}
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.streams, c)
		f.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	_, _ = fmt.Fprint(w, ": hello\n\n")
	for {
		_ = http.NewResponseController(w).Flush()
		select {
		case text, ok := <-c:
			if !ok {
				return
			}
			_, _ = fmt.Fprint(w, text)
		case <-r.Context().Done():
			return
		}
	}
}

func event(kind string, data any) string {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("event: %s\ndata: %s\n\n", kind, text)
}

func (f *fake) top(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	start := r.URL.Query().Get("window")
	for _, name := range []string{"all_time", "current", "last"} { // as the page polls
		top, _ := f.update[name].(object)
		if line, _ := top["window"].(object); f.full && top != nil && (line == nil && start == "" || line != nil && line["start"] == start) {
			_ = json.NewEncoder(w).Encode(top)
			return
		}
	}
	if top, ok := f.tops[start]; ok {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(top)
		return
	}
	status, slug := http.StatusNotFound, "unknown-window"
	if s, ok := f.gone[start]; ok {
		status, slug = s, "window-expired"
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object{
		"type": "/problems/" + slug, "title": http.StatusText(status), "status": status,
		"detail": "the window of " + start + " has expired (--retention)",
	})
}

// part answers one path with what the stream would say of it; null is a refusal.
func (f *fake) part(w http.ResponseWriter, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.update[name] == nil {
		http.Error(w, `{"type":"/problems/restoring","status":503}`, http.StatusServiceUnavailable)
		return
	}
	_ = json.NewEncoder(w).Encode(f.update[name])
}

// refuse lets no stream in, or some again.
func (f *fake) refuse(full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.full = full
}

// say makes u what the program has to say, and says it to whoever listens.
func (f *fake) say(u object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.update = u
	for c := range f.streams {
		c <- event("update", u)
	}
}

// bye ends the streams as a program that stops.
func (f *fake) bye() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.streams {
		c <- event("bye", object{})
	}
}

// cut ends the streams and refuses everything until mend.
func (f *fake) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = true
	for c := range f.streams {
		close(c)
		delete(f.streams, c)
	}
}

func (f *fake) mend() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = false
}

// listeners waits until n streams are open.
func (f *fake) listeners(t *testing.T, n int) {
	t.Helper()
	var now int
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		f.mu.Lock()
		now = len(f.streams)
		f.mu.Unlock()
		if now == n {
			return
		}
	}
	t.Fatalf("%d streams are open, want %d", now, n)
}
