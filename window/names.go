package window

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// maxNames bounds the names one Names keeps; 256 Ki names of some 20 bytes are 30 MB.
const maxNames = 1 << 18

const minNameSlots = 1 << 11

// Names numbers drink names, so that counting works on small integers and a name's
// bytes are copied once. It is not safe for concurrent use.
type Names struct {
	slots []nameSlot // a power of two of them, at most half of them taken
	names []Name
	limit int

	// Who writes the drinks must not be able to choose them so that they meet in one place.
	seed maphash.Seed
	keys words
}

// nameSlot is a drink in a table with open addressing: one look into memory finds it, where
// a map takes three, which is most of the time when there are more drinks than a cache
// holds.
type nameSlot struct {
	words
	size uint32 // of the drink, in bytes
	tag  uint32 // its number and one; 0 is an empty slot
}

// words are the first, the next and the last bytes of a drink. With its length they say all
// of it if it has no more than wordsSay bytes.
type words struct{ first, next, last uint64 }

const wordsSay = 24

func wordsOf(drink []byte) (w words) {
	switch n := len(drink); {
	case n > 16:
		return words{binary.LittleEndian.Uint64(drink), binary.LittleEndian.Uint64(drink[8:]), binary.LittleEndian.Uint64(drink[n-8:])}
	case n >= 8:
		return words{binary.LittleEndian.Uint64(drink), 0, binary.LittleEndian.Uint64(drink[n-8:])}
	case n >= 4:
		return words{0, 0, uint64(binary.LittleEndian.Uint32(drink))<<32 | uint64(binary.LittleEndian.Uint32(drink[n-4:]))}
	case n > 0:
		return words{0, 0, uint64(drink[0])<<16 | uint64(drink[n/2])<<8 | uint64(drink[n-1])}
	}
	return words{}
}

// Name is a drink, with a mark that whoever counts it may set to find it again, and who may
// put its own copy of the same text in place of the drink.
type Name struct {
	Drink string
	Mark  uint32
}

// NewNames returns an empty Names.
func NewNames() *Names { return NewNamesUpTo(0) }

// NewNamesUpTo is NewNames for Names that are full with so many names; 0 is the default.
func NewNamesUpTo(limit int) *Names {
	seed := maphash.MakeSeed()
	return &Names{
		slots: make([]nameSlot, minNameSlots), limit: cmp.Or(limit, maxNames), seed: seed,
		keys: words{maphash.String(seed, "first"), maphash.String(seed, "next") | 1, maphash.String(seed, "last")},
	}
}

// ID is the number of a drink; the bytes are copied when they are new.
func (n *Names) ID(drink []byte) uint32 {
	w := wordsOf(drink)
	// Most are where they are looked for first.
	if s := &n.slots[n.home(w)&(len(n.slots)-1)]; s.words == w && s.size == uint32(len(drink)) && s.size-1 < wordsSay {
		return s.tag - 1
	}
	s := n.find(w, drink)
	if s.tag == 0 {
		return n.add(s, string(drink))
	}
	return s.tag - 1
}

// IDOf is ID for a drink that is a string, which is kept as it is.
func (n *Names) IDOf(drink string) uint32 {
	s := n.find(wordsOf([]byte(drink)), []byte(drink))
	if s.tag == 0 {
		return n.add(s, drink)
	}
	return s.tag - 1
}

// find is the slot of a drink, or the empty one for it, with all but the tag set.
func (n *Names) find(w words, drink []byte) *nameSlot {
	at := n.home(w)
	if len(drink) > wordsSay {
		at = int(maphash.Bytes(n.seed, drink))
	}
	for size := uint32(len(drink)); ; at++ {
		s := &n.slots[at&(len(n.slots)-1)]
		if s.tag == 0 {
			s.words, s.size = w, size
			return s
		}
		if s.words == w && s.size == size && (size <= wordsSay || n.names[s.tag-1].Drink == string(drink)) {
			return s
		}
	}
}

// home is where a drink of at most wordsSay bytes is looked for first.
func (n *Names) home(w words) int {
	high, low := bits.Mul64(w.first^n.keys.first^w.next*n.keys.next, w.last^n.keys.last)
	return int(high ^ low)
}

// Name is the drink with the given number.
func (n *Names) Name(id uint32) *Name { return &n.names[id] }

// Full says that a new batch should start with new Names: a stream of random names
// must not grow memory for ever.
func (n *Names) Full() bool { return len(n.names) >= n.limit }

// add gives a drink the next number and its slot.
func (n *Names) add(s *nameSlot, drink string) uint32 {
	n.names = append(n.names, Name{Drink: drink})
	s.tag = uint32(len(n.names))
	if 2*len(n.names) > len(n.slots) {
		n.grow()
	}
	return uint32(len(n.names) - 1)
}

func (n *Names) grow() {
	old := n.slots
	n.slots = make([]nameSlot, 2*len(old))
	for i := range old {
		if tag := old[i].tag; tag != 0 {
			*n.find(old[i].words, []byte(n.names[tag-1].Drink)) = old[i]
		}
	}
}

// Len is how many drinks have a number.
func (n *Names) Len() int { return len(n.names) }
