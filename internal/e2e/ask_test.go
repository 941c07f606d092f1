//go:build unix

package e2e

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// hostile are names that try to break out of an output.
var hostile = []string{
	"tab\there", "new\nline", "cr\rhere", `back\slash`, `quote"d`, "comma,d", "=1+1", "-1", "@x", "+1",
	"\x1b[31mred", "\u202eleft", "<script>alert(1)</script>", "a:b:12", ":all", "tea:all", "nul\x00", "\u00e9", "e\u0301", " ", strings.Repeat("long", 256),
}

// TestAsk asks in all forms, with hostile names.
func TestAsk(t *testing.T) {
	t.Parallel()
	p := newPlace(t, steady...)
	p.topics(1, nil)
	g := p.start().running()
	o := g.broker()
	for i, name := range hostile {
		o.send(to(0, one(noon, name, uint64(1000-i))))
	}
	o.send(to(0, one(noon+2*hour, "tea", 1)), to(0, one(noon+2*hour, "mocha", 1)))
	g.reaches(o.ends(names.Orders))
	eventually(t, "noon to close", func() error { return said(p.run("windows").out, "closed") })
	e := modelled(t, o, hourly)

	for _, scope := range []struct {
		args  []string
		label string
		want  []ranked
	}{
		{nil, "all-time", e.allTime.top(10)},
		{[]string{"--all-time", "-n", "100"}, "all-time", e.allTime.top(100)},
		{[]string{"--window=last", "-n", "1000"}, label(noon), e.windows[noon].top(1000)},
		{[]string{"--window=current", "-n", "1"}, label(noon + 2*hour), e.windows[noon+2*hour].top(1)},
		{[]string{"--window=2026-03-01T12:00:00Z", "-n", "3"}, label(noon), e.windows[noon].top(3)},
		{[]string{"--window=2026-03-01T13:00:00+01:00", "-n", "3"}, label(noon), e.windows[noon].top(3)},
	} {
		ask := func(form string) string {
			return p.run(append([]string{"top", "-o", form}, scope.args...)...).ok()
		}
		if have := ask("tsv"); have != tsv(scope.label, scope.want) {
			t.Errorf("%v: tsv is\n%q, not\n%q", scope.args, have, tsv(scope.label, scope.want))
		}
		var top topAnswer
		if err := json.Unmarshal([]byte(ask("json")), &top); err != nil || !slices.Equal(top.Top, scope.want) {
			t.Errorf("%v: json is %v (%v), not %v", scope.args, top.Top, err, scope.want)
		}
		checkCSV(t, ask("csv"), scope.label, scope.want)
		checkTable(t, ask("table"), len(scope.want))
	}
	checkWindowsForms(t, p, g)
	g.stop()
}

// tsv is a list as tsv.
func tsv(scope string, list []ranked) string {
	var b strings.Builder
	escape := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	for _, row := range list {
		fmt.Fprintf(&b, "%s\t%d\t%s\t%d\n", scope, row.Rank, escape.Replace(row.Drink), row.Count)
	}
	return b.String()
}

// checkCSV reads csv back. A name that a spreadsheet would take for a formula has a quote
// in front; otherwise names come back as they are. (A carriage return before a newline
// does not survive encoding/csv's reader; none of the names has one.)
func checkCSV(t *testing.T, text, scope string, want []ranked) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != len(want)+1 || !slices.Equal(rows[0], []string{"scope", "rank", "drink", "count"}) {
		t.Errorf("csv: %v, %d rows\n%s", err, len(rows), text)
		return
	}
	for i, row := range want {
		name := row.Drink
		if strings.ContainsAny(name[:1], "=+-@\t\r") {
			name = "'" + name
		}
		if r := rows[i+1]; !slices.Equal(r, []string{scope, fmt.Sprint(row.Rank), name, fmt.Sprint(row.Count)}) {
			t.Errorf("csv row %q, not %v", r, row)
		}
	}
}

// checkTable checks that a table is what a terminal may show: one line a drink, no
// control characters.
func checkTable(t *testing.T, text string, rows int) {
	t.Helper()
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) != rows+2 {
		t.Errorf("a table of %d lines for %d drinks:\n%s", len(lines), rows, text)
	}
	for _, r := range text {
		if r != '\n' && r < ' ' || r == 0x7f || r == '\u202e' {
			t.Errorf("a table with character %U:\n%q", r, text)
			return
		}
	}
}

func checkWindowsForms(t *testing.T, p *place, g *program) {
	t.Helper()
	list := g.windows()
	if len(list.Windows) != 2 || list.Windows[0].State != "open" || list.Windows[1].State != "closed" || !list.Windows[1].Final {
		t.Fatalf("windows: %+v", list.Windows)
	}
	var again windowsAnswer
	if err := json.Unmarshal([]byte(p.run("windows", "-o", "json").ok()), &again); err != nil || len(again.Windows) != 2 || again.Schema != "windowed.windows/v1" {
		t.Errorf("json: %v, %+v", err, again)
	}
	w := list.Windows[1]
	line := fmt.Sprintf("2026-03-01T12:00:00Z,2026-03-01T13:00:00Z,closed,true,0,%d,%d,%d,0,0", w.Records, w.Total, w.Drinks)
	mustSay(t, p.run("windows", "-o", "csv").ok(), "start,end,state,final,revision,orders,portions,drinks,late_orders,late_portions\n", line)
	mustSay(t, p.run("windows", "-o", "tsv").ok(), strings.ReplaceAll(line, ",", "\t"))
	mustSay(t, p.run("windows").ok(), "START", "2026-03-01T12:00:00Z", "closed", "yes", "open", "no")
}

// TestAskWrong asks for what is not there, or not at all.
func TestAskWrong(t *testing.T) {
	t.Parallel()
	p := newPlace(t, steady...)
	p.run("top").exits(4, "is it running?", "--server", "--state")
	p.run("windows").exits(4, "is it running?")
	g := p.start().running()

	p.run("top", "--window=last").exits(4, "no window is closed yet", "[0,1,2,3]")
	p.run("top", "--window=current").exits(4, "no window is open")
	p.run("top", "--window=yesterday").exits(2, "yesterday", "last, current")
	p.run("top", "--window=2026-03-01T12:30:00Z").exits(2, "2026-03-01T12:00:00Z", "2026-03-01T13:00:00Z")
	p.run("top", "--window=2026-03-01T12:00:00Z").exits(4, "accepted no record")
	p.run("top", "--window=last", "--all-time").exits(2, "--all-time", "--window")
	p.run("top", "-n", "0").exits(2, "-n", "1000")
	p.run("top", "-n", "1001").exits(2, "-n", "1000")
	p.run("top", "-o", "xml").exits(2, "xml")
	p.run("top", "--server="+g.address()).ok()
	p.run("top", "--server="+nobody(t)).exits(4, "--server")
	p.run("top", "--server="+silent(t), "--timeout=300ms").exits(4)
	for path, code := range map[string]int{
		"/v1/top?n=x": 400, "/v1/top?n=1001": 400, "/v1/top?scope=x": 400, "/v1/top?what=1": 400, "/v1/top?n=1&n=2": 400,
		"/v1/top?scope=all-time&window=last": 400, "/nothing": 404, "/livez": 200, "/readyz": 200,
	} {
		resp, err := client.Get("http://" + g.address() + path)
		if err != nil {
			t.Fatal(err)
		}
		var problem struct {
			Detail string `json:"detail"`
			Status int    `json:"status"`
		}
		_ = json.NewDecoder(resp.Body).Decode(&problem)
		resp.Body.Close()
		if resp.StatusCode != code || code >= 400 && (problem.Status != code || problem.Detail == "") {
			t.Errorf("%s: %d, %+v; not %d", path, resp.StatusCode, problem, code)
		}
	}
	resp, err := client.Post("http://"+g.address()+"/v1/top", "text/plain", nil)
	if err != nil || resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a POST: %v, %v", resp, err)
	}
	g.stop()
}
