package api

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Problem is an error answer (RFC 9457).
type Problem struct {
	Type   string `json:"type"` // "/problems/<slug>"
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
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
