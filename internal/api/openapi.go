package api

import (
	_ "embed"
	"net/http"
)

// document is the OpenAPI 3.1 description of all paths; a test holds it against the
// handlers.
//
//go:embed openapi.json
var document []byte

func serveDocument(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", keepNothing)
	_, _ = w.Write(document)
}
