package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"windowed/internal/api"
)

// get is the body of a path.
func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%s: %s %s %v", url, resp.Status, body, err)
	}
	return string(body)
}

// bare is JSON without the moment it was made, its members in order.
func bare(t *testing.T, text string) string {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	delete(m["as_of"].(map[string]any), "generated_at")
	out, _ := json.Marshal(m)
	return string(out)
}

// TestSame asks for the same lists on the command line, over HTTP and as the page does.
func TestSame(t *testing.T) {
	addr, _ := answering(t, api.Options{})
	base := "http://" + addr
	for _, c := range []struct {
		args  []string
		query string
	}{
		{nil, "/v1/top?scope=all-time&n=10"},
		{[]string{"--all-time", "-n", "3"}, "/v1/top?n=3"},
		{[]string{"--window=last"}, "/v1/top?window=last"},
		{[]string{"--window=current", "-n", "1000"}, "/v1/top?window=current&n=1000"},
		{[]string{"--window=2026-03-01T12:00:00Z", "-n", "2"}, "/v1/top?scope=window&window=2026-03-01T12:00:00Z&n=2"},
	} {
		ask := func(form string) string {
			got := call(append([]string{"top", "--server=" + addr, "-o", form}, c.args...)...)
			got.must(t, 0)
			return got.out
		}
		if cli, http := bare(t, ask("json")), bare(t, get(t, base+c.query)); cli != http {
			t.Errorf("%s: the command line says\n%s, HTTP\n%s", c.query, cli, http)
		}
		if cli, http := ask("csv"), get(t, base+c.query+"&format=csv"); cli != http {
			t.Errorf("%s: the command line says\n%s, HTTP\n%s", c.query, cli, http)
		}
		lines := strings.Split(strings.TrimSuffix(get(t, base+c.query+"&format=ndjson"), "\n"), "\n")
		if rows := strings.Count(ask("tsv"), "\n"); rows != len(lines) {
			t.Errorf("%s: %d rows as tsv, %d as ndjson", c.query, rows, len(lines))
		}
	}
	windows := call("windows", "--server="+addr, "-o", "csv")
	if http := get(t, base+"/v1/windows?format=csv"); windows.out != http {
		t.Errorf("windows: the command line says\n%s, HTTP\n%s", windows.out, http)
	}
	page := update(t, base)
	for part, args := range map[string][]string{"all_time": nil, "last": {"--window=last"}, "current": {"--window=current"}} {
		cli := call(append([]string{"top", "--server=" + addr, "-o", "json"}, args...)...).out
		if bare(t, cli) != bare(t, string(page[part])) {
			t.Errorf("%s: the command line says\n%s, the page\n%s", part, cli, page[part])
		}
	}
	if cli := call("windows", "--server="+addr, "-o", "json").out; bare(t, cli) != bare(t, string(page["windows"])) {
		t.Errorf("windows: the command line says\n%s, the page\n%s", cli, page["windows"])
	}
}

// update is the first event of the stream that the page listens to.
func update(t *testing.T, base string) (parts map[string]json.RawMessage) {
	t.Helper()
	resp, err := http.Get(base + "/v1/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for in := bufio.NewReader(resp.Body); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			if err := json.Unmarshal([]byte(data), &parts); err != nil {
				t.Fatal(err)
			}
			return parts
		}
	}
}
