package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"windowed/internal/engine"
)

// openAPI is as much of a document as the test needs.
type openAPI struct {
	OpenAPI string                          `json:"openapi"`
	Paths   map[string]map[string]operation `json:"paths"`
	Parts   struct {
		Parameters map[string]parameter      `json:"parameters"`
		Responses  map[string]response       `json:"responses"`
		Schemas    map[string]map[string]any `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	Parameters []parameter         `json:"parameters"`
	Responses  map[string]response `json:"responses"`
}

type parameter struct {
	Ref      string         `json:"$ref"`
	Name     string         `json:"name"`
	In       string         `json:"in"`
	Required bool           `json:"required"`
	Schema   map[string]any `json:"schema"`
}

type response struct {
	Ref     string `json:"$ref"`
	Content map[string]struct {
		Schema map[string]any `json:"schema"`
	} `json:"content"`
}

func readDocument(t *testing.T, w *world) *openAPI {
	t.Helper()
	var d openAPI
	w.ok("/openapi.json", &d)
	if d.OpenAPI != "3.1.0" {
		t.Fatalf("openapi %q", d.OpenAPI)
	}
	return &d
}

func (d *openAPI) parameter(p parameter) parameter {
	if p.Ref != "" {
		return d.Parts.Parameters[strings.TrimPrefix(p.Ref, "#/components/parameters/")]
	}
	return p
}

func (d *openAPI) response(path string, status int) (response, bool) {
	r, ok := d.Paths[path]["get"].Responses[fmt.Sprint(status)]
	if r.Ref != "" {
		r, ok = d.Parts.Responses[strings.TrimPrefix(r.Ref, "#/components/responses/")]
	}
	return r, ok
}

// query are the names of the parameters of a path.
func (d *openAPI) query(path string) (names []string) {
	for _, p := range d.Paths[path]["get"].Parameters {
		if p = d.parameter(p); p.In == "query" {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return names
}

// TestOpenAPIPaths compares paths and parameters with those of the handlers, both ways.
func TestOpenAPIPaths(t *testing.T) {
	w := usual(t, Options{Metrics: http.NotFoundHandler()})
	d := readDocument(t, w)
	want := map[string][]string{"/v1/stream": nil, "/problems/{slug}": nil, "/openapi.json": nil, "/metrics": nil}
	for _, r := range w.answers.routes() {
		want[r.path] = slices.Sorted(slices.Values(r.params))
	}
	if have := slices.Sorted(maps.Keys(d.Paths)); !slices.Equal(have, slices.Sorted(maps.Keys(want))) {
		t.Errorf("documented are %v, served %v", have, slices.Sorted(maps.Keys(want)))
	}
	for path, params := range want {
		if have := d.query(path); !slices.Equal(have, params) {
			t.Errorf("%s: documented are %v, taken %v", path, have, params)
		}
	}
}

// TestOpenAPIParameters asks with values that the document allows, and some it does not.
func TestOpenAPIParameters(t *testing.T) {
	w := usual(t, Options{})
	d := readDocument(t, w)
	for path := range d.Paths {
		concrete := strings.NewReplacer("{start}", "2026-03-01T12:00:00Z", "{drink}", "tea").Replace(path)
		for _, p := range d.Paths[path]["get"].Parameters {
			p = d.parameter(p)
			if p.In != "query" {
				continue
			}
			good, bad := examples(p.Schema)
			for _, value := range good {
				if r := w.get(concrete + "?" + p.Name + "=" + value); r.Code != 200 && r.Code != 404 {
					t.Errorf("%s %s=%s: %d %s", path, p.Name, value, r.Code, r.Body)
				}
			}
			for _, value := range bad {
				w.get(concrete+"?"+p.Name+"="+value).refuses(400, "invalid-parameter", p.Name)
			}
		}
	}
}

// examples are values that a schema allows, and that it does not.
func examples(s map[string]any) (good, bad []string) {
	for _, key := range []string{"enum", "examples"} {
		if list, ok := s[key].([]any); ok {
			for _, v := range list {
				good = append(good, v.(string))
			}
			bad = append(bad, "nonsense")
		}
	}
	if low, ok := s["minimum"].(float64); ok {
		high := s["maximum"].(float64)
		good = append(good, fmt.Sprint(low), fmt.Sprint(high))
		bad = append(bad, fmt.Sprint(low-1), fmt.Sprint(high+1), "1.5", "")
	}
	if s["format"] == "date-time" {
		good = append(good, "2026-03-01T12:00:00Z", "2026-03-01T12:00:00.5%2B02:00")
		bad = append(bad, "2026-03-01", "1772366400", "2026-03-01T12:00:00")
	}
	return good, bad
}

// TestOpenAPIAnswers holds answers of every path and many kinds against their schemas.
func TestOpenAPIAnswers(t *testing.T) {
	full, restoring, empty, guarded := usual(t, Options{}), usual(t, Options{}), newWorld(t, Options{}), usual(t, Options{Token: "x"})
	restoring.restoring()
	named := usual(t, Options{})
	named.answers.Words, _ = NewWords("page")
	full.orders(0, noon+2*hour, "<b>", "\x00")
	full.answers.Status.Set(engine.StatusNow{
		Phase: engine.Running, Owned: []int32{0}, Paused: []int32{0}, LastError: "x", Stopped: map[int32]string{1: "y"},
		Invalid: full.answers.Status.Now().Invalid, Ends: engine.Ends{Orders: map[int32]int64{0: 100}, At: time.Now()},
	})
	d := readDocument(t, full)
	statuses := make(map[string]bool)
	for _, w := range []*world{full, restoring, empty, guarded, named} {
		for path, concretes := range map[string][]string{
			"/v1/top":             {"/v1/top", "/v1/top?window=last", "/v1/top?window=current", "/v1/top?n=0&x=1", "/v1/top?window=2026-03-01T12:00:01Z"},
			"/v1/windows":         {"/v1/windows", "/v1/windows?limit=1", "/v1/windows?state=expired", "/v1/windows?limit=0"},
			"/v1/windows/{start}": {"/v1/windows/2026-03-01T12:00:00Z", "/v1/windows/2026-03-01T13:00:00Z", "/v1/windows/2026-03-02T12:00:00Z", "/v1/windows/x"},
			"/v1/items/{drink}":   {"/v1/items/tea", "/v1/items/a", "/v1/items/%3Cb%3E?limit=1", "/v1/items/nobody", "/v1/items/%FF"},
			"/v1/watermark":       {"/v1/watermark", "/v1/watermark?x=1"},
			"/v1/status":          {"/v1/status", "/v1/status?x=1"},
			"/livez":              {"/livez"}, "/readyz": {"/readyz"},
			"/problems/{slug}": {"/problems/restoring", "/problems/x", "/problems/restoring?x=1"}, "/openapi.json": {"/openapi.json?x=1"},
		} {
			for _, concrete := range concretes {
				r := w.get(concrete)
				statuses[fmt.Sprint(path, r.Code)] = true
				d.holds(t, path, r)
			}
		}
		if w != guarded {
			d.fits(t, "an update", map[string]any{"$ref": "#/components/schemas/Update"}, remarshal(t, w.answers.Update()))
		}
	}
	for _, must := range []string{"/v1/top200", "/v1/top400", "/v1/top404", "/v1/top503", "/v1/top401", "/v1/items/{drink}404", "/readyz503"} {
		if !statuses[must] {
			t.Errorf("no answer was %s", must)
		}
	}
}

// holds checks that a reply is documented, and is as documented.
func (d *openAPI) holds(t *testing.T, path string, r *reply) {
	t.Helper()
	doc, ok := d.response(path, r.Code)
	media, _, _ := strings.Cut(r.Header().Get("Content-Type"), ";")
	content, has := doc.Content[media]
	if !ok || !has {
		t.Errorf("%s: %d as %q is not documented", r.path, r.Code, media)
		return
	}
	if strings.HasSuffix(media, "json") {
		var v any
		if err := json.Unmarshal(r.Body.Bytes(), &v); err != nil {
			t.Errorf("%s: %v", r.path, err)
		}
		d.fits(t, r.path, content.Schema, v)
	}
}

func remarshal(t *testing.T, v any) (decoded any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &decoded)
	}
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

// TestOpenAPIChecks makes sure that the checker above finds faults.
func TestOpenAPIChecks(t *testing.T) {
	w := usual(t, Options{})
	d := readDocument(t, w)
	top := map[string]any{"$ref": "#/components/schemas/Top"}
	for name, spoil := range map[string]func(map[string]any){
		"a field is missing":      func(v map[string]any) { delete(v, "total") },
		"a field is unknown":      func(v map[string]any) { v["extra"] = 1.0 },
		"a type is wrong":         func(v map[string]any) { v["drinks"] = "3" },
		"a number is negative":    func(v map[string]any) { v["records"] = -1.0 },
		"a time is local":         func(v map[string]any) { v["as_of"].(map[string]any)["generated_at"] = "2026-03-01T12:00:00+01:00" },
		"a constant is another":   func(v map[string]any) { v["schema"] = "windowed.top/v2" },
		"a choice is not offered": func(v map[string]any) { v["scope"] = "some-time" },
		"an entry is wrong":       func(v map[string]any) { v["top"].([]any)[2].(map[string]any)["rank"] = 0.0 },
	} {
		var v map[string]any
		w.ok("/v1/top", &v)
		if err := d.check(top, v, ""); err != nil {
			t.Fatal(err)
		}
		spoil(v)
		if d.check(top, v, "") == nil {
			t.Errorf("nobody notices that %s", name)
		}
	}
}
