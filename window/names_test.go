package window

import (
	"testing"

	"pgregory.net/rapid"
)

// TestNames: every drink keeps its own number, whatever it shares with others: its length,
// its first and its last bytes.
func TestNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names, model := NewNames(), make(map[string]uint32)
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab\x00")), 0, 12, -1)
		drinks := rapid.OneOf(text, rapid.Map(text, func(s string) string { return s + "same end" }))
		for range rapid.IntRange(1, 200).Draw(t, "drinks") {
			drink := drinks.Draw(t, "drink")
			want, known := model[drink]
			if !known {
				want = uint32(len(model))
				model[drink] = want
			}
			id := names.ID([]byte(drink))
			if rapid.Bool().Draw(t, "string") {
				id = names.IDOf(drink)
			}
			if id != want || names.Name(id).Drink != drink || names.Len() != len(model) {
				t.Fatalf("%q has number %d of %d, want %d", drink, id, names.Len(), want)
			}
		}
	})
}
