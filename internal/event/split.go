package event

import (
	"bytes"
	"fmt"
)

// split makes an item of every name in a list. White space around a name is not part of
// it; an empty one is refused, save for a list that ends in a separator.
func (b *Builder) split(list []byte) *Error {
	separator := []byte(b.m.Split)
	for n := 0; ; n++ {
		name, rest, more := bytes.Cut(list, separator)
		name = bytes.TrimSpace(name)
		switch {
		case len(name) == 0:
			return refuse(InvalidName, b.namePath(0), fmt.Sprintf("has an empty name at place %d of the list", n))
		case len(name) > b.m.scope.name:
			return refuse(InvalidName, b.namePath(0),
				fmt.Sprintf("has a name of %d bytes at place %d of the list, over the limit of %d", len(name), n, b.m.scope.name))
		case len(b.items) == b.m.scope.items:
			return b.tooMany()
		}
		b.items = append(b.items, Item{Name: name[:len(name):len(name)], Quantity: b.quantity})
		if !more || len(bytes.TrimSpace(rest)) == 0 {
			return nil
		}
		list = rest
	}
}
