package event

import "iter"

// Spot is a place in documents of some format and what the mapping wants of the value
// there: for readers of formats whose schema is known before the first record, which walk
// the schema and the spots side by side. The zero Spot wants nothing.
type Spot struct{ n *node }

// Root is the document itself. It fails when two of the mapping's paths exclude each
// other. CloudEvents in structured form are not among its spots.
func (m *Mapping) Root() (Spot, error) {
	plain, _, err := m.plans()
	return Spot{plain}, err
}

// Wanted says whether the value, or anything in it, is wanted.
func (s Spot) Wanted() bool { return s.n != nil }

// Members are the members that are wanted of an object, in the order of the configuration.
func (s Spot) Members() iter.Seq2[string, Spot] {
	return func(yield func(string, Spot) bool) {
		for i := range s.n.members {
			if !yield(s.n.members[i].name, Spot{s.n.members[i].node}) {
				return
			}
		}
	}
}

// Elements are the elements that are wanted of an array: each, or those at some places,
// of which last is the highest.
func (s Spot) Elements() (each Spot, last int) {
	last = -1
	for i := range s.n.places {
		last = max(last, s.n.places[i].index)
	}
	return Spot{s.n.every}, last
}

// At is the element at a place, if it is wanted.
func (s Spot) At(index int) Spot { return Spot{s.n.elementAt(index)} }

// IsRoot says that the value is the document.
func (s Spot) IsRoot() bool { return s.n.root }

// IsItem says that the value is an item.
func (s Spot) IsItem() bool { return s.n.item }

// IsList says that the value is the outermost array of items, which must not be empty.
func (s Spot) IsList() bool { return s.n.list }

// IsArray says that the value must be an array.
func (s Spot) IsArray() bool { return s.n.every != nil || s.n.places != nil }

// IsValue says that the value itself is wanted, not something in it.
func (s Spot) IsValue() bool { return s.n.target != 0 }

// IsTime says that the value is the time.
func (s Spot) IsTime() bool { return s.n.target&toTime != 0 }

// IsQuantity says that the value is the item's quantity.
func (s Spot) IsQuantity() bool { return s.n.target&toQuantity != 0 }

// IsOperation says that the value is the kind of a change event.
func (s Spot) IsOperation() bool { return s.n.target&toOperation != 0 }

// Parts are the parts of the item's name that the value is.
func (s Spot) Parts() []int { return s.n.parts }
