package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// asset is one embedded file, as it goes out.
type asset struct {
	mime   string
	tag    string // hash of the content
	plain  []byte
	zipped []byte // nil if that is not smaller
}

// mimes are the types served. They are not taken from the system's table, which differs
// from machine to machine, and browsers refuse modules and styles of a wrong type.
var mimes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	"":      "text/plain; charset=utf-8", // LICENSE, SHA256SUMS
}

func newAsset(name string, body []byte) (*asset, error) {
	mime, ok := mimes[path.Ext(name)]
	if !ok {
		return nil, fmt.Errorf("page: no type for %s", name)
	}
	sum := sha256.Sum256(body)
	a := &asset{mime: mime, tag: hex.EncodeToString(sum[:12]), plain: body}
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if z.Len() < len(body) {
		a.zipped = z.Bytes()
	}
	return a, nil
}

// serve answers with the file, or with "not modified". The tag is asked for every time
// (no-cache), so that a new version of the program is never mixed with old modules.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	body, tag := a.plain, `"`+a.tag+`"`
	if a.zipped != nil {
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Get("Accept-Encoding")) {
			body, tag = a.zipped, `"`+a.tag+`-gz"`
			h.Set("Content-Encoding", "gzip")
		}
	}
	h.Set("ETag", tag)
	h.Set("Cache-Control", "no-cache")
	if matches(r.Header.Get("If-None-Match"), tag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", a.mime)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// acceptsGzip says whether gzip is listed and not refused with q=0.
func acceptsGzip(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		coding, params, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		q, found := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
		weight, err := strconv.ParseFloat(q, 64)
		return !found || err == nil && weight > 0
	}
	return false
}

// matches compares weakly, as If-None-Match wants: proxies that change the encoding mark
// the tag with W/.
func matches(header, tag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		if part = strings.TrimSpace(part); part == "*" || strings.TrimPrefix(part, "W/") == tag {
			return true
		}
	}
	return false
}
