package api

import (
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for noun, plural := range map[string]string{
		"page": "pages", "city": "cities", "day": "days", "box": "boxes", "match": "matches", "dish": "dishes", "bus": "buses",
		"error code": "error codes", "y": "ys", "child,children": "children", "Straße,Straßen": "Straßen", "drink,Getränke": "Getränke",
	} {
		w, err := NewWords(noun)
		one, _, _ := strings.Cut(noun, ",")
		if err != nil || w == nil || w.Noun != one || w.Nouns != plural || w.Records != "records" || w.Portions != "items" {
			t.Errorf("%s: %+v, %v", noun, w, err)
		}
	}
	for _, noun := range []string{"drink", "drink,drinks"} {
		if w, err := NewWords(noun); w != nil || err != nil || w.OrDefault().Records != "orders" {
			t.Errorf("%s: %+v, %v", noun, w, err)
		}
	}
	for _, noun := range []string{"", ",", "a,", "a\tb", "<b>", "x1", strings.Repeat("a", 41)} {
		if w, err := NewWords(noun); err == nil {
			t.Errorf("%q is taken: %+v", noun, w)
		}
	}
}

// TestWordsInAnswers: members of JSON keep their names, headers of CSV do not.
func TestWordsInAnswers(t *testing.T) {
	w := usual(t, Options{})
	w.answers.Words, _ = NewWords("page")
	const words = `"words":{"noun":"page","nouns":"pages","record":"record","records":"records","portion":"item","portions":"items"}`
	for path, want := range map[string]string{
		"/v1/top": words, "/v1/windows": words, "/v1/status": words, "/v1/windows/2026-03-01T12:00:00Z": words,
		"/v1/top?format=csv":     "scope,rank,page,count",
		"/v1/windows?format=csv": "start,end,state,final,revision,records,items,pages,late_records,late_items",
	} {
		if r := w.get(path); r.Code != 200 || !strings.Contains(r.Body.String(), want) {
			t.Errorf("%s: %d %s, want %s", path, r.Code, r.Body, want)
		}
	}
	if r := w.get("/v1/top"); !strings.Contains(r.Body.String(), `"drink":`) {
		t.Errorf("the members are renamed: %s", r.Body)
	}
}
