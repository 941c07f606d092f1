package api

import (
	"fmt"
	"strings"
	"testing"

	"windowed/state"
)

// TestItem asks for drinks with awkward names.
func TestItem(t *testing.T) {
	w := usual(t, Options{})
	for i, name := range awkward {
		for range i + 1 {
			w.orders(1, noon+2*hour, name)
		}
		var item Item
		w.ok("/v1/items/"+escapePath(name), &item)
		want := uint64(i + 1)
		if name == "latte" {
			want = 2 // in this window
		}
		if item.Drink != name || item.Schema != "windowed.item/v1" || len(item.Windows) != 3 || item.Windows[0].Count != want || item.AllTime.Count < want {
			t.Errorf("%q: %+v", name, item)
		}
	}
}

// TestItemStanding checks counts, ranks and what lies behind the capacity of 5.
func TestItemStanding(t *testing.T) {
	w := usual(t, Options{})
	standing := func(s Standing) string {
		switch {
		case s.Rank != nil:
			return fmt.Sprintf("%d #%d", s.Count, *s.Rank)
		case s.RankAbove != nil:
			return fmt.Sprintf("%d >%d", s.Count, *s.RankAbove)
		}
		return fmt.Sprint(s.Count)
	}
	for drink, want := range map[string]string{
		"g": "7 #1: 0 7 #1 0", "mocha": "5 #4: 0 0 5 #1", "latte": "3 >5: 1 #1 0 2 #2", "tea": "2 >5: 0 0 2 #3", "b": "2 >5: 0 2 >5 0", "a": "1 >5: 0 1 >5 0",
	} {
		var item Item
		w.ok("/v1/items/"+drink, &item)
		got := standing(item.AllTime) + ":"
		for _, x := range item.Windows {
			got += " " + standing(x.Standing)
		}
		if got != want {
			t.Errorf("%s: %s, not %s", drink, got, want)
		}
	}
	var item Item
	w.ok("/v1/items/latte?limit=1&to=2026-03-01T14:00:00Z", &item)
	if len(item.Windows) != 1 || item.Windows[0].Start != "2026-03-01T13:00:00Z" || item.Next == "" || !item.Truncated {
		t.Errorf("a page: %+v", item)
	}
	w.ok("/v1/items/latte?from=2026-03-01T12:00:00Z&cursor="+item.Next, &item)
	if len(item.Windows) != 1 || item.Windows[0].Start != "2026-03-01T12:00:00Z" {
		t.Errorf("the next page: %+v", item)
	}
	if r := w.get("/v1/items/latte?format=csv").text(); r != "scope,drink,count,rank,rank_above,state,final\nall-time,latte,3,,5,,\n"+
		"2026-03-01T14:00:00Z,latte,1,1,,open,false\n2026-03-01T13:00:00Z,latte,0,,,open,false\n2026-03-01T12:00:00Z,latte,2,2,,closed,true\n" {
		t.Errorf("csv:\n%s", r)
	}
	if r := w.get("/v1/items/latte?format=ndjson").text(); strings.Count(r, "\n") != 4 || !strings.HasPrefix(r, `{"scope":"all-time","drink":"latte","count":3,"rank":null,"rank_above":5}`) {
		t.Errorf("ndjson:\n%s", r)
	}
}

// TestItemRefuses asks wrongly, in every way.
func TestItemRefuses(t *testing.T) {
	w := usual(t, Options{})
	w.get("/v1/items/nobody").refuses(404, "unknown-item", `"nobody"`)
	w.get("/v1/items/%FF").refuses(400, "invalid-parameter", "UTF-8")
	w.get("/v1/items/"+strings.Repeat("x", 1025)).refuses(400, "invalid-parameter", "1024")
	w.get("/v1/items").refuses(404, "not-found", "/v1/top")
	w.get("/v1/items/").refuses(404, "not-found")
	w.get("/v1/items/a/b").refuses(404, "not-found")
	w.get("/v1/items/tea?state=open").refuses(400, "invalid-parameter", "unknown")
	w.get("/v1/items/tea?limit=0").refuses(400, "invalid-parameter", "1 to 500")
}

// TestItemState asks while a damaged state is replaced: one answer is made from one state.
func TestItemState(t *testing.T) {
	w := usual(t, Options{})
	asked := 0
	w.answers.State = func() *state.State {
		if asked++; asked > 1 {
			return nil
		}
		return w.st
	}
	var item Item
	w.ok("/v1/items/tea", &item)
	if item.AllTime.Count != 2 || item.AsOf.Positions["0"] != 4 {
		t.Errorf("%+v", item)
	}
	w.get("/v1/items/tea").refuses(503, "not-ready")
}
