package event

import "fmt"

// node is a place in a document: what is to be done with the value there.
type node struct {
	members []member
	places  []place
	every   *node

	target target
	parts  []int // of the name, if the target is one
	item   bool  // the value is an item
	list   bool  // the array is the outermost on the way to the items
	image  bool  // the value is what a change event says is new

	path    Path // for messages; from the item on, if inItem
	inItem  bool
	element bool // of an array
	root    bool
	reason  Reason // of a value that leads nowhere
}

type member struct {
	name string
	node *node
}

type place struct {
	index int
	node  *node
}

// target is what a value is for.
type target uint8

const (
	toTime target = 1 << iota
	toSpareTime
	toName
	toQuantity
	toOperation
)

// document is the path to the items with that of the envelope before it, as messages
// name it.
func (m *Mapping) document() Path {
	switch m.Envelope {
	case Connect:
		return join(Path{{Name: "payload"}}, m.Items)
	case Debezium:
		return join(Path{{Name: "after"}}, m.Items)
	}
	return m.Items
}

func join(paths ...Path) Path {
	var all Path
	for _, p := range paths {
		all = append(all, p...)
	}
	return all
}

// plans compiles the mapping: the second is for CloudEvents in structured form, and
// otherwise nil.
func (m *Mapping) plans() (plain, structured *node, err error) {
	plain = &node{root: true, reason: Malformed}
	switch m.Envelope {
	case NoEnvelope:
		return plain, nil, m.compile(plain, nil)
	case Connect:
		return plain, nil, m.compile(plain, Path{{Name: "payload"}})
	case Debezium:
		for _, prefix := range []Path{nil, {{Name: "payload"}}} {
			if err := plain.to(join(prefix, Path{{Name: "op"}}), Malformed, toOperation, 0); err != nil {
				return nil, nil, err
			}
			after := join(prefix, Path{{Name: "after"}})
			if err := m.compile(plain, after); err != nil {
				return nil, nil, err
			}
			plain.at(after).image = true
		}
		return plain, nil, nil
	}
	if err := m.compile(plain, nil); err != nil {
		return nil, nil, err
	}
	structured = &node{root: true, reason: Malformed}
	if err := m.compile(structured, Path{{Name: "data"}}); err != nil {
		return nil, nil, err
	}
	return plain, structured, structured.to(Path{{Name: "time"}}, Malformed, toSpareTime, 0)
}

// compile adds the mapping's paths below prefix to the plan.
func (m *Mapping) compile(root *node, prefix Path) error {
	if m.Time != nil {
		if err := root.to(join(prefix, m.Time), Malformed, toTime, 0); err != nil {
			return err
		}
	}
	item := root
	for i, step := range join(prefix, m.Items) {
		if step.IsEvery() && item.every == nil {
			item.list = m.Items[:i-len(prefix)].every() == 0
		}
		var err error
		if item, err = item.child(step, false, Malformed); err != nil {
			return err
		}
	}
	item.item = true
	for i := range m.Names {
		if m.Names[i].From != FromItem {
			continue
		}
		if err := item.to(m.Names[i].Path, InvalidName, toName, i); err != nil {
			return err
		}
	}
	if m.Quantity == nil {
		return nil
	}
	return item.to(m.Quantity, InvalidQuantity, toQuantity, 0)
}

// to adds a target at the end of a path.
func (n *node) to(path Path, reason Reason, target target, part int) error {
	inItem := target&(toName|toQuantity) != 0
	at := n
	for _, step := range path {
		var err error
		if at, err = at.child(step, inItem, reason); err != nil {
			return err
		}
	}
	if at.members != nil || at.places != nil || at.every != nil {
		return fmt.Errorf("event: %s is configured as a value, and as something around others", at)
	}
	at.target |= target
	if target == toName {
		at.parts = append(at.parts, part)
	}
	return nil
}

// child returns the node one step further, which it adds if need be.
func (n *node) child(step Step, inItem bool, reason Reason) (*node, error) {
	if n.target != 0 {
		return nil, fmt.Errorf("event: %s is configured as a value, and as something around others", n)
	}
	if step.IsMember() && (n.places != nil || n.every != nil) || !step.IsMember() && n.members != nil ||
		step.kind == indexStep && n.every != nil || step.IsEvery() && n.places != nil {
		return nil, fmt.Errorf("event: %s is configured in two ways: as an object and as an array, or as all of an array and as one of it", n)
	}
	for _, m := range n.members {
		if step.IsMember() && m.name == step.Name {
			return m.node, nil
		}
	}
	for _, p := range n.places {
		if step.kind == indexStep && p.index == step.Index {
			return p.node, nil
		}
	}
	if step.IsEvery() && n.every != nil {
		return n.every, nil
	}
	child := &node{inItem: inItem, element: !step.IsMember(), reason: reason}
	if inItem == n.inItem && !(inItem && n.item) {
		child.path = append(child.path, n.path...)
	}
	child.path = append(child.path, step)
	switch {
	case step.IsMember():
		n.members = append(n.members, member{step.Name, child})
	case step.IsEvery():
		n.every = child
	default:
		n.places = append(n.places, place{step.Index, child})
	}
	return child, nil
}

// at is the node at the end of a path of names, which must be there.
func (n *node) at(path Path) *node {
	for i := range path {
		n = n.member([]byte(path[i].Name))
	}
	return n
}

// String names the place in messages about the configuration.
func (n *node) String() string {
	if len(n.path) == 0 {
		return "the record itself"
	}
	return fmt.Sprintf("%q", n.path.String())
}

// member returns the node of the member with the given name; nil if it means nothing.
func (n *node) member(name []byte) *node {
	for i := range n.members {
		if n.members[i].name == string(name) {
			return n.members[i].node
		}
	}
	return nil
}

// elementAt returns the node of the element at the given place.
func (n *node) elementAt(index int) *node {
	if n.every != nil {
		return n.every
	}
	for i := range n.places {
		if n.places[i].index == index {
			return n.places[i].node
		}
	}
	return nil
}
