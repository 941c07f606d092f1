package window

import "cmp"

// maxNames bounds the names one Names keeps; 256 Ki names of some 20 bytes are 30 MB.
const maxNames = 1 << 18

// Names numbers drink names, so that counting works on small integers and a name's
// bytes are copied once. It is not safe for concurrent use.
type Names struct {
	ids   map[string]uint32
	names []Name
	limit int
}

// Name is a drink, with a mark that whoever counts it may set to find it again.
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
	if id, ok := n.ids[string(drink)]; ok {
		return id
	}
	return n.add(string(drink))
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
