package event

import "strconv"

// The functions here name the place of a fault, such as items[2].quantity.

// appendPath adds the text of a path, in which the steps to every element have the given
// places; a step beyond them is left out.
func appendPath(text []byte, path Path, places []int) []byte {
	for i := range path {
		switch step := &path[i]; {
		case !step.IsEvery():
			if step.IsMember() && len(text) > 0 {
				text = append(text, '.')
			}
			if step.IsMember() {
				text = append(text, nameText(step.Name)...)
			} else {
				text = step.append(text, false)
			}
		case len(places) > 0:
			text = append(strconv.AppendInt(append(text, '['), int64(places[0]), 10), ']')
			places = places[1:]
		}
	}
	return text
}

// itemsPath names the array of items.
func (b *Builder) itemsPath() string {
	places := b.indexes
	if n := b.m.Items.every(); len(places) >= n && n > 0 {
		places = places[:n-1]
	}
	return string(appendPath(nil, b.m.document(), places))
}

// pathInItem names a place in the item.
func (b *Builder) pathInItem(path Path) string {
	text := appendPath(nil, b.m.document(), b.indexes)
	return string(appendPath(text, path, nil))
}

// namePath names a part of the item's name.
func (b *Builder) namePath(part int) string {
	source := &b.m.Names[part]
	switch source.From {
	case FromKey:
		return "record key"
	case FromHeader:
		return "header " + nameText(source.Header)
	}
	return b.pathInItem(source.Path)
}

func (b *Builder) quantityPath() string { return b.pathInItem(b.m.Quantity) }

// pathOf names the place of a node.
func (b *Builder) pathOf(n *node) string {
	switch {
	case n.inItem:
		return b.pathInItem(n.path)
	case n.item:
		return b.pathInItem(nil)
	}
	return string(appendPath(nil, n.path, b.indexes))
}

// Place takes note that element index is being read of the array that is so deep among
// the arrays on the way to the items, for messages and for BeginItem.
func (b *Builder) Place(depth, index int) { b.indexes = append(b.indexes[:depth], index) }

// Leave ends the array that Place has begun.
func (b *Builder) Leave(depth int) { b.indexes = b.indexes[:depth] }
