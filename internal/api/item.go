package api

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"windowed/internal/event"
	"windowed/state"
	"windowed/window"
)

// Item is what one drink counts.
type Item struct {
	Schema    string       `json:"schema"`
	Drink     string       `json:"drink"`
	AllTime   Standing     `json:"all_time"`
	Windows   []ItemWindow `json:"windows"` // newest first; without the expired ones
	Truncated bool         `json:"truncated,omitempty"`
	Next      string       `json:"next_cursor,omitempty"` // for the windows before the last one here
	AsOf      AsOf         `json:"as_of"`
}

// ItemWindow is what a drink counts in one window.
type ItemWindow struct {
	Window
	Standing
}

// Standing is a drink's count in a scope, and its place in the top list.
type Standing struct {
	Count uint64 `json:"count"`
	// Rank is nil for a drink that the scope does not count, and for one behind the
	// capacity of the ranking: then its rank is above RankAbove.
	Rank      *int `json:"rank"`
	RankAbove *int `json:"rank_above,omitempty"`
}

// itemWindows is how many windows an Item lists unless told otherwise.
const itemWindows = 100

// Item is what a drink counts, of all time and in the windows of a selection.
func (a *Answers) item(r *http.Request, p *params) (any, error) {
	drink, err := drinkOf(r)
	if err != nil {
		return nil, err
	}
	if !validDrink(drink) {
		p.wrong("drink", "a drink has 1 to %d bytes of valid UTF-8", event.DefaultMaxName)
	}
	sel := a.selection(p, itemWindows)
	if err := p.problem(); err != nil {
		return nil, err
	}
	st, _, err := a.ready() // one state throughout: a damaged one may be replaced meanwhile
	if err != nil {
		return nil, err
	}
	lines, _, next, err := a.find(st, sel)
	if err != nil {
		return nil, err
	}
	item := &Item{Schema: itemSchema, Drink: drink, Windows: []ItemWindow{}, Truncated: next != "", Next: next}
	scopes := []window.Scope{window.AllTime}
	for i := range lines {
		if lines[i].State != window.Expired.String() {
			scopes = append(scopes, window.At(lines[i].at))
			item.Windows = append(item.Windows, ItemWindow{Window: lines[i].Window})
		}
	}
	return item, a.stand(st, item, scopes)
}

// drinkOf is the drink of a path. It is read here since http.ServeMux takes the segment
// %2F, a drink as good as any, for the end of the path.
func drinkOf(r *http.Request) (string, error) {
	escaped := strings.TrimPrefix(r.URL.EscapedPath(), "/v1/items/")
	drink, err := url.PathUnescape(escaped)
	if err != nil || escaped == "" || strings.Contains(escaped, "/") {
		return "", problem(http.StatusNotFound, "not-found", "%s is not a drink: write /v1/items/<drink>, percent-encoded", r.URL.Path)
	}
	return drink, nil
}

// stand fills in the counts and ranks of an item.
func (a *Answers) stand(st *state.State, item *Item, scopes []window.Scope) error {
	places, v, err := st.Places(item.Drink, scopes)
	if err != nil {
		return a.failed(err)
	}
	if places[0].Count == 0 {
		return problem(http.StatusNotFound, "unknown-item", "no order of %q was counted", item.Drink)
	}
	item.AsOf = asOf(v)
	item.AllTime = standing(places[0], st.RankCapacity())
	for i := range item.Windows {
		item.Windows[i].Standing = standing(places[i+1], st.RankCapacity())
	}
	return nil
}

func standing(p state.Place, capacity int) Standing {
	s := Standing{Count: p.Count}
	switch {
	case p.Rank > 0:
		s.Rank = &p.Rank
	case p.Count > 0:
		s.RankAbove = &capacity
	}
	return s
}

// Table is the drink as rows: all time, then its windows.
func (i *Item) Table() Table {
	t := Table{Header: []string{"scope", "drink", "count", "rank", "rank_above", "state", "final"}, Text: 1}
	add := func(scope string, s *Standing, state, final string) {
		t.Rows = append(t.Rows, []string{scope, i.Drink, strconv.FormatUint(s.Count, 10), optionalInt(s.Rank), optionalInt(s.RankAbove), state, final})
	}
	add(window.AllTime.String(), &i.AllTime, "", "")
	for j := range i.Windows {
		w := &i.Windows[j]
		add(w.Start, &w.Standing, w.State, strconv.FormatBool(w.Final))
	}
	return t
}

func (i *Item) lines() []any {
	lines := []any{struct {
		Scope string `json:"scope"`
		Drink string `json:"drink"`
		Standing
	}{window.AllTime.String(), i.Drink, i.AllTime}}
	for j := range i.Windows {
		lines = append(lines, struct {
			Scope string `json:"scope"`
			Drink string `json:"drink"`
			ItemWindow
		}{i.Windows[j].Start, i.Drink, i.Windows[j]})
	}
	return lines
}

func optionalInt(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}
