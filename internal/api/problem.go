package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

// Problem is an error answer (RFC 9457).
type Problem struct {
	Type    string    `json:"type"` // "/problems/<slug>", where it is explained
	Title   string    `json:"title"`
	Status  int       `json:"status"`
	Detail  string    `json:"detail"`
	Errors  []Fault   `json:"errors,omitempty"`  // every wrong parameter
	Restore *Progress `json:"restore,omitempty"` // while the counts are restored
}

// problemTexts explain the problems: what they mean and what to do.
var problemTexts = map[string]string{
	"invalid-parameter": "A parameter is unknown, given twice, or not what it may be. `errors` names each one. Parameters are never ignored, so that a typing error cannot change an answer.",
	"window-misaligned": "No window starts at this time. Windows are aligned to the Unix epoch in UTC; the detail names the two neighbours.",
	"unknown-window":    "The window has accepted no order, or there is no closed or open window yet.",
	"unknown-item":      "No order of this drink was ever counted. Names are compared as bytes.",
	"window-expired":    "The window closed longer ago than --retention; its counts are gone from here. Its final is still on the output topic, as long as that keeps it.",
	"restoring":         "The counts are being restored from the changelog, so any answer would be too low. `restore` says how far it is. Try again; /readyz says when.",
	"not-ready":         "The program starts, joins its group, or stops. Try again; /v1/status says what it is doing.",
	"too-many-streams":  "As many streams are open as this program serves. Close some, or poll /v1/top, which answers 304 as long as nothing has changed.",
	"not-acceptable":    "The answer has none of the wanted forms. There are application/json, text/csv and application/x-ndjson; /v1/status is JSON only.",
	"not-found":         "There is nothing at this path. /openapi.json lists what there is.",
	"method":            "Everything here is read only: use GET or HEAD.",
	"unauthorized":      "This program wants a token (--http-token-file): send it as `Authorization: Bearer <token>`, or as the password of any user.",
	"wrong-host":        "The Host of the request is not one this program answers to: a page of another site may be asking in your name. Use localhost or the address itself; a reverse proxy's name goes into --http-host.",
	"wrong-origin":      "A page of another site has asked for this in your name.",
	"internal":          "The program could not read its counts; its log says more.",
}

// Error implements error.
func (p *Problem) Error() string { return p.Detail }

func problem(status int, slug, format string, args ...any) *Problem {
	return &Problem{Type: "/problems/" + slug, Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}
}

func (p *Problem) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	if p.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p)
}

// explain answers /problems/{slug}: what a problem means and what to do about it.
func explain(w http.ResponseWriter, r *http.Request) {
	slug := r.PathValue("slug")
	text, ok := problemTexts[slug]
	if !ok {
		problem(http.StatusNotFound, "not-found", "there is no problem %q; there are %v", slug, problemSlugs()).write(w)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintf(w, "%s\n\n%s\n", slug, text)
}

func problemSlugs() []string {
	var slugs []string
	for slug := range problemTexts {
		slugs = append(slugs, slug)
	}
	slices.Sort(slugs)
	return slugs
}
