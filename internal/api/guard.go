package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// guard lets nobody in who should not be: it looks at the Host, so that no page of another
// site reaches a loopback address through a name of its own (DNS rebinding), and at the
// token. There are no CORS headers, so other sites cannot read an answer.
func guard(next http.Handler, o Options) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		switch {
		case !o.knows(r.Host):
			problem(http.StatusForbidden, "wrong-host", "this program does not answer to the host %q", r.Host).write(w)
		case !isProbe(r.URL.Path) && !o.admits(r):
			h.Add("WWW-Authenticate", `Bearer realm="windowed"`)
			h.Add("WWW-Authenticate", `Basic realm="windowed", charset="UTF-8"`)
			problem(http.StatusUnauthorized, "unauthorized", "a token is needed: Authorization: Bearer <token>, or Basic with it as the password").write(w)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isProbe says whether a path answers without a token: probes carry none, and learn
// nothing but ok.
func isProbe(path string) bool { return path == "/livez" || path == "/readyz" }

// knows says whether a Host may be meant.
func (o *Options) knows(host string) bool {
	if o.Public {
		return true
	}
	name := host
	if n, _, err := net.SplitHostPort(host); err == nil {
		name = n
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if ip := net.ParseIP(name); ip != nil {
		return ip.IsLoopback()
	}
	return name == "localhost" || slices.Contains(o.Hosts, name) || slices.Contains(o.Hosts, strings.ToLower(host))
}

// admits says whether a request carries the token. Comparing hashes takes the same time
// whatever was sent.
func (o *Options) admits(r *http.Request) bool {
	if o.Token == "" {
		return true
	}
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		_, given, _ = r.BasicAuth() // what browsers can send
	}
	have, want := sha256.Sum256([]byte(strings.TrimSpace(given))), sha256.Sum256([]byte(o.Token))
	return subtle.ConstantTimeCompare(have[:], want[:]) == 1
}

// foreign says whether a page of another site makes the request.
func foreign(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || !strings.EqualFold(u.Host, r.Host)
}
