package window

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestNames: every drink keeps its own number, whatever it shares with others: its length,
// its first and its last bytes.
func TestNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names, model := NewNames(), make(map[string]uint32)
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab\x00")), 0, 12, -1)
		drinks := rapid.OneOf(text, rapid.Map(text, func(s string) string { return s + "same end" }),
			rapid.Map(text, func(s string) string { return "same begin" + s + "same end" }))
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

// However many drinks there are, each keeps its number.
func TestManyNames(t *testing.T) {
	const many = 5 * minNameSlots
	names := NewNames()
	for range 2 {
		for i := range uint32(many) {
			for j, format := range []string{"%d", "a drink of more than 16 bytes, the %d. of many"} {
				drink := fmt.Sprintf(format, i)
				if id := names.ID([]byte(drink)); id != 2*i+uint32(j) || names.Name(id).Drink != drink {
					t.Fatalf("%q has number %d, that of %q", drink, id, names.Name(id).Drink)
				}
			}
		}
	}
	if names.Len() != 2*many || 2*names.Len() > len(names.slots) {
		t.Errorf("%d names in %d slots", names.Len(), len(names.slots))
	}
}

func BenchmarkNames(b *testing.B) {
	for _, n := range []int{200, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			names, all := NewNames(), make([][]byte, 1<<20)
			for i := range all {
				all[i] = fmt.Appendf(nil, "drink-%d", rand.IntN(n))
				names.ID(all[i])
			}
			for i := 0; b.Loop(); i++ {
				names.ID(all[i%len(all)])
			}
		})
	}
}
