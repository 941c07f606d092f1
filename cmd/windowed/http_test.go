package main

import (
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windowed/internal/api"
	"windowed/internal/engine"
	"windowed/internal/exit"
	"windowed/internal/instance"
	"windowed/state"
)

// TestHTTPFlags: an address that others can reach needs a token or consent.
func TestHTTPFlags(t *testing.T) {
	t.Setenv("WINDOWED_HTTP_TOKEN", "")
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(testToken), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags httpFlags
		says  string // empty: allowed
	}{
		{httpFlags{HTTP: "127.0.0.1:8080"}, ""},
		{httpFlags{HTTP: "localhost:0"}, ""},
		{httpFlags{HTTP: "[::1]:8080"}, ""},
		{httpFlags{HTTP: ""}, ""},
		{httpFlags{HTTP: "0.0.0.0:8080"}, "--http-token-file"},
		{httpFlags{HTTP: ":8080"}, "--insecure-http"},
		{httpFlags{HTTP: "10.1.2.3:8080"}, "--insecure-http"},
		{httpFlags{HTTP: "example.com:80"}, "--insecure-http"},
		{httpFlags{HTTP: "0.0.0.0:8080", InsecureHTTP: true}, ""},
		{httpFlags{HTTP: "0.0.0.0:8080", HTTPTokenFile: token}, ""},
		{httpFlags{HTTP: "127.0.0.1:8080", HTTPTokenFile: token + ".no"}, "--http-token-file"},
		{httpFlags{HTTP: "127.0.0.1:8080", Pprof: "127.0.0.1:6060"}, ""},
		{httpFlags{HTTP: "127.0.0.1:8080", Pprof: ":6060"}, "--pprof"},
		{httpFlags{HTTP: "0.0.0.0:8080", InsecureHTTP: true, Pprof: "0.0.0.0:6060"}, "--pprof"},
	} {
		err := c.flags.check()
		if (err == nil) != (c.says == "") || err != nil && (exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%+v: %v", c.flags, err)
		}
	}
	t.Setenv("WINDOWED_HTTP_TOKEN", testToken)
	if err := (&httpFlags{HTTP: "0.0.0.0:8080"}).check(); err != nil {
		t.Errorf("with a token in the environment: %v", err)
	}
	// TLS to the brokers protects nothing here.
	t.Setenv("WINDOWED_HTTP_TOKEN", "")
	state := filepath.Join(t.TempDir(), "state")
	for _, command := range []string{"run", "serve"} {
		call(command, "--http=0.0.0.0:0", "--tls", "--brokers=127.0.0.1:1", "--state="+state).must(t, exit.Usage, "can be reached by others")
	}
	if _, err := os.Stat(state); err == nil {
		t.Error("a refused start leaves a state directory")
	}
}

// serving is a job that serves, without a broker.
func serving(t *testing.T, flags httpFlags) (*job, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state")
	dir, err := instance.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	j := &job{cmd: &runCmd{httpFlags: flags}, log: slog.New(slog.DiscardHandler), status: new(engine.Status), dir: dir}
	j.watch()
	answers := &api.Answers{State: func() *state.State { return nil }, Config: &engine.Config{Window: 1000}, Status: j.status}
	if err := j.serve(answers); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(instance.AddrFile(path))
	if err != nil {
		t.Fatal(err)
	}
	return j, strings.TrimSpace(string(text))
}

// TestServe looks at everything that one listener has, and at what it has not.
func TestServe(t *testing.T) {
	j, addr := serving(t, httpFlags{HTTP: "127.0.0.1:0"})
	j.holder.set(nil)
	for path, want := range map[string]string{
		"/": "<!doctype html>", "/v1/status": `"phase":"starting"`, "/metrics": `windowed_state{state="starting"} 1`, "/livez": "ok", "/openapi.json": `"openapi"`,
		"/readyz": "not-ready", "/v1/top": "not-ready", "/debug/pprof/": "not-found",
	} {
		resp, err := http.Get("http://" + addr + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if !strings.Contains(string(body), want) || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %s %.200s", path, resp.Status, body)
		}
	}
	stream, err := http.Get("http://" + addr + "/v1/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	j.close()
	if rest, _ := io.ReadAll(stream.Body); !strings.Contains(string(rest), "event: bye") {
		t.Errorf("the stream ends with %.200q", rest)
	}
	if _, err := http.Get("http://" + addr + "/livez"); err == nil {
		t.Error("it still answers")
	}
}

// TestProfile serves profiles where they were asked for, and nowhere else.
func TestProfile(t *testing.T) {
	l := listen(t)
	j, addr := serving(t, httpFlags{HTTP: "127.0.0.1:0", Pprof: l})
	defer j.close()
	for url, want := range map[string]int{"http://" + l + "/debug/pprof/cmdline": 200, "http://" + l + "/v1/status": 404, "http://" + addr + "/debug/pprof/": 404} {
		resp, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %s", url, resp.Status)
		}
	}
	k := &job{cmd: &runCmd{httpFlags: httpFlags{Pprof: l}}, log: j.log, status: j.status, dir: j.dir}
	k.watch()
	if err := k.serve(nil); exit.Code(err) != exit.Usage {
		t.Errorf("an address that is taken: %v", err)
	}
}

// TestServeTaken: the default address gives way, a chosen one does not.
func TestServeTaken(t *testing.T) {
	j, addr := serving(t, httpFlags{HTTP: defaultHTTP})
	defer j.close()
	k, other := serving(t, httpFlags{HTTP: defaultHTTP})
	defer k.close()
	if addr == other {
		t.Errorf("both answer at %s", addr)
	}
	l := &job{cmd: &runCmd{httpFlags: httpFlags{HTTP: other}}, log: j.log, status: j.status, dir: j.dir}
	l.watch()
	if err := l.serve(nil); exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "--http") {
		t.Errorf("a chosen address that is taken: %v", err)
	}
}
