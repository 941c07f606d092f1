package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"windowed/state"
	"windowed/window"
)

// Update is one event of a stream: the whole view. A reader that misses some has lost
// nothing once the next one comes.
type Update struct {
	Schema    string     `json:"schema"`
	Status    *Status    `json:"status"`
	Watermark *Watermark `json:"watermark"` // null, as all that follows, while the counts are restored
	AllTime   *Top       `json:"all_time"`
	Current   *Top       `json:"current"` // null if no window is open
	Last      *Top       `json:"last"`    // null if none is closed
	Windows   *Windows   `json:"windows"`
}

// The pace of a stream, and its bounds.
const (
	streamPace     = 250 * time.Millisecond
	streamFresh    = 15 * time.Second // then the same is said again, with the time it is now
	streamPatience = 10 * time.Second // that a reader may take for one event
	streamWindows  = 48
	defaultStreams = 1024
)

// frame is an event ready to be sent; it is shared by all readers and never changes.
type frame struct {
	event []byte
	next  chan struct{} // closed once there is a newer one
}

// stream makes one event for all readers, while there are any. Latest wins: a reader that
// is slow skips events, so it holds at most the one that is being sent to it, and nobody
// waits for it.
type stream struct {
	answers  *Answers
	limit    int
	pace     time.Duration
	fresh    time.Duration
	patience time.Duration

	mu      sync.Mutex
	readers int
	running bool // somebody makes events
	latest  *frame
	made    time.Time // when the latest was
	seen    fingerprint
	number  uint64
	boot    int64
	over    chan struct{} // closed at the end
	ended   bool
}

// fingerprint is what an update was made from; while it stays, the update does.
type fingerprint struct {
	state    *state.State
	version  uint64
	describe string
}

func newStream(a *Answers, limit int) *stream {
	if limit == 0 {
		limit = defaultStreams
	}
	return &stream{
		answers: a, limit: limit, pace: streamPace, fresh: streamFresh, patience: streamPatience,
		latest: &frame{next: make(chan struct{})}, boot: time.Now().UnixMilli(), over: make(chan struct{}),
	}
}

// close ends all readers.
func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended = true
		close(s.over)
	}
}

// join counts a reader in; the first one starts the making of events.
func (s *stream) join() *Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return problem(http.StatusServiceUnavailable, "not-ready", "not ready: stopping")
	}
	if s.readers >= s.limit {
		return problem(http.StatusServiceUnavailable, "too-many-streams", "%d streams are open, and no more are served; poll /v1/top instead, or close some", s.limit)
	}
	if s.readers++; !s.running {
		s.running = true
		go s.run()
	}
	return nil
}

func (s *stream) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers--
}

// run makes events until nobody reads any more.
func (s *stream) run() {
	tick := time.NewTicker(s.pace)
	defer tick.Stop()
	for {
		s.renew()
		select {
		case <-s.over:
			return
		case <-tick.C:
		}
		s.mu.Lock()
		alone := s.readers == 0
		if alone {
			// The next reader must not begin with an old event.
			s.latest, s.seen, s.running = &frame{next: s.latest.next}, fingerprint{}, false
		}
		s.mu.Unlock()
		if alone {
			return
		}
	}
}

// renew makes a new event if something has changed, or if the last one has grown old: so
// no reader, and no proxy between, takes a quiet stream for a dead one.
func (s *stream) renew() {
	seen := s.answers.fingerprint()
	s.mu.Lock()
	same := seen == s.seen && s.latest.event != nil && time.Since(s.made) < s.fresh
	s.mu.Unlock()
	if same {
		return
	}
	text, err := json.Marshal(s.answers.Update())
	if err != nil {
		return // of types that can always be encoded
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %d-%d\nevent: update\ndata: ", s.boot, s.number)
	b.Write(text)
	b.WriteString("\n\n")
	old := s.latest
	s.latest, s.made, s.seen = &frame{event: b.Bytes(), next: make(chan struct{})}, time.Now(), seen
	close(old.next)
}

func (s *stream) newest() *frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.latest
}

// serve is one reader.
func (s *stream) serve(w http.ResponseWriter, r *http.Request) {
	if foreign(r) {
		problem(http.StatusForbidden, "wrong-origin", "a page of %q may not read this stream", r.Header.Get("Origin")).write(w)
		return
	}
	if err := newParams(r.URL.RawQuery, nil).problem(); err != nil {
		asProblem(err).write(w)
		return
	}
	if p := s.join(); p != nil {
		p.write(w)
		return
	}
	defer s.leave()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no") // nginx would keep events back
	if r.Method == http.MethodHead {
		return
	}
	out := reader{w: w, control: http.NewResponseController(w), patience: s.patience}
	_ = out.control.SetReadDeadline(time.Time{}) // the server's is for requests
	if out.send([]byte("retry: 2000\n\n")) == nil {
		s.feed(r, &out)
	}
}

// feed sends the newest event each time there is one.
func (s *stream) feed(r *http.Request, out *reader) {
	for sent := (*frame)(nil); ; {
		f := s.newest()
		if f != sent && f.event != nil {
			if out.send(f.event) != nil {
				return
			}
		}
		sent = f
		select {
		case <-r.Context().Done():
			return
		case <-s.over:
			_ = out.send([]byte("event: bye\ndata: {}\n\n"))
			return
		case <-f.next:
		}
	}
}

// reader writes to one connection, with patience for each event.
type reader struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
}

func (r *reader) send(text []byte) error {
	_ = r.control.SetWriteDeadline(time.Now().Add(r.patience))
	if _, err := r.w.Write(text); err != nil {
		return err
	}
	return r.control.Flush()
}

// fingerprint is cheap: no list is made for it.
func (a *Answers) fingerprint() fingerprint {
	f := fingerprint{state: a.State()}
	status := a.StatusNow()
	status.AsOf.Generated = ""
	described := []any{status}
	if _, v, err := a.ready(); err == nil {
		f.version = v.Version
		w := a.watermark(v)
		w.AsOf.Generated = ""
		described = append(described, w)
	}
	text, _ := json.Marshal(described)
	f.describe = string(text)
	return f
}

// Update is the whole view now. A list that cannot be had is null.
func (a *Answers) Update() *Update {
	st, v, err := a.ready()
	u := &Update{Schema: streamSchema, Status: a.StatusNow()}
	if err != nil {
		return u
	}
	u.Watermark = a.watermark(v)
	u.AllTime, _ = a.allTime(st, v, defaultTop)
	if start, ok := v.NewestOpen(); ok {
		u.Current, _ = a.inWindow(st, v, start, defaultTop)
	}
	if v.NewestClosed != window.None {
		u.Last, _ = a.inWindow(st, v, v.NewestClosed, defaultTop)
	}
	u.Windows, _ = a.Windows(streamWindows)
	return u
}
