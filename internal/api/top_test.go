package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"windowed/internal/engine"
	"windowed/window"
)

// ranked is a top list in short: "1 latte 2, ...".
func ranked(list []engine.Ranked) string {
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "%d %s %d, ", e.Rank, e.Drink, e.Count)
	}
	return strings.TrimSuffix(b.String(), ", ")
}

// TestTop asks for every scope.
func TestTop(t *testing.T) {
	w := usual(t, Options{})
	const allTime = "1 g 7, 2 f 6, 3 e 5, 4 mocha 5, 5 d 4, 6 c 3, 7 latte 3, 8 b 2, 9 tea 2, 10 a 1"
	for _, c := range []struct {
		path, start, list, state string
		drinks                   uint64
	}{
		{"/v1/top", "", allTime, "", 10},
		{"/v1/top?scope=all-time&n=3", "", "1 g 7, 2 f 6, 3 e 5", "", 10},
		{"/v1/top?scope=all-time&n=1000", "", allTime, "", 10},
		{"/v1/top?scope=window", "2026-03-01T12:00:00Z", "1 mocha 5, 2 latte 2, 3 tea 2", "closed", 3},
		{"/v1/top?window=last", "2026-03-01T12:00:00Z", "1 mocha 5, 2 latte 2, 3 tea 2", "closed", 3},
		{"/v1/top?window=last&n=1&scope=window", "2026-03-01T12:00:00Z", "1 mocha 5", "closed", 3},
		{"/v1/top?window=current", "2026-03-01T14:00:00Z", "1 latte 1", "open", 1},
		{"/v1/top?window=2026-03-01T13:00:00Z&n=2", "2026-03-01T13:00:00Z", "1 g 7, 2 f 6", "open", 7},
		{"/v1/top?window=2026-03-01T13:00:00%2B01:00", "2026-03-01T12:00:00Z", "1 mocha 5, 2 latte 2, 3 tea 2", "closed", 3},
		{"/v1/top?window=2026-03-01T13:00:00Z&n=1000", "2026-03-01T13:00:00Z", "1 g 7, 2 f 6, 3 e 5, 4 d 4, 5 c 3, 6 b 2, 7 a 1", "open", 7},
	} {
		var top Top
		w.ok(c.path, &top)
		if ranked(top.Top) != c.list || top.Drinks != c.drinks || top.Schema != "windowed.top/v1" {
			t.Errorf("%s: %+v, not %s", c.path, top, c.list)
		}
		if top.AsOf.Watermark != "2026-03-01T13:00:00Z" || !reflect.DeepEqual(top.AsOf.Positions, map[string]int64{"0": 4, "1": 9}) || !top.AsOf.Complete {
			t.Errorf("%s: as of %+v", c.path, top.AsOf)
		}
		if (top.Window == nil) != (c.start == "") || top.Window != nil && (top.Window.Start != c.start || top.Window.State != c.state || top.Scope != "window") {
			t.Errorf("%s: window %+v, not %s %s", c.path, top.Window, c.start, c.state)
		}
	}
}

// TestTopFinal looks at what says how final a list is.
func TestTopFinal(t *testing.T) {
	w := usual(t, Options{})
	var top Top
	w.ok("/v1/top?window=last", &top)
	if x := top.Window; !x.Final || x.Revision == nil || *x.Revision != 0 || x.FinalSince != "2026-03-01T13:01:01Z" || x.InGrace || x.End != "2026-03-01T13:00:00Z" {
		t.Errorf("final: %+v", x)
	}
	top = Top{}
	w.ok("/v1/top?window=2026-03-01T13:00:00Z", &top)
	if x := top.Window; x.Final || x.Revision != nil || x.FinalSince != "" || !x.InGrace {
		t.Errorf("in its grace: %+v", x)
	}
	top = Top{}
	w.ok("/v1/top?window=current", &top)
	if x := top.Window; x.Final || x.InGrace {
		t.Errorf("open: %+v", x)
	}
	w.final(noon, 3)
	w.ok("/v1/top?window=last", &top)
	if x := top.Window; x.Revision == nil || *x.Revision != 3 {
		t.Errorf("revised: %+v", x)
	}
}

// TestTopRefuses asks wrongly, in every way.
func TestTopRefuses(t *testing.T) {
	w := usual(t, Options{})
	w.close(noon + 8*hour) // noon is the newest with a final, so it stays
	for _, c := range []struct {
		query, slug string
		status      int
		says        []string
	}{
		{"n=0", "invalid-parameter", 400, []string{"n", "1 to 1000"}},
		{"n=1001", "invalid-parameter", 400, []string{"1 to 1000"}},
		{"n=-1", "invalid-parameter", 400, []string{"1 to 1000"}},
		{"n=x", "invalid-parameter", 400, []string{`"x"`}},
		{"n=", "invalid-parameter", 400, []string{"1 to 1000"}},
		{"n=1&n=2", "invalid-parameter", 400, []string{"2 times"}},
		{"scope=x", "invalid-parameter", 400, []string{"all-time, window"}},
		{"scope=all-time&window=last", "invalid-parameter", 400, []string{"scope=all-time"}},
		{"window=yesterday", "invalid-parameter", 400, []string{"last, current"}},
		{"window=2026-03-01T12:00:00", "invalid-parameter", 400, []string{"2026-03-01T10:00:00Z"}},
		{"window=2026-03-01T12:00:00.0001Z", "invalid-parameter", 400, []string{"milliseconds"}},
		{"windw=last", "invalid-parameter", 400, []string{`"windw" is unknown`, "scope, window, n"}},
		{"format=xml", "invalid-parameter", 400, []string{"json, csv, ndjson"}},
		{"n=%zz", "invalid-parameter", 400, []string{"cannot be read"}},
		{"window=2026-03-01T12:30:00Z", "window-misaligned", 400, []string{"2026-03-01T12:00:00Z", "2026-03-01T13:00:00Z"}},
		{"window=2026-03-01T12:00:00.001Z", "window-misaligned", 400, []string{"2026-03-01T12:00:00Z"}},
		{"window=2026-03-01T18:00:00Z", "unknown-window", 404, []string{"accepted no record"}},
		{"window=2026-03-01T11:00:00Z", "window-expired", 410, []string{"expired", "--retention"}},
	} {
		w.get("/v1/top?"+c.query).refuses(c.status, c.slug, c.says...)
	}
	p := w.get("/v1/top?n=0&scope=x&what=1").refuses(400, "invalid-parameter")
	if len(p.Errors) != 3 || p.Errors[0].Parameter != "n" || p.Errors[1].Parameter != "scope" || p.Errors[2].Parameter != "what" {
		t.Errorf("errors %+v", p.Errors)
	}
}

// TestTopOfNothing asks before there is anything.
func TestTopOfNothing(t *testing.T) {
	w := newWorld(t, Options{})
	w.get("/v1/top?window=last").refuses(404, "unknown-window", "no window is closed yet")
	w.get("/v1/top?window=current").refuses(404, "unknown-window", "no window is open")
	var top Top
	w.ok("/v1/top", &top)
	if top.Top == nil || len(top.Top) != 0 || top.AsOf.Complete || top.AsOf.Positions == nil {
		t.Errorf("nothing: %+v", top)
	}
	w.close(window.None)
	w.get("/v1/top?window=last").refuses(404, "unknown-window", "[0,1]")
}

// TestTopForms asks for csv and ndjson, by parameter and by Accept.
func TestTopForms(t *testing.T) {
	w := usual(t, Options{})
	w.orders(0, noon+2*hour, "a,\"b\"", "new\nline", "=1+1")
	const csv = "scope,rank,drink,count\n" +
		"2026-03-01T14:00:00Z,1,'=1+1,3\n2026-03-01T14:00:00Z,2,\"new\nline\",2\n2026-03-01T14:00:00Z,3,\"a,\"\"b\"\"\",1\n2026-03-01T14:00:00Z,4,latte,1\n"
	for _, c := range []struct{ accept, query, media string }{
		{"", "", "application/json"},
		{"*/*", "", "application/json"},
		{"text/html, */*;q=0.1", "", "application/json"},
		{"text/csv", "", "text/csv; charset=utf-8"},
		{"text/*", "", "text/csv; charset=utf-8"},
		{"text/csv;q=0.5, application/json;q=0.4", "", "text/csv; charset=utf-8"},
		{"text/csv;q=0.5, application/json", "", "application/json"},
		{"*/*;q=0.9, application/json;q=0.1", "", "text/csv; charset=utf-8"},
		{"application/x-ndjson", "", "application/x-ndjson"},
		{"application/json", "&format=csv", "text/csv; charset=utf-8"},
		{"text/html", "&format=ndjson", "application/x-ndjson"},
		{"text/csv", "&format=json", "application/json"},
	} {
		r := w.get("/v1/top?window=current"+c.query, "Accept", c.accept)
		if got := r.Header().Get("Content-Type"); r.Code != 200 || got != c.media || r.Header().Get("Vary") != "Accept" {
			t.Errorf("%+v: %d %q", c, r.Code, got)
		}
		if saved := r.Header().Get("Content-Disposition"); (saved == `attachment; filename="windowed-top.csv"`) != (c.query == "&format=csv") {
			t.Errorf("%+v: disposition %q", c, saved)
		}
		if r.Header().Get("Windowed-Watermark") != "2026-03-01T13:00:00Z" || r.Header().Get("Windowed-Positions") != "0=7,1=9" || r.Header().Get("Windowed-Complete") != "true" {
			t.Errorf("%+v: provenance %v", c, r.Header())
		}
		switch body := r.text(); c.media {
		case "text/csv; charset=utf-8":
			if body != csv {
				t.Errorf("csv is\n%s, not\n%s", body, csv)
			}
		case "application/x-ndjson":
			lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
			var first struct {
				Scope string `json:"scope"`
				engine.Ranked
			}
			if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || len(lines) != 4 || first.Scope != "2026-03-01T14:00:00Z" || first.Ranked != (engine.Ranked{Rank: 1, Drink: "=1+1", Count: 3}) {
				t.Errorf("ndjson %+v, %v:\n%s", first, err, body)
			}
		}
	}
	w.get("/v1/top", "Accept", "text/html").refuses(http.StatusNotAcceptable, "not-acceptable", "text/csv")
	w.get("/v1/top", "Accept", "application/json;q=0").refuses(http.StatusNotAcceptable, "not-acceptable")
	w.get("/v1/status", "Accept", "text/csv").refuses(http.StatusNotAcceptable, "not-acceptable", "there is application/json")
}
