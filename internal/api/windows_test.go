package api

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"windowed/internal/engine"
	"windowed/window"
)

// clocks are the hours at which windows start: "14 13 12".
func clocks(lines []WindowLine) string {
	var b strings.Builder
	for i := range lines {
		b.WriteString(lines[i].Start[11:13] + " ")
	}
	return strings.TrimSpace(b.String())
}

// TestWindows lists windows by every parameter.
func TestWindows(t *testing.T) {
	w := usual(t, Options{})
	for query, want := range map[string]string{
		"":                          "14 13 12",
		"state=open":                "14 13",
		"state=closed":              "12",
		"state=expired":             "",
		"from=2026-03-01T13:00:00Z": "14 13",
		"from=2026-03-01T12:00:00.001Z&to=2026-03-01T14:00:00Z": "13",
		"to=2026-03-01T13:00:00Z":                               "12",
		"to=2026-03-01T14:00:00%2B01:00":                        "12",
		"from=2026-03-01T14:00:00Z&to=2026-03-01T14:00:00Z":     "",
		"from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z":     "",
		"limit=2":              "14 13",
		"limit=1&state=closed": "12",
		"limit=500":            "14 13 12",
	} {
		var list Windows
		w.ok("/v1/windows?"+query, &list)
		if clocks(list.Windows) != want || list.Schema != "windowed.windows/v1" || list.Size != "1h0m0s" {
			t.Errorf("%s: %s, not %s", query, clocks(list.Windows), want)
		}
		if more := query == "limit=2"; list.Truncated != more || (list.Next != "") != more {
			t.Errorf("%s: truncated %v, next %q", query, list.Truncated, list.Next)
		}
	}
	var list Windows
	w.ok("/v1/windows", &list)
	open, grace, closed := list.Windows[0], list.Windows[1], list.Windows[2]
	if open.State != "open" || open.InGrace || grace.State != "open" || !grace.InGrace || closed.State != "closed" || closed.InGrace || !closed.Final {
		t.Errorf("states: %+v", list.Windows)
	}
	if closed.Records != 5 || closed.Total != 9 || closed.Drinks != 3 || !slices.Equal(list.HeldBy, []int32{1}) {
		t.Errorf("numbers: %+v, held back by %v", closed, list.HeldBy)
	}
}

// TestWindowsRefuses gives every parameter a value it may not have.
func TestWindowsRefuses(t *testing.T) {
	w := usual(t, Options{})
	for query, says := range map[string]string{
		"state=shut": "open, closed, expired", "limit=0": "1 to 500", "limit=501": "1 to 500", "from=today": "2026-03-01T10:00:00Z",
		"to=1772366400": "2026-03-01T10:00:00Z", "from=": "from", "cursor=x": "next_cursor", "cursor=": "next_cursor",
		"cursor=AAAAAAAAAAE": "next_cursor", "order=asc": "unknown", "to=2026-03-01T10:00:00.00001Z": "milliseconds",
	} {
		w.get("/v1/windows?"+query).refuses(400, "invalid-parameter", says)
	}
}

// TestWindowsPages follows the cursor through many windows, of all states and of one;
// more windows than one look goes through.
func TestWindowsPages(t *testing.T) {
	w := newWorld(t, Options{})
	w.close(window.None)
	const many = 1300
	for i := range int64(many) {
		w.orders(int32(i%2), noon+i*hour, "tea")
		if i < many/2 {
			w.final(noon+i*hour, 0)
		}
	}
	// The windows before the retention that ends with the newest closed one are expired.
	for _, state := range []string{"", "open", "closed", "expired"} {
		var seen []string
		query := url.Values{"limit": {"37"}}
		if state != "" {
			query.Set("state", state)
		}
		for pages := 0; ; pages++ {
			var list Windows
			w.ok("/v1/windows?"+query.Encode(), &list)
			for _, line := range list.Windows {
				if state != "" && line.State != state {
					t.Fatalf("%s in the list of %s", line.State, state)
				}
				seen = append(seen, line.Start)
			}
			if list.Next == "" {
				break
			}
			if len(list.Windows) != 37 || pages > many {
				t.Fatalf("page %d of %q has %d windows", pages, state, len(list.Windows))
			}
			query.Set("cursor", list.Next)
		}
		want := map[string]int{"": many, "open": many / 2, "closed": 6, "expired": many/2 - 6}[state]
		if len(seen) != want || !slices.IsSortedFunc(seen, func(a, b string) int { return strings.Compare(b, a) }) || len(slices.Compact(seen)) != want {
			t.Errorf("%q: %d windows, not %d in order", state, len(seen), want)
		}
	}
}

// TestOneWindow asks for windows by their start.
func TestOneWindow(t *testing.T) {
	w := usual(t, Options{})
	var one OneWindow
	w.ok("/v1/windows/2026-03-01T12:00:00Z", &one)
	if one.Schema != "windowed.window/v1" || !one.Final || one.Records != 5 || one.Total != 9 || one.AsOf.Watermark == "" {
		t.Errorf("%+v", one)
	}
	w.ok("/v1/windows/2026-03-01T15:00:00+01:00", &one)
	if one.Start != "2026-03-01T14:00:00Z" {
		t.Errorf("with a zone: %+v", one)
	}
	w.get("/v1/windows/2026-03-01T12:00:01Z").refuses(400, "window-misaligned", "neighbours")
	w.get("/v1/windows/2026-03-01T16:00:00Z").refuses(404, "unknown-window")
	w.get("/v1/windows/last").refuses(400, "invalid-parameter", "start")
	w.get("/v1/windows/2026-03-01T12:00:00Z?n=1").refuses(400, "invalid-parameter", "unknown")
	w.close(noon + 8*hour)
	w.get("/v1/windows/2026-03-01T11:00:00Z").refuses(410, "window-expired")

	r := w.get("/v1/windows/2026-03-01T12:00:00Z?format=csv").text()
	if r != "start,end,state,final,revision,orders,portions,drinks,late_orders,late_portions\n2026-03-01T12:00:00Z,2026-03-01T13:00:00Z,closed,true,0,5,9,3,0,0\n" {
		t.Errorf("csv:\n%s", r)
	}
	if r := w.get("/v1/windows?format=csv").text(); strings.Count(r, "\n") != 4 || !strings.Contains(r, "2026-03-01T14:00:00Z,2026-03-01T15:00:00Z,closed,false,,1,1,1,0,0\n") {
		t.Errorf("csv of all:\n%s", r)
	}
	if r := w.get("/v1/windows?format=ndjson").text(); strings.Count(r, "\n") != 3 || !strings.HasPrefix(r, `{"start":"2026-03-01T14:00:00Z"`) {
		t.Errorf("ndjson of all:\n%s", r)
	}
}

// awkward are names that a path may lose or bend.
var awkward = []string{
	"latte", "a/b", "/", "//", ".", "..", "a/../b", "%", "%2F", "?x=1", "#", "a b", "+", ";", "é", "e\u0301", "\x00", "\n", "<b>", `"`, "tea:all", "😀", strings.Repeat("x", 1024),
}

// escapePath is what url.PathEscape leaves, with the dots that clients and servers clean.
func escapePath(name string) string { return strings.ReplaceAll(url.PathEscape(name), ".", "%2E") }

// TestWatermark looks at the times, the lag and who holds the windows back.
func TestWatermark(t *testing.T) {
	w := usual(t, Options{})
	var m Watermark
	w.ok("/v1/watermark", &m)
	if m.Schema != "windowed.watermark/v1" || m.CloseThrough != "2026-03-01T13:00:00Z" || !slices.Equal(m.HeldBy, []int32{1}) || len(m.Partitions) != 2 {
		t.Fatalf("%+v", m)
	}
	p, q := m.Partitions[0], m.Partitions[1]
	if p.Watermark != "2026-03-01T14:59:59.999Z" || p.CloseThrough != "2026-03-01T14:58:59.999Z" || p.Next != 4 || p.Lag == nil || *p.Lag != 5 || p.HoldsBack || p.Stopped != "" {
		t.Errorf("partition 0: %+v", p)
	}
	// Its last stable offset was asked for before the last orders were counted.
	if q.Next != 9 || q.Lag == nil || *q.Lag != 0 || !q.HoldsBack || q.Stopped != "a batch cannot be read" {
		t.Errorf("partition 1: %+v", q)
	}
	if r := w.get("/v1/watermark?format=csv").text(); !strings.HasPrefix(r, "partition,watermark,close_through,idle,next_offset,lag,holds_back,stopped\n0,2026-03-01T14:59:59.999Z,") {
		t.Errorf("csv:\n%s", r)
	}
	w.get("/v1/watermark?n=1").refuses(400, "invalid-parameter")

	empty := newWorld(t, Options{})
	empty.ok("/v1/watermark", &m)
	if m.HeldBy == nil || m.Partitions == nil || len(m.Partitions) != 0 {
		t.Errorf("nothing: %+v", m)
	}
}

// TestWatermarkAsks: who asks once gets a lag too, since the last stable offsets are
// waited for, and never one that is made from old offsets.
func TestWatermarkAsks(t *testing.T) {
	w := usual(t, Options{})
	status := func(at time.Time) {
		w.answers.Status.Set(engine.StatusNow{Phase: engine.Running, Ends: engine.Ends{Orders: map[int32]int64{0: 9, 1: 9}, At: at}})
	}
	status(time.Now().Add(-time.Hour))
	if m, err := w.answers.Watermark(); err != nil || m.Partitions[0].Lag != nil {
		t.Errorf("offsets of an hour ago make a lag: %+v, %v", m.Partitions[0], err)
	}
	time.AfterFunc(100*time.Millisecond, func() { status(time.Now()) })
	var m Watermark
	w.ok("/v1/watermark", &m)
	if lag := m.Partitions[0].Lag; lag == nil || *lag != 5 {
		t.Errorf("a lag that is not waited for: %+v", m.Partitions[0])
	}
	w.answers.Status.Set(engine.StatusNow{Phase: engine.Running})
	began := time.Now()
	w.ok("/v1/watermark", &m)
	if took := time.Since(began); m.Partitions[0].Lag != nil || took < endsWait {
		t.Errorf("brokers that do not answer: %+v after %v", m.Partitions[0], took)
	}
	w.get("/v1/watermark?n=1").refuses(400, "invalid-parameter") // without waiting
}

// TestStatus looks at what the process says of itself.
func TestStatus(t *testing.T) {
	w := usual(t, Options{})
	var s Status
	w.ok("/v1/status", &s)
	bad := s.Refused["malformed"]
	if s.Phase != "running" || s.Version != "test" || s.Records != 13 || s.Counted != 13 || s.Commits != 7 || !slices.Equal(s.Owned, []int32{0, 1}) || len(s.Partitions) != 2 {
		t.Errorf("%+v", s)
	}
	if len(bad) != 1 || bad[0] != (Refused{Partition: 1, Offset: 4, Error: "not JSON", At: "2026-03-01T12:00:00Z"}) {
		t.Errorf("last invalid records: %+v", s.Refused)
	}
	if _, ok := s.Invalid["future"]; !ok || s.Stopped[1] == "" || s.AsOf.Generated == "" {
		t.Errorf("%+v", s)
	}
	w.get("/v1/status?format=json").refuses(400, "invalid-parameter", "there are none")
}

// TestRestoring asks for everything while the counts are restored: never an empty answer.
func TestRestoring(t *testing.T) {
	w := usual(t, Options{})
	w.restoring()
	for _, path := range []string{
		"/v1/top", "/v1/top?window=last", "/v1/top?window=2026-03-01T12:00:00Z", "/v1/windows", "/v1/windows/2026-03-01T12:00:00Z",
		"/v1/items/tea", "/v1/items/nobody", "/v1/watermark", "/readyz",
	} {
		r := w.get(path)
		p := r.refuses(503, "restoring", "63 of 100")
		if p.Restore == nil || p.Restore.Done != 63 || p.Restore.Seconds != 3.7 || r.Header().Get("Retry-After") == "" || r.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %+v, %v", path, p.Restore, r.Header())
		}
	}
	var s Status
	w.ok("/v1/status", &s)
	if s.Phase != "restoring" || !s.Restore.Active || s.Restore.Done != 63 {
		t.Errorf("status: %+v", s)
	}
	w.ok("/livez", new(map[string]string))

	w.answers.Progress = nil
	w.get("/v1/top").refuses(503, "not-ready", "restoring")
	w.answers.Status.Set(engine.StatusNow{Phase: engine.Running})
	w.ok("/readyz", new(map[string]string))
	_ = w.st.Close()
	for _, path := range []string{"/v1/top", "/v1/windows", "/v1/items/tea", "/readyz"} {
		w.get(path).refuses(503, "not-ready", "closed")
	}
	w.st = nil
	w.get("/v1/top").refuses(503, "not-ready")
	w.ok("/v1/status", &s)
}
