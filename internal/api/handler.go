package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"windowed/internal/engine"
	"windowed/window"
)

// Handler serves the answers under /v1, read only.
func (a *Answers) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /v1/top", a.counts(a.serveTop, "scope", "window", "n"))
	mux.Handle("GET /v1/windows", a.counts(func(url.Values) (any, error) { return a.Windows() }))
	mux.Handle("GET /v1/status", answer(func(url.Values) (any, error) { return a.StatusNow(), nil }))
	mux.Handle("GET /livez", answer(func(url.Values) (any, error) { return map[string]string{"status": "ok"}, nil }))
	mux.Handle("GET /readyz", a.counts(func(url.Values) (any, error) { return map[string]string{"status": "ok"}, nil }))
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		problem(http.StatusNotFound, "not-found", "there is nothing at %s; see /v1/top, /v1/windows, /v1/status", r.URL.Path).write(w)
	})
	return mux
}

// counts answers only when the counts are complete: never an empty 200 while they are
// being restored.
func (a *Answers) counts(f func(url.Values) (any, error), allowed ...string) http.Handler {
	return answer(func(q url.Values) (any, error) {
		phase := a.Status.Now().Phase
		if phase != engine.Running || a.State() == nil {
			if p := a.progress(); p.Active {
				return nil, problem(http.StatusServiceUnavailable, "restoring", "restoring: %d of %d changelog records", p.Done, p.Total)
			}
			return nil, problem(http.StatusServiceUnavailable, "not-ready", "not ready: %s", phase)
		}
		return f(q)
	}, allowed...)
}

func (a *Answers) progress() Progress {
	if a.Progress == nil {
		return Progress{}
	}
	return a.Progress()
}

// answer writes what f returns as JSON, or its error as a problem. A parameter that is
// not allowed is an error: a typing error must not be ignored.
func answer(f func(url.Values) (any, error), allowed ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			problem(http.StatusBadRequest, "invalid-parameter", "the query cannot be read: %v", err).write(w)
			return
		}
		for name, values := range q {
			if !slices.Contains(allowed, name) || len(values) > 1 {
				problem(http.StatusBadRequest, "invalid-parameter", "parameter %q is unknown or given twice", name).write(w)
				return
			}
		}
		body, err := f(q)
		if err != nil {
			var p *Problem
			if !errors.As(err, &p) {
				p = problem(http.StatusInternalServerError, "internal", "%v", err)
			}
			p.write(w)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_ = json.NewEncoder(w).Encode(body)
	})
}

// The length of a top list.
const (
	defaultTop = 10
	maxTop     = 1000
)

func (a *Answers) serveTop(q url.Values) (any, error) {
	n := defaultTop
	if q.Has("n") {
		var err error
		if n, err = strconv.Atoi(q.Get("n")); err != nil || n < 1 || n > maxTop {
			return nil, problem(http.StatusBadRequest, "invalid-parameter", "n is %q, not a number from 1 to %d", q.Get("n"), maxTop)
		}
	}
	scope := q.Get("scope")
	switch {
	case scope == "all-time" && !q.Has("window"), scope == "" && !q.Has("window"):
		return a.AllTime(n)
	case scope == "window", scope == "":
	default:
		return nil, problem(http.StatusBadRequest, "invalid-parameter", "scope is %q; it is all-time, or window with window=last, current or a start", scope)
	}
	start, err := a.start(q.Get("window"))
	if err != nil {
		return nil, err
	}
	return a.InWindow(start, n)
}

// start is the window that a name or a time stands for.
func (a *Answers) start(name string) (int64, error) {
	st := a.State()
	switch name {
	case "", "last":
		if start := st.NewestClosed(); start != window.None {
			return start, nil
		}
		return 0, problem(http.StatusNotFound, "unknown-window", "no window is closed yet%s", a.holding())
	case "current":
		if start, ok := st.NewestOpen(); ok {
			return start, nil
		}
		return 0, problem(http.StatusNotFound, "unknown-window", "no window is open: no order has come since the last one closed")
	}
	t, err := time.Parse(time.RFC3339, name)
	if err != nil {
		return 0, problem(http.StatusBadRequest, "invalid-parameter", "window is %q; it is last, current, or a start like 2026-03-01T10:00:00Z", name)
	}
	return t.UnixMilli(), nil
}

// holding says which partitions keep every window open.
func (a *Answers) holding() string {
	held := heldBy(a.State())
	if len(held) == 0 {
		return ""
	}
	text, _ := json.Marshal(held)
	return "; input partitions " + string(text) + " have had no order yet or are behind"
}
