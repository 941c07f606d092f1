package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, method, address string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, address, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func TestHandler(t *testing.T) {
	for _, c := range []struct {
		method, address string
		status          int
		mime            string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8"},
		{"GET", "/?window=2026-03-01T10:00:00Z", 200, "text/html; charset=utf-8"},
		{"HEAD", "/", 200, "text/html; charset=utf-8"},
		{"GET", "/assets/app.js", 200, "text/javascript; charset=utf-8"},
		{"GET", "/assets/page.css", 200, "text/css; charset=utf-8"},
		{"GET", "/assets/icon.svg", 200, "image/svg+xml"},
		{"GET", "/assets/vendor/uplot/LICENSE", 200, "text/plain; charset=utf-8"},
		{"GET", "/index.html", 404, ""},
		{"GET", "/assets/", 404, ""},
		{"GET", "/assets/../index.html", 404, ""},
		{"GET", "/nothing", 404, ""},
		{"POST", "/", 405, ""},
	} {
		answer := get(t, c.method, c.address)
		body, _ := io.ReadAll(answer.Body)
		if answer.StatusCode != c.status || c.status == 200 && answer.Header.Get("Content-Type") != c.mime {
			t.Errorf("%s %s: %d %s", c.method, c.address, answer.StatusCode, answer.Header.Get("Content-Type"))
		}
		if (len(body) == 0) != (c.method == "HEAD") {
			t.Errorf("%s %s: a body of %d bytes", c.method, c.address, len(body))
		}
		if answer.Header.Get("Content-Security-Policy") != policy || answer.Header.Get("X-Content-Type-Options") != "nosniff" || answer.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s %s: headers %v", c.method, c.address, answer.Header)
		}
	}
}

func TestNotModified(t *testing.T) {
	plain, zipped := get(t, "GET", "/assets/app.js"), get(t, "GET", "/assets/app.js", "Accept-Encoding", "br;q=1, gzip;q=0.8")
	if zipped.Header.Get("Content-Encoding") != "gzip" || zipped.Header.Get("Vary") != "Accept-Encoding" {
		t.Fatalf("not compressed: %v", zipped.Header)
	}
	z, err := gzip.NewReader(zipped.Body)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := io.ReadAll(plain.Body)
	if b, err := io.ReadAll(z); err != nil || !bytes.Equal(a, b) {
		t.Errorf("compressed and plain differ (%v)", err)
	}
	if plain.Header.Get("ETag") == zipped.Header.Get("ETag") {
		t.Error("the same tag for two encodings")
	}
	for _, tag := range []string{plain.Header.Get("ETag"), `"other", W/` + plain.Header.Get("ETag"), "*"} {
		again := get(t, "GET", "/assets/app.js", "If-None-Match", tag)
		if body, _ := io.ReadAll(again.Body); again.StatusCode != 304 || len(body) > 0 {
			t.Errorf("If-None-Match %s: %d with %d bytes", tag, again.StatusCode, len(body))
		}
	}
	if again := get(t, "GET", "/assets/app.js", "If-None-Match", `"other"`); again.StatusCode != 200 {
		t.Errorf("another tag: %d", again.StatusCode)
	}
	if refused := get(t, "GET", "/assets/app.js", "Accept-Encoding", "gzip;q=0"); refused.Header.Get("Content-Encoding") != "" {
		t.Error("compressed although refused")
	}
}

// TestOwnFilesOnly keeps the page free of what its policy forbids, of addresses that
// break below a base path, and of files that are not there.
func TestOwnFilesOnly(t *testing.T) {
	html, err := fs.ReadFile(files, "static/index.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, forbidden := range []string{" style=", "<style", "javascript:", "http://", "https://", `src="/`, `href="/`} {
		for tag := range strings.SplitSeq(string(html), "<") {
			if tag, _, _ = strings.Cut(tag, ">"); strings.Contains("<"+tag, forbidden) {
				t.Errorf("index.html has %q in <%s>", forbidden, tag)
			}
		}
	}
	if found := regexp.MustCompile(`<[^>]*\son\w+=`).Find(html); found != nil {
		t.Errorf("index.html has %s", found)
	}
	for _, link := range regexp.MustCompile(`(?:src|href)="(assets/[^"]+)"`).FindAllStringSubmatch(string(html), -1) {
		if _, err := fs.Stat(files, "static/"+link[1]); err != nil {
			t.Error(err)
		}
	}
	modules, err := fs.Glob(files, "static/assets/*.js")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, name := range modules {
		text, _ := fs.ReadFile(files, name)
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "/") && !strings.HasPrefix(line, "*") {
				lines++
			}
		}
		if found := regexp.MustCompile(`\.(innerHTML|outerHTML)\s*=[^=]|insertAdjacentHTML|document\.write|\beval\(|new Function`).Find(text); found != nil {
			t.Errorf("%s makes markup or code from text: %s", name, found)
		}
		for _, link := range regexp.MustCompile(`from "\./([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
			if _, err := fs.Stat(files, path.Join("static/assets", link[1])); err != nil {
				t.Error(err)
			}
		}
	}
	if lines >= 1000 {
		t.Errorf("%d lines of script: the page has no framework because it is small", lines)
	}
}

// TestThirdParty holds what others wrote against its checksums; the licence lies beside it.
func TestThirdParty(t *testing.T) {
	for _, dir := range []string{"static/assets/vendor/uplot", "testdata/axe"} {
		sums, err := os.ReadFile(path.Join(dir, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		listed := map[string]bool{"SHA256SUMS": true}
		for line := range strings.Lines(string(sums)) {
			want, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
			body, err := os.ReadFile(path.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != want {
				t.Errorf("%s/%s is not the file that was vendored", dir, name)
			}
			listed[name] = true
		}
		if !listed["LICENSE"] {
			t.Errorf("%s: no licence", dir)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !listed[e.Name()] {
				t.Errorf("%s/%s is not in SHA256SUMS", dir, e.Name())
			}
		}
	}
}
