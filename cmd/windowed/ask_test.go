package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"windowed/internal/api"
	"windowed/internal/engine"
	"windowed/internal/exit"
	"windowed/state"
)

const testToken = "a token that is long enough"

// TestAskToken asks a windowed that wants a token.
func TestAskToken(t *testing.T) {
	addr, _ := answering(t, api.Options{Token: testToken})
	file := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{"top", "windows"} {
		t.Setenv("WINDOWED_HTTP_TOKEN", "")
		call(command, "--server="+addr).must(t, exit.Usage, "--http-token-file", "WINDOWED_HTTP_TOKEN")
		write(testToken + "\n")
		call(command, "--server="+addr, "--http-token-file="+file).must(t, exit.OK)
		write("another token that is long")
		call(command, "--server="+addr, "--http-token-file="+file).must(t, exit.Usage, "token")
		write(" \n")
		call(command, "--server="+addr, "--http-token-file="+file).must(t, exit.Usage, "is empty")
		write("short")
		call(command, "--server="+addr, "--http-token-file="+file).must(t, exit.Usage, "5 characters", "16")
		call(command, "--server="+addr, "--http-token-file="+file+".no").must(t, exit.Usage, "token-file")
		t.Setenv("WINDOWED_HTTP_TOKEN", testToken)
		call(command, "--server="+addr).must(t, exit.OK)
	}
	t.Setenv("WINDOWED_HTTP_TOKEN", "")
	call("healthcheck", "--server="+addr).must(t, exit.OK, "ok") // probes need none
}

// TestHealthcheck probes what is well, what restores, and nobody.
func TestHealthcheck(t *testing.T) {
	addr, _ := answering(t, api.Options{})
	call("healthcheck", "--server="+addr).must(t, exit.OK, "ok")
	call("healthcheck", "--server="+addr, "--ready").must(t, exit.OK, "ok")

	answers := &api.Answers{State: func() *state.State { return nil }, Config: &engine.Config{Window: 1000}, Status: new(engine.Status)}
	starting := httptest.NewServer(api.NewServer(answers, api.Options{}))
	defer starting.Close()
	there := "--server=" + strings.TrimPrefix(starting.URL, "http://")
	call("healthcheck", there).must(t, exit.OK, "ok")
	call("healthcheck", there, "--ready").must(t, exit.NotReady, "starting")
	starting.Close()
	call("healthcheck", there).must(t, exit.NotReady, "is it running?")

	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "http.addr"), []byte(addr+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	call("healthcheck", "--state="+dir).must(t, exit.OK, "ok") // as in an image
}

// TestAskOthers asks servers that are not windowed.
func TestAskOthers(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/windows" {
			w.WriteHeader(http.StatusTeapot)
		}
		_, _ = w.Write([]byte("<html>"))
	}))
	defer other.Close()
	there := "--server=" + strings.TrimPrefix(other.URL, "http://")
	call("top", there).must(t, exit.Failure, "not one of windowed", "--server")
	call("windows", there).must(t, exit.Failure, "418")
	call("top", "--server=::").must(t, exit.Usage, "--server")
}

// TestAskForms prints every command's rows in every form.
func TestAskForms(t *testing.T) {
	addr, _ := answering(t, api.Options{})
	server := "--server=" + addr
	for _, c := range []struct {
		args []string
		want map[string]string
	}{
		{[]string{"windows", server}, map[string]string{
			"table": "2026-03-01T12:00:00Z  2026-03-01T13:00:00Z  closed  yes ", "json": `{"schema":"windowed.windows/v1"`,
			"csv": "start,end,state,final", "tsv": "2026-03-01T13:00:00Z\t2026-03-01T14:00:00Z\topen\tfalse\t\t8\t36\t8\t0\t0\n",
		}},
		{[]string{"top", server, "-n", "3"}, map[string]string{
			"table": "   3  new�line            98\n", "json": `{"schema":"windowed.top/v1"`,
			"csv": "all-time,1,latte,100\n", "tsv": "all-time\t2\ttab\\there\t99\n",
		}},
		{[]string{"healthcheck", server}, map[string]string{"table": "ok\n", "json": `{"status":"ok"}`, "csv": "status\nok\n", "tsv": "ok\n"}},
		{[]string{"version"}, map[string]string{"table": "windowed dev\n", "json": `"version":"dev"}`, "csv": "version,go,platform\ndev,go", "tsv": "dev\tgo"}},
	} {
		for form, want := range c.want {
			call(append(c.args, "-o", form)...).must(t, exit.OK, want)
		}
		call(append(c.args, "-o", "xml")...).must(t, exit.Usage, "xml")
	}
	if out := call("top", server).out; strings.ContainsAny(out, "\x1b\t") {
		t.Errorf("the table holds control characters: %q", out)
	}
}

// TestFormsEverywhere: a command that prints what it has found has all forms. The others
// go on until they are stopped, or print a script.
func TestFormsEverywhere(t *testing.T) {
	parser, err := kong.New(new(cli))
	if err != nil {
		t.Fatal(err)
	}
	without := map[string]bool{"run": true, "serve": true, "seed": true, "completion": true}
	for _, leaf := range parser.Model.Leaves(false) {
		has := slices.Equal(values(leaf, "--output"), []string{"table", "json", "csv", "tsv"}) && slices.Equal(values(leaf, "-o"), values(leaf, "--output"))
		if name := strings.TrimPrefix(leaf.Path(), "windowed "); has == without[name] {
			t.Errorf("%q has -o table|json|csv|tsv: %v", name, has)
		}
	}
}
