package window

import (
	"cmp"
	"encoding/binary"
)

// maxNames bounds the names one Names keeps; 256 Ki names of some 20 bytes are 30 MB.
const maxNames = 1 << 18

// Names numbers drink names, so that counting works on small integers and a name's
// bytes are copied once. It is not safe for concurrent use.
type Names struct {
	ids    map[string]uint32
	names  []Name
	limit  int
	recent [recentNames]recentName
}

// recentNames is for how many drinks a look into the map is saved: most orders are of few
// drinks.
const (
	recentBits  = 11
	recentNames = 1 << recentBits
)

// recentName is a drink that was asked for lately. The words are all of its bytes if there
// are no more than 16.
type recentName struct {
	first, last uint64
	size, id    uint32 // no drink is empty
}

// words are the first and the last bytes of a drink. With its length they say all of it up
// to 16 bytes.
func words(drink []byte) (first, last uint64) {
	switch n := len(drink); {
	case n >= 8:
		return binary.LittleEndian.Uint64(drink), binary.LittleEndian.Uint64(drink[n-8:])
	case n >= 4:
		return 0, uint64(binary.LittleEndian.Uint32(drink))<<32 | uint64(binary.LittleEndian.Uint32(drink[n-4:]))
	case n > 0:
		return 0, uint64(drink[0])<<16 | uint64(drink[n/2])<<8 | uint64(drink[n-1])
	}
	return 0, 0
}

// place is where a drink is looked for among the recent ones: its last bytes differ most.
func place(last uint64, size int) uint64 {
	return (last + uint64(size)) * 0x9E3779B97F4A7C15 >> (64 - recentBits)
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
	return &Names{ids: make(map[string]uint32), limit: cmp.Or(limit, maxNames)}
}

// ID is the number of a drink; the bytes are copied when they are new.
func (n *Names) ID(drink []byte) uint32 {
	first, last := words(drink)
	recent := &n.recent[place(last, len(drink))]
	if recent.last == last && recent.first == first && recent.size == uint32(len(drink)) && len(drink) > 0 &&
		(len(drink) <= 16 || n.names[recent.id].Drink == string(drink)) {
		return recent.id
	}
	id, ok := n.ids[string(drink)]
	if !ok {
		id = n.add(string(drink))
	}
	*recent = recentName{first, last, uint32(len(drink)), id}
	return id
}

// Name is the drink with the given number.
func (n *Names) Name(id uint32) *Name { return &n.names[id] }

// Full says that a new batch should start with new Names: a stream of random names
// must not grow memory for ever.
func (n *Names) Full() bool { return len(n.names) >= n.limit }

// IDOf is ID for a drink that is a string, which is kept as it is.
func (n *Names) IDOf(drink string) uint32 {
	if id, ok := n.ids[drink]; ok {
		return id
	}
	return n.add(drink)
}

func (n *Names) add(drink string) uint32 {
	id := uint32(len(n.names))
	n.names = append(n.names, Name{Drink: drink})
	n.ids[drink] = id
	return id
}

// Len is how many drinks have a number.
func (n *Names) Len() int { return len(n.names) }
