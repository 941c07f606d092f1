package inspect

import (
	"strings"
	"testing"

	"windowed/internal/event"
)

// TestMissing has mappings with a path that is in no record, and what they may have meant.
func TestMissing(t *testing.T) {
	sample := sampleOf(
		`{"ts":1,"items":[{"drink":"a","quantity":1}],"page":"/","user":{"name":"x"}}`,
		`{"ts":2,"a.b":[1,2],"payload":{"when":1,"p":"x"},"data":{"d":1}}`,
	)
	for want, c := range map[string]event.Config{
		"":                               {TimeField: "ts"},
		" ":                              {TimeField: "when", Names: []string{"p"}, Envelope: event.Connect},
		"  ":                             {Names: []string{"d"}, Envelope: event.CloudEvents},
		"   ":                            {Names: []string{"key", "header:x", "page"}},
		"    ":                           {Names: []string{`"a.b"[1]`}},
		"`itmes`; did you mean `items`?": {Items: "itmes", Names: []string{"drink"}},
		"`items.dirnk`; did you mean `items[].drink`?":        {Items: "items", Names: []string{"dirnk"}},
		"`items.name`; did you mean `user.name`?":             {Items: "items", Names: []string{"name"}},
		"`items.quantitty`; did you mean `items[].quantity`?": {Items: "items", Names: []string{"drink"}, Quantity: "quantitty"},
		"`timestamp`":                                 {TimeField: "timestamp", Names: []string{"page"}},
		"`Page`; did you mean `page`?":                {Names: []string{"Page"}},
		"`payload.whn`; did you mean `payload.when`?": {TimeField: "whn", Names: []string{"p"}, Envelope: event.Connect},
	} {
		m, err := event.NewMapping(c)
		if err != nil {
			t.Fatal(err)
		}
		have := strings.TrimPrefix(sample.Profile.Missing(m), "no record of the first 2 has ")
		check(t, want, have, strings.TrimSpace(want))
	}
	m, _ := event.NewMapping(event.Config{Names: []string{"x"}})
	check(t, "an empty sample", sampleOf().Profile.Missing(m), "")
}

func TestDifferences(t *testing.T) {
	for pair, want := range map[string]int{
		" ": 0, "a ": 1, " ab": 2, "drink drink": 0, "dirnk drink": 1, "drnk drink": 1, "driink drink": 1, "itmes items": 1, "abc xyz": 3, "kitten sitting": 3,
	} {
		a, b, _ := strings.Cut(pair, " ")
		if n, m := differences(a, b), differences(b, a); n != want || m != want {
			t.Errorf("%q and %q: %d and %d, not %d", a, b, n, m, want)
		}
	}
}
