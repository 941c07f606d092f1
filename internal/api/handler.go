package api

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Options of a Server. The zero value serves on a loopback address without a token.
type Options struct {
	Token   string       // what every request but the probes must carry; empty: nothing
	Public  bool         // the address is not a loopback one, so any Host may be meant
	Hosts   []string     // more Host names to answer to, such as a reverse proxy's
	Page    http.Handler // at / and /assets/; nil: none
	Metrics http.Handler // at /metrics; nil: none
	Streams int          // how many streams may be open; default 1024
}

// Server is the HTTP side of Answers: read only. Safe for concurrent use; Close ends its
// streams.
type Server struct {
	answers  *Answers
	stream   *stream
	handler  http.Handler
	patience time.Duration // that a reader may take for one answer; events have their own
}

// answerPatience is enough for a thousand names over a slow line.
const answerPatience = 30 * time.Second

// route is one path of the API.
type route struct {
	path    string // as the documentation writes it
	params  []string
	tabular bool // it comes as csv and ndjson too
	answer  func(*http.Request, *params) (any, error)
}

// routes are the paths that answer with a document.
func (a *Answers) routes() []route {
	return []route{
		{"/v1/top", []string{"scope", "window", "n", "format"}, true, a.top},
		{"/v1/windows", []string{"state", "from", "to", "limit", "cursor", "format"}, true, a.windows},
		{"/v1/windows/{start}", []string{"format"}, true, a.oneWindow},
		{"/v1/items/{drink}", []string{"from", "to", "limit", "cursor", "format"}, true, a.item},
		{"/v1/watermark", []string{"format"}, true, a.serveWatermark},
		{"/v1/status", nil, false, a.serveStatus},
		{"/livez", nil, false, live},
		{"/readyz", nil, false, a.readiness},
	}
}

// NewServer makes a Server of answers.
func NewServer(a *Answers, o Options) *Server {
	s := &Server{answers: a, stream: newStream(a, o.Streams), patience: answerPatience}
	mux := http.NewServeMux()
	for _, r := range a.routes() {
		mux.Handle("GET "+strings.Replace(r.path, "{drink}", "{drink...}", 1), a.serve(r)) // see drinkOf
	}
	mux.HandleFunc("GET /v1/stream", s.stream.serve)
	mux.HandleFunc("GET /v1/items", nothing) // or the mux would send people to /v1/items/, where nothing is either
	mux.HandleFunc("GET /problems/{slug}", strict(explain))
	mux.HandleFunc("GET /openapi.json", strict(serveDocument))
	if o.Metrics != nil {
		mux.Handle("GET /metrics", o.Metrics)
	}
	if o.Page != nil {
		mux.Handle("GET /{$}", o.Page)
		mux.Handle("GET /assets/", o.Page)
	}
	mux.HandleFunc("/", nothing)
	s.handler = guard(mux, o)
	return s
}

// ServeHTTP implements http.Handler. A reader that does not read is given up, so that it
// holds neither a connection nor memory for ever.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.patience))
	s.handler.ServeHTTP(w, r)
}

// Close ends the streams, each with a last event.
func (s *Server) Close() { s.stream.close() }

// Streams is how many streams are open.
func (s *Server) Streams() int {
	s.stream.mu.Lock()
	defer s.stream.mu.Unlock()
	return s.stream.readers
}

// nothing answers what no route takes.
func nothing(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		problem(http.StatusMethodNotAllowed, "method", "%s is not possible: everything here is read only", r.Method).write(w)
		return
	}
	problem(http.StatusNotFound, "not-found", "there is nothing at %s; see /v1/top, /v1/windows, /v1/status, and /openapi.json for the rest", r.URL.Path).write(w)
}

// strict refuses parameters where there are none.
func strict(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := newParams(r.URL.RawQuery, nil).problem(); err != nil {
			asProblem(err).write(w)
			return
		}
		next(w, r)
	}
}

// serve writes what a route answers in the form the request wants, or its error as a
// problem.
func (a *Answers) serve(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if err := a.reply(w, req, r); err != nil {
			asProblem(err).write(w)
		}
	})
}

func (a *Answers) reply(w http.ResponseWriter, req *http.Request, r route) error {
	p := newParams(req.URL.RawQuery, r.params)
	form := chosen(req, p)
	answer, err := r.answer(req, p)
	if err == nil {
		err = p.problem()
	}
	if err != nil {
		return err
	}
	body, ok, err := encode(answer, form)
	if err != nil {
		return err
	}
	if !ok {
		return problem(http.StatusNotAcceptable, "not-acceptable", "%s is not to be had as %q; %s", req.URL.Path, req.Header.Get("Accept"), forms(r))
	}
	h := w.Header()
	describe(h, req, form, p.has("format"))
	provenance(h, answer)
	h.Set("Cache-Control", a.keeping(answer))
	if tag := validator(answer, form); tag != "" {
		h.Set("ETag", tag)
		if matches(req, tag) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	_, _ = w.Write(body)
	return nil
}

func forms(r route) string {
	if r.tabular {
		return "there are application/json, text/csv and application/x-ndjson"
	}
	return "there is application/json"
}

func asProblem(err error) *Problem {
	var p *Problem
	if !errors.As(err, &p) {
		p = problem(http.StatusInternalServerError, "internal", "%v", err)
	}
	return p
}

// provenance says in headers what an answer is made from, for the forms without as_of.
func provenance(h http.Header, answer any) {
	var as *AsOf
	switch a := answer.(type) {
	case *Top:
		as = &a.AsOf
	case *Windows:
		as = &a.AsOf
	case *OneWindow:
		as = &a.AsOf
	case *Item:
		as = &a.AsOf
	case *Watermark:
		as = &a.AsOf
	default:
		return
	}
	var positions []string
	for p, offset := range as.Positions {
		positions = append(positions, fmt.Sprintf("%s=%d", p, offset))
	}
	slices.Sort(positions)
	h.Set("Windowed-Watermark", as.Watermark)
	h.Set("Windowed-Positions", strings.Join(positions, ","))
	h.Set("Windowed-Complete", fmt.Sprint(as.Complete))
}
