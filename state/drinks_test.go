package state

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Names that begin alike, end where others go on, and hold the byte that fills shorter ones.
func TestByName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		common := rapid.SampledFrom([]string{"", "drink ", "a long beginning of all "}).Draw(t, "common")
		ends := rapid.SliceOfNDistinct(rapid.StringOfN(rapid.SampledFrom([]rune{'a', 'b', 0, 'é'}), 0, 20, -1), 1, 60, rapid.ID).Draw(t, "ends")
		d := newDrinks()
		var ids []uint32
		var want []string
		for _, end := range ends {
			want = append(want, common+end)
			ids = append(ids, d.number(common+end, 0))
		}
		d.byName(ids)
		slices.Sort(want)
		for i, id := range ids {
			if d.names[id] != want[i] {
				t.Fatalf("place %d has %q, want %q", i, d.names[id], want[i])
			}
		}
	})
}
