package api

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"

	"windowed/internal/engine"
	"windowed/window"
)

// How long the top list of a closed window may be kept: for good if no order can change
// it any more, a moment if amendments can.
const (
	keepFinal   = "max-age=3600, immutable"
	keepAmended = "max-age=5"
	keepNothing = "no-cache" // kept, but asked about each time
)

// validator is what an answer is known again by. It is weak: as_of, which says how fresh
// an answer is, does not make a final another one, and the moment it was made never does.
func validator(answer any, f format) string {
	revision, essence := "", answer
	switch a := answer.(type) {
	case *Top:
		c := *a
		revision, essence = essential(c.Window, &c.AsOf), &c
	case *OneWindow:
		c := *a
		revision, essence = essential(&c.Window, &c.AsOf), &c
	case *Windows:
		c := *a
		c.AsOf.Generated, essence = "", &c
	case *Item:
		c := *a
		c.AsOf.Generated, essence = "", &c
	case *Watermark:
		c := *a
		c.AsOf.Generated, essence = "", &c
	default:
		return ""
	}
	text, err := json.Marshal(essence)
	if err != nil {
		return ""
	}
	sum := fnv.New64a()
	_, _ = sum.Write(text)
	return fmt.Sprintf(`W/"%s%016x-%s"`, revision, sum.Sum64(), f)
}

// essential takes out of an as_of what does not matter for the answer, and returns the
// revision of its window.
func essential(w *Window, as *AsOf) (revision string) {
	as.Generated = ""
	if w == nil || w.Revision == nil {
		return ""
	}
	if isFinal(w) {
		*as = AsOf{}
	}
	return "r" + strconv.FormatUint(uint64(*w.Revision), 10) + "-"
}

func isFinal(w *Window) bool { return w.Final && w.State == window.Closed.String() }

// keeping is the Cache-Control of an answer. Only a window named by its start stays the
// same window; its late counts still grow, so that only the list is final.
func (a *Answers) keeping(answer any) string {
	top, ok := answer.(*Top)
	switch {
	case !ok || !top.named || top.Window == nil || !isFinal(top.Window):
		return keepNothing
	case a.Config.Late == engine.AmendLate:
		return keepAmended
	}
	return keepFinal
}

// matches says whether If-None-Match names a validator (RFC 9110, 13.1.2).
func matches(r *http.Request, tag string) bool {
	given := strings.Join(r.Header.Values("If-None-Match"), ",")
	if given == "" || tag == "" {
		return false
	}
	for _, one := range strings.Split(given, ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
