package state

import (
	"math/rand/v2"
	"testing"
)

// Numbers in a row and numbers anywhere, in any order: a table finds what was added and
// nothing else, and takes no more memory for being direct.
func TestTable(t *testing.T) {
	for _, test := range []struct {
		name   string
		id     func(i int, r *rand.Rand) uint32
		direct bool // in the end
	}{
		{"in a row", func(i int, _ *rand.Rand) uint32 { return uint32(i) }, true},
		{"in a row, backwards", func(i int, _ *rand.Rand) uint32 { return uint32(4999 - i) }, true},
		{"half of them", func(_ int, r *rand.Rand) uint32 { return r.Uint32N(7_000) }, true},
		{"every third", func(i int, _ *rand.Rand) uint32 { return uint32(3 * i) }, false},
		{"in a row from a large one on", func(i int, _ *rand.Rand) uint32 { return uint32(1<<20 + i) }, false},
		{"anywhere", func(_ int, r *rand.Rand) uint32 { return r.Uint32N(idMask) }, false},
		{"a large one among small ones", func(i int, _ *rand.Rand) uint32 {
			if i == 2_000 {
				return 1 << 20
			}
			return uint32(i)
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			all, want := new(table), make(map[uint32]uint64)
			for i := range 5_000 {
				id := test.id(i, r)
				s := all.find(id)
				if _, ok := want[id]; ok != (s != nil) {
					t.Fatalf("drink %d is found: %t", id, s != nil)
				}
				if s == nil {
					s = all.add(id)
				}
				want[id] = r.Uint64N(maxCount)
				all.set(s, want[id])
				if other := r.Uint32N(20_000); all.find(other) != nil && want[other] == 0 {
					t.Fatalf("drink %d is found, which was not added", other)
				}
			}
			for id, n := range want {
				if s := all.find(id); s == nil || s.id() != id || s.count() != n {
					t.Errorf("drink %d: %+v, want %d", id, s, n)
				}
			}
			if all.direct != test.direct {
				t.Errorf("direct is %t", all.direct)
			}
			if all.used != len(want) || all.live != len(want) || 5*all.used < 2*len(all.slots) {
				t.Errorf("%d of %d slots are used, %d live, want %d", all.used, len(all.slots), all.live, len(want))
			}
		})
	}
}
