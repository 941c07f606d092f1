package api

import (
	"net/http"
	"strings"
	"testing"

	"windowed/internal/engine"
	"windowed/state"
	"windowed/window"
)

// TestCacheControl looks at how long each answer may be kept.
func TestCacheControl(t *testing.T) {
	const final, amended, asked = "max-age=3600, immutable", "max-age=5", "no-cache"
	for path, want := range map[string][2]string{ // without and with amendments
		"/v1/top?window=2026-03-01T12:00:00Z":     {final, amended},
		"/v1/top?window=2026-03-01T12:00:00Z&n=3": {final, amended},
		"/v1/top?window=2026-03-01T13:00:00Z":     {asked, asked}, // open
		"/v1/top?window=last":                     {asked, asked}, // another window soon
		"/v1/top":                                 {asked, asked},
		"/v1/windows/2026-03-01T12:00:00Z":        {asked, asked}, // late counts grow
		"/v1/windows":                             {asked, asked},
		"/v1/items/tea":                           {asked, asked},
		"/v1/watermark":                           {asked, asked},
		"/v1/status":                              {asked, asked},
		"/v1/top?n=0":                             {"no-store", "no-store"},
	} {
		for i, mode := range []engine.LateMode{engine.DeadLetterLate, engine.AmendLate} {
			w := usual(t, Options{})
			w.answers.Config.Late = mode
			if got := w.get(path).Header().Get("Cache-Control"); got != want[i] {
				t.Errorf("%s, late mode %v: %q, not %q", path, mode, got, want[i])
			}
		}
	}
}

// TestETag asks again with what an answer was known by, after something happened.
func TestETag(t *testing.T) {
	paths := []string{
		"/v1/top", "/v1/top?window=last", "/v1/top?window=2026-03-01T12:00:00Z", "/v1/top?window=current",
		"/v1/windows", "/v1/windows/2026-03-01T12:00:00Z", "/v1/items/tea", "/v1/items/g", "/v1/watermark",
	}
	// What has another answer afterwards; the others must answer 304.
	for name, c := range map[string]struct {
		do      func(*world)
		changes string
	}{
		"nothing": {func(*world) {}, ""},
		"an order of the open window": {func(w *world) { w.orders(0, noon+2*hour, "tea") },
			"/v1/top /v1/top?window=current /v1/windows /v1/items/tea /v1/items/g /v1/watermark"},
		"a revision": {func(w *world) { w.final(noon, 1) },
			"/v1/top?window=last /v1/top?window=2026-03-01T12:00:00Z /v1/windows /v1/windows/2026-03-01T12:00:00Z /v1/items/tea /v1/items/g"},
		"a late order": {func(w *world) {
			w.apply(0, state.Change{Kind: state.NumbersKind, Scope: window.At(noon), Numbers: &window.Numbers{Records: 3, Portions: 6, LateRecords: 1, LatePortions: 1}})
		}, "/v1/windows /v1/windows/2026-03-01T12:00:00Z"},
	} {
		w := usual(t, Options{})
		tags := make(map[string]string)
		for _, path := range paths {
			tags[path] = w.get(path).Header().Get("ETag")
		}
		c.do(w)
		for _, path := range paths {
			r := w.get(path, "If-None-Match", `"other", `+tags[path])
			want := http.StatusNotModified
			for _, changed := range strings.Fields(c.changes) {
				if changed == path {
					want = http.StatusOK
				}
			}
			if r.Code != want || (r.Code == 304) != (r.Body.Len() == 0) {
				t.Errorf("after %s %s: %d with %s, not %d", name, path, r.Code, tags[path], want)
			}
		}
	}
	w := usual(t, Options{})
	last := w.get("/v1/top?window=last").Header().Get("ETag")
	if !strings.HasPrefix(last, `W/"r0-`) {
		t.Errorf("the tag %s does not name the revision", last)
	}
	if csv := w.get("/v1/top?window=last&format=csv").Header().Get("ETag"); csv == last {
		t.Errorf("csv and json have the same tag")
	}
	if r := w.get("/v1/top?window=last", "If-None-Match", "*"); r.Code != 304 {
		t.Errorf("If-None-Match * : %d", r.Code)
	}
	if r := w.get("/v1/top?window=last", "If-None-Match", strings.TrimPrefix(last, "W/")); r.Code != 304 {
		t.Errorf("a strong tag is compared weakly: %d", r.Code)
	}
	w.restoring()
	w.get("/v1/top?window=last", "If-None-Match", last).refuses(503, "restoring")
}
