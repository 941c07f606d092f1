package window

import (
	"bytes"
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
			rapid.Map(text, func(s string) string { return "same begin" + s + "same end" }),
			rapid.Map(text, func(s string) string { return "the same begin" + s + "and the same end" }))
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

// Drinks that differ in one byte, wherever it is, are different drinks.
func TestNamesDifferByAByte(t *testing.T) {
	names, known := NewNames(), uint32(0)
	for size := 1; size <= 2*wordsSay; size++ {
		drink := bytes.Repeat([]byte{'a'}, size)
		for i := -1; i < size; i++ {
			if i >= 0 {
				drink[i] = 'b'
			}
			if id := names.ID(drink); id != known || names.Name(id).Drink != string(drink) {
				t.Fatalf("%q has number %d, that of %q, want %d", drink, id, names.Name(id).Drink, known)
			}
			if known++; i >= 0 {
				drink[i] = 'a'
			}
		}
	}
}

// However many drinks there are, each keeps its number.
func TestManyNames(t *testing.T) {
	const many = 5 * minNameSlots
	names := NewNames()
	for range 2 {
		for i := range uint32(many) {
			for j, format := range []string{"%d", "a drink of more than 24 bytes, the %d. of many"} {
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
				all[i] = fmt.Appendf(nil, "house special %d", rand.IntN(n))
				names.ID(all[i])
			}
			for i := 0; b.Loop(); i++ {
				names.ID(all[i%len(all)])
			}
		})
	}
}
