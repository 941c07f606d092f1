package window

// maxNames bounds the names one Names keeps; 256 Ki names of some 20 bytes are 30 MB.
const maxNames = 1 << 18

// Names numbers drink names, so that counting works on small integers and a name's
// bytes are copied once. It is not safe for concurrent use.
type Names struct {
	ids   map[string]uint32
	names []Name
}

// Name is a drink, with a mark that whoever counts it may set to find it again.
type Name struct {
	Drink string
	Mark  uint32
}

// NewNames returns an empty Names.
func NewNames() *Names { return &Names{ids: make(map[string]uint32)} }

// ID is the number of a drink; the bytes are copied when they are new.
func (n *Names) ID(drink []byte) uint32 {
	if id, ok := n.ids[string(drink)]; ok {
		return id
	}
	id := uint32(len(n.names))
	name := string(drink)
	n.names = append(n.names, Name{Drink: name})
	n.ids[name] = id
	return id
}

// Name is the drink with the given number.
func (n *Names) Name(id uint32) *Name { return &n.names[id] }

// Full says that a new batch should start with new Names: a stream of random names
// must not grow memory for ever.
func (n *Names) Full() bool { return len(n.names) >= maxNames }
