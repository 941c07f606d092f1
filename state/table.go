package state

import "math/bits"

// table holds counts of one scope, of one partition or the sums over all of them, by the
// numbers of the drinks: 12 bytes a slot, of which at least two in five are taken. A count
// of 0 is one that is known not to exist.
//
// A table that would not become larger by it is direct: the slot of a drink is the one of its
// number, so that what is asked for in order lies in order. The others are hashed.
type table struct {
	slots  []slot // a power of two of them
	direct bool
	shift  uint8 // of the hash
	used   int
	live   int      // counts that exist
	dirty  []uint32 // numbers of the counts that are newer than Pebble
	whole  bool     // what is not here does not exist
	reads  int      // looks into Pebble
	next   int      // slot from which on Expirable looks for counts that exist
}

// slot is a count. Its tag is the number of the drink and one, so that an empty slot is
// zero, with two flags.
type slot struct{ tag, high, low uint32 }

const (
	dirtyFlag  = 1 << 31 // newer than Pebble
	storedFlag = 1 << 30 // Pebble may have the key
	idMask     = storedFlag - 1
)

func (s *slot) id() uint32        { return s.tag&idMask - 1 }
func (s *slot) count() uint64     { return uint64(s.high)<<32 | uint64(s.low) }
func (s *slot) dirty() bool       { return s.tag&dirtyFlag != 0 }
func (s *slot) stored() bool      { return s.tag&storedFlag != 0 }
func (s *slot) setCount(n uint64) { s.high, s.low = uint32(n>>32), uint32(n) }
func (s *slot) is(id uint32) bool { return s.tag&idMask == id+1 }

// home is where a hashed table looks for a drink first. Drinks with numbers in a row lie in
// a row, eight at a time: they are mostly asked for in order.
func (t *table) home(id uint32) int { return int(id>>3*0x9E3779B1>>t.shift<<3 | id&7) }

// find is the slot of a drink; nil if there is none. It is valid until the next add.
func (t *table) find(id uint32) *slot {
	if t.direct {
		if int(id) < len(t.slots) && t.slots[id].tag != 0 {
			return &t.slots[id]
		}
		return nil
	}
	return t.search(id)
}

func (t *table) search(id uint32) *slot {
	if len(t.slots) == 0 {
		return nil
	}
	for i := t.home(id); ; i++ {
		s := &t.slots[i&(len(t.slots)-1)]
		if s.is(id) {
			return s
		}
		if s.tag == 0 {
			return nil
		}
	}
}

// add adds a slot with a count of 0 for a drink that has none.
func (t *table) add(id uint32) *slot {
	if t.direct && int(id) >= len(t.slots) || !t.direct && 5*t.used >= 4*len(t.slots) {
		t.grow(id)
	}
	s := t.place(id)
	s.tag = id + 1
	t.used++
	return s
}

// place is the empty slot for a drink.
func (t *table) place(id uint32) *slot {
	if t.direct {
		return &t.slots[id]
	}
	i := t.home(id)
	for t.slots[i&(len(t.slots)-1)].tag != 0 {
		i++
	}
	return &t.slots[i&(len(t.slots)-1)]
}

const minSlots = 16

// grow makes room for one more, number id, directly if that takes no more.
func (t *table) grow(id uint32) {
	old, size := t.slots, minSlots
	for 5*t.used >= 4*size {
		size *= 2
	}
	for i := range old {
		if s := &old[i]; s.tag != 0 {
			id = max(id, s.id())
		}
	}
	t.direct = int(id) < size
	t.slots, t.shift, t.next = make([]slot, size), uint8(36-bits.Len(uint(size))), 0
	for i := range old {
		if s := &old[i]; s.tag != 0 {
			*t.place(s.id()) = *s
		}
	}
}

// set sets a count, and says whether it was clean before.
func (t *table) set(s *slot, n uint64) (clean bool) {
	switch old := s.count(); {
	case old == n:
		return false
	case old == 0:
		t.live++
		t.next = 0
	case n == 0:
		t.live--
	}
	s.setCount(n)
	if s.dirty() {
		return false
	}
	s.tag |= dirtyFlag
	t.dirty = append(t.dirty, s.id())
	return true
}
