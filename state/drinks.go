package state

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

// drinks numbers the drinks whose counts are in memory, so that a count takes a number of
// four bytes there and not a name. A number is given away again once nothing has it.
type drinks struct {
	ids   map[string]uint32
	names []string // by number
	refs  []uint32 // by number: counts in memory
	free  []uint32

	// The numbers in order of their names as of the last sort, and by number the place
	// there. Numbers given since then are in fresh.
	order, place, fresh []uint32
	sorted              []string // the names in order, which lie in a row in memory
	bytes               int      // of them
	marks               []uint64 // places, one bit each; all 0 between calls of inOrder
}

func newDrinks() *drinks { return &drinks{ids: make(map[string]uint32)} }

// find is the number of a drink, if it has one. A right guess saves the look into a map.
func (d *drinks) find(name string, guess uint32) (uint32, bool) {
	if int(guess) < len(d.names) && d.names[guess] == name {
		return guess, true
	}
	id, ok := d.ids[name]
	return id, ok
}

// number is the number of a drink. It is lost at the next release, unless a count has it.
func (d *drinks) number(name string, guess uint32) uint32 {
	if id, ok := d.find(name, guess); ok {
		return id
	}
	var id uint32
	if n := len(d.free); n > 0 {
		id, d.free = d.free[n-1], d.free[:n-1]
		d.names[id] = name
	} else {
		id = uint32(len(d.names))
		d.names, d.refs, d.place = append(d.names, name), append(d.refs, 0), append(d.place, 0)
	}
	d.ids[name] = id
	d.fresh = append(d.fresh, id)
	return id
}

// sort brings order and place up to date.
func (d *drinks) sort() {
	if len(d.fresh) == 0 {
		return
	}
	d.byName(d.fresh)
	merged := make([]uint32, 0, len(d.order)+len(d.fresh))
	old := d.order
	for _, id := range d.fresh {
		// Runs of old ones are found by halves: most of the time few are new.
		n, _ := slices.BinarySearchFunc(old, d.names[id], func(o uint32, name string) int { return strings.Compare(d.names[o], name) })
		merged = append(append(merged, old[:n]...), id)
		old = old[n:]
	}
	d.order, d.fresh = append(merged, old...), d.fresh[:0]
	d.ordered()
}

// byName sorts numbers by name. Names of a million drinks are all over the memory, so nearly
// all comparisons are of the eight bytes behind what all names begin with, which lie beside
// the numbers.
func (d *drinks) byName(ids []uint32) {
	type keyed struct {
		begin uint64
		id    uint32
	}
	common := d.names[ids[0]]
	for _, id := range ids {
		n := 0
		for name := d.names[id]; n < len(common) && n < len(name) && common[n] == name[n]; {
			n++
		}
		common = common[:n]
	}
	all := make([]keyed, len(ids))
	for i, id := range ids {
		var begin [8]byte
		copy(begin[:], d.names[id][len(common):])
		all[i] = keyed{binary.BigEndian.Uint64(begin[:]), id}
	}
	slices.SortFunc(all, func(a, b keyed) int {
		if a.begin != b.begin {
			return cmp.Compare(a.begin, b.begin)
		}
		return strings.Compare(d.names[a.id], d.names[b.id])
	})
	for i := range all {
		ids[i] = all[i].id
	}
}

// inOrder sorts numbers by name; sort has been called since the last of them was given.
func (d *drinks) inOrder(ids []uint32) {
	if len(ids) < len(d.order)/64 {
		slices.SortFunc(ids, func(a, b uint32) int { return int(d.place[a]) - int(d.place[b]) })
		return
	}
	for _, id := range ids {
		at := d.place[id]
		d.marks[at/64] |= 1 << (at % 64)
	}
	ids = ids[:0]
	for i, word := range d.marks {
		for ; word != 0; word &= word - 1 {
			ids = append(ids, d.order[64*i+bits.TrailingZeros64(word)])
		}
		d.marks[i] = 0
	}
}

// name is the name of a number that was in the last sort.
func (d *drinks) name(id uint32) string { return d.sorted[d.place[id]] }

// ordered takes note of a new order.
func (d *drinks) ordered() {
	size := 0
	for i, id := range d.order {
		d.place[id] = uint32(i)
		size += len(d.names[id])
	}
	var text strings.Builder
	text.Grow(size)
	for _, id := range d.order {
		text.WriteString(d.names[id])
	}
	d.bytes = size
	all, at := text.String(), 0
	d.sorted = slices.Grow(d.sorted[:0], len(d.order))
	for _, id := range d.order {
		d.sorted = append(d.sorted, all[at:at+len(d.names[id])])
		at += len(d.names[id])
	}
	d.marks = make([]uint64, (len(d.order)+63)/64)
}

// release gives away the numbers that no count has.
func (d *drinks) release() {
	d.sort()
	d.order = slices.DeleteFunc(d.order, func(id uint32) bool {
		if d.refs[id] > 0 {
			return false
		}
		delete(d.ids, d.names[id])
		d.names[id] = "" // which no drink is
		d.free = append(d.free, id)
		return true
	})
	d.ordered()
}

// len is how many drinks have a number.
func (d *drinks) len() int { return len(d.ids) }
