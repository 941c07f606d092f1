package api

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"windowed/internal/engine"
)

// streamed is one streamed of a stream.
type streamed struct {
	id, name, data string
}

// listener is an open stream.
type listener struct {
	t    *testing.T
	resp *http.Response
	in   *bufio.Reader
}

// listen opens a stream over a network, whose pace is quick.
func (w *world) listen(url string) *listener {
	w.t.Helper()
	resp, err := http.Get(url + "/v1/stream")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != 200 {
		body, _ := io.ReadAll(resp.Body)
		w.t.Fatalf("%s: %s", resp.Status, body)
	}
	return &listener{w.t.(*testing.T), resp, bufio.NewReader(resp.Body)}
}

// next is the next event; io.EOF at the end.
func (l *listener) next() (e streamed, err error) {
	for {
		line, err := l.in.ReadString('\n')
		if err != nil {
			return e, err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if e != (streamed{}) {
				return e, nil
			}
		}
	}
}

// update is the next update.
func (l *listener) update() (u Update) {
	l.t.Helper()
	e, err := l.next()
	if err != nil || e.name != "update" || e.id == "" {
		l.t.Fatalf("event %+v, %v", e, err)
	}
	if err := json.Unmarshal([]byte(e.data), &u); err != nil {
		l.t.Fatal(err)
	}
	return u
}

func (w *world) serve() *httptest.Server {
	w.server.stream.pace = 20 * time.Millisecond
	server := httptest.NewServer(w.server)
	w.t.Cleanup(func() {
		w.server.Close()
		server.Close()
	})
	return server
}

// withoutTime is an answer as JSON without the moment it was made.
func withoutTime(t *testing.T, answer any) string {
	t.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	delete(m["as_of"].(map[string]any), "generated_at")
	text, _ = json.Marshal(m)
	return string(text)
}

// TestStream compares every part of an update with the answer of its own path.
func TestStream(t *testing.T) {
	w := usual(t, Options{})
	server := w.serve()
	l := w.listen(server.URL)
	if h := l.resp.Header; h.Get("Content-Type") != "text/event-stream" || h.Get("X-Accel-Buffering") != "no" || h.Get("Cache-Control") != "no-cache, no-transform" {
		t.Errorf("headers %v", h)
	}
	u := l.update()
	if u.Schema != "windowed.stream/v1" {
		t.Errorf("schema %q", u.Schema)
	}
	for path, part := range map[string]any{
		"/v1/status": u.Status, "/v1/watermark": u.Watermark, "/v1/top?n=10": u.AllTime, "/v1/top?window=current": u.Current,
		"/v1/top?window=last": u.Last, "/v1/windows?limit=48": u.Windows,
	} {
		var own map[string]any
		w.ok(path, &own)
		if a, b := withoutTime(t, part), withoutTime(t, own); a != b {
			t.Errorf("%s: the stream says\n%s, its path\n%s", path, a, b)
		}
	}
	w.orders(0, noon+2*hour, "tea", "tea")
	if u = l.update(); u.AllTime.Records != 15 || u.Current.Records != 3 || u.Status.Records != 15 {
		t.Errorf("after an order: %+v %+v", u.AllTime, u.Current)
	}
}

// TestStreamBefore listens while the counts are restored, and on.
func TestStreamBefore(t *testing.T) {
	w := usual(t, Options{})
	w.restoring()
	l := w.listen(w.serve().URL)
	e, err := l.next()
	var parts map[string]json.RawMessage
	if err != nil || json.Unmarshal([]byte(e.data), &parts) != nil {
		t.Fatalf("%+v, %v", e, err)
	}
	for _, name := range []string{"watermark", "all_time", "current", "last", "windows"} {
		if string(parts[name]) != "null" {
			t.Errorf("%s is %s", name, parts[name])
		}
	}
	if !strings.Contains(string(parts["status"]), `"done_records":63`) {
		t.Errorf("status %s", parts["status"])
	}
	w.answers.Status.Set(engine.StatusNow{Phase: engine.Running})
	if u := l.update(); u.AllTime == nil || u.Windows == nil || u.Status.Phase != "running" {
		t.Errorf("restored: %+v", u)
	}
}

// TestStreamRests checks that nothing is sent while nothing changes, but for the same
// with a new time once the last event has grown old.
func TestStreamRests(t *testing.T) {
	w := usual(t, Options{})
	const fresh = 300 * time.Millisecond
	w.server.stream.fresh = fresh
	l := w.listen(w.serve().URL)
	first := l.update()
	began := time.Now()
	for range 2 {
		u := l.update()
		if u.Status.AsOf.Generated <= first.Status.AsOf.Generated || withoutTime(t, u.AllTime) != withoutTime(t, first.AllTime) {
			t.Errorf("%+v after %+v", u.Status.AsOf, first.Status.AsOf)
		}
		first = u
	}
	if took := time.Since(began); took < fresh { // the first may have waited to be read
		t.Errorf("two events within %v", took)
	}
}

// TestStreamPace checks how often events come at most, while orders never stop.
func TestStreamPace(t *testing.T) {
	w := usual(t, Options{})
	server := w.serve()
	w.server.stream.pace = 100 * time.Millisecond
	l := w.listen(server.URL)
	began, events, newest := time.Now(), 0, uint64(0)
	for time.Since(began) < time.Second {
		for range 5 {
			w.orders(0, noon+2*hour, "tea")
			time.Sleep(time.Millisecond)
		}
		if time.Since(began) > 500*time.Millisecond && events == 0 {
			for range 3 {
				u := l.update()
				if events++; u.AllTime.Records <= newest {
					t.Errorf("%d orders after %d", u.AllTime.Records, newest)
				}
				newest = u.AllTime.Records
			}
		}
	}
	w.server.Close()
	for {
		e, err := l.next()
		if err != nil {
			break
		}
		if e.name == "update" {
			events++
		}
	}
	if took := int(time.Since(began) / (100 * time.Millisecond)); events > took+2 || events < 4 {
		t.Errorf("%d events in %d paces", events, took)
	}
}

// TestStreamEnds closes the server: every stream gets a last event.
func TestStreamEnds(t *testing.T) {
	w := usual(t, Options{})
	l := w.listen(w.serve().URL)
	l.update()
	w.server.Close()
	if e, err := l.next(); err != nil || e.name != "bye" {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := l.next(); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	w.get("/v1/stream").refuses(503, "not-ready", "stopping")
}

// TestStreamRefuses asks for streams that nobody gets.
func TestStreamRefuses(t *testing.T) {
	w := usual(t, Options{Streams: 2})
	server := w.serve()
	w.get("/v1/stream?n=1").refuses(400, "invalid-parameter", "unknown")
	w.get("/v1/stream", "Origin", "http://evil.example").refuses(403, "wrong-origin", "evil.example")
	w.get("/v1/stream", "Origin", "null").refuses(403, "wrong-origin")
	first, second := w.listen(server.URL), w.listen(server.URL)
	second.update()
	w.get("/v1/stream").refuses(503, "too-many-streams", "2 streams")
	first.resp.Body.Close()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		w.server.stream.mu.Lock()
		readers := w.server.stream.readers
		w.server.stream.mu.Unlock()
		if readers == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a stream that was closed still counts")
		}
	}
	w.listen(server.URL).update() // there is room again
}

// TestStreamOutlives listens longer than the server waits for requests.
func TestStreamOutlives(t *testing.T) {
	w := usual(t, Options{})
	w.server.stream.pace = 20 * time.Millisecond
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: w.server, ReadTimeout: 100 * time.Millisecond, ReadHeaderTimeout: 100 * time.Millisecond, WriteTimeout: 100 * time.Millisecond}
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	in := w.listen("http://" + l.Addr().String())
	in.update()
	for range 3 {
		time.Sleep(150 * time.Millisecond)
		w.orders(0, noon+2*hour, "tea")
		in.update()
	}
}

// TestStreamAnew listens after everybody had left: the first event is a fresh one.
func TestStreamAnew(t *testing.T) {
	w := usual(t, Options{})
	server := w.serve()
	for i := range uint64(5) {
		l := w.listen(server.URL)
		if u := l.update(); u.AllTime.Records != 13+i {
			t.Errorf("turn %d: %d orders", i, u.AllTime.Records)
		}
		l.resp.Body.Close()
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			w.server.stream.mu.Lock()
			running := w.server.stream.running
			w.server.stream.mu.Unlock()
			if !running {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("events are made for nobody")
			}
		}
		w.orders(0, noon+2*hour, "tea")
	}
}
