package api

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestHost sends what a page of another site can make a browser send.
func TestHost(t *testing.T) {
	private := usual(t, Options{Hosts: []string{"tops.example"}})
	public := usual(t, Options{Public: true, Token: "x"})
	for host, known := range map[string]bool{
		"localhost": true, "localhost:8080": true, "LOCALHOST:1": true, "127.0.0.1": true, "127.0.0.1:8080": true, "127.9.9.9": true,
		"[::1]": true, "[::1]:8080": true, "tops.example": true, "tops.example:443": true, "Tops.Example": true,
		"evil.example": false, "evil.example:8080": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false,
		"10.0.0.1": false, "[fe80::1]": false, "": false, "0.0.0.0": false, "tops.example.evil": false,
	} {
		for _, path := range []string{"/v1/top", "/v1/status", "/livez", "/nothing"} {
			r := private.get(path, "Host", host)
			if known == (r.Code == http.StatusForbidden) {
				t.Errorf("%s by %q: %d", path, host, r.Code)
			}
			if !known {
				r.refuses(403, "wrong-host", host)
			}
		}
		if r := public.get("/v1/top", "Host", host, "Authorization", "Bearer x"); r.Code != 200 {
			t.Errorf("public by %q: %d", host, r.Code)
		}
	}
}

// TestToken asks with and without the token.
func TestToken(t *testing.T) {
	w := usual(t, Options{Token: "a long secret", Metrics: http.NotFoundHandler(), Page: http.NotFoundHandler()})
	basic := func(user, password string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	}
	for given, ok := range map[string]bool{
		"Bearer a long secret": true, basic("", "a long secret"): true, basic("anybody", "a long secret"): true,
		"": false, "Bearer": false, "Bearer ": false, "Bearer a long secre": false, "Bearer a long secretx": false, "a long secret": false,
		basic("a long secret", ""): false, "Basic !": false,
	} {
		for _, path := range []string{"/v1/top", "/v1/status", "/v1/stream", "/openapi.json", "/metrics", "/", "/nothing"} {
			if path == "/v1/stream" && ok {
				continue // it would not end
			}
			r := w.get(path, "Authorization", given)
			if ok == (r.Code == http.StatusUnauthorized) {
				t.Errorf("%s with %q: %d", path, given, r.Code)
			}
			if !ok {
				r.refuses(401, "unauthorized", "Bearer")
				if len(r.Header().Values("WWW-Authenticate")) != 2 {
					t.Errorf("%s: %v", path, r.Header())
				}
			}
		}
	}
	for _, path := range []string{"/livez", "/readyz"} {
		if r := w.get(path); r.Code != 200 {
			t.Errorf("%s without the token: %d", path, r.Code)
		}
	}
}

// TestHeaders looks at what every answer says to browsers.
func TestHeaders(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "the page's own")
		_, _ = w.Write([]byte("page " + r.URL.Path))
	})
	w := usual(t, Options{Page: page})
	for _, path := range []string{"/v1/top", "/v1/top?n=0", "/v1/status", "/livez", "/nothing", "/openapi.json", "/problems/restoring", "/problems/nothing"} {
		h := w.get(path, "Origin", "http://evil.example").Header()
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || !strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %v", path, h)
		}
		for name := range h {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s answers other sites: %s", path, name)
			}
		}
	}
	for path, want := range map[string]string{"/": "page /", "/assets/app.js": "page /assets/app.js"} {
		if r := w.get(path); r.text() != want || r.Header().Get("Content-Security-Policy") != "the page's own" {
			t.Errorf("%s: %s", path, r.Body)
		}
	}
	if r := w.get("/problems/window-expired"); !strings.Contains(r.text(), "--retention") {
		t.Errorf("an explanation: %s", r.Body)
	}
	w.get("/problems/nothing").refuses(404, "not-found", "window-expired")
	w.get("/problems/restoring?n=1").refuses(400, "invalid-parameter", "unknown")
	w.get("/openapi.json?n=1").refuses(400, "invalid-parameter", "unknown")
	usual(t, Options{}).get("/").refuses(404, "not-found", "/v1/top")
}

// TestReadOnly tries every other method.
func TestReadOnly(t *testing.T) {
	w := usual(t, Options{})
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"} {
		for _, path := range []string{"/v1/top", "/v1/items/tea", "/v1/stream", "/", "/livez", "/nothing"} {
			r := httptest.NewRequest(method, path, strings.NewReader("{}"))
			r.Host = "localhost"
			rec := httptest.NewRecorder()
			w.server.ServeHTTP(rec, r)
			(&reply{t, method + " " + path, rec}).refuses(405, "method", "read only")
			if rec.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: %v", method, path, rec.Header())
			}
		}
	}
	server := httptest.NewServer(w.server)
	defer server.Close()
	resp, err := http.Head(server.URL + "/v1/top")
	if err != nil || resp.StatusCode != 200 || resp.ContentLength <= 0 || resp.Header.Get("ETag") == "" {
		t.Errorf("HEAD: %+v, %v", resp, err)
	}
}
