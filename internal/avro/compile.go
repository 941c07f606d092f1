package avro

import (
	"fmt"
	"slices"

	"github.com/twmb/avro"

	"windowed/internal/event"
)

// compiler makes types of a writer's schema and a mapping's spots.
type compiler struct {
	*Schema
	shared map[string]*typ // named types of which nothing is wanted
}

// Compile makes a program of the schema for the builder's mapping.
func (s *Schema) Compile(b *event.Builder) (*Program, error) {
	m := b.Mapping()
	if m.Envelope != event.NoEnvelope && m.Envelope != event.Debezium {
		return nil, fmt.Errorf("the envelope %s is not known for Avro", m.Envelope)
	}
	root, err := m.Root()
	if err != nil {
		return nil, err
	}
	c := compiler{Schema: s, shared: make(map[string]*typ)}
	t, err := c.typ(scoped{node: s.writer.root}, scoped{node: s.reader.root}, root)
	return &Program{Builder: b, root: t}, err
}

// typ compiles one place. The reader's type is there for names and defaults only, and may
// be none or another kind.
func (c *compiler) typ(w, r scoped, spot event.Spot) (*typ, error) {
	w, ok := c.writer.resolve(w)
	if !ok {
		return nil, fmt.Errorf("type %q is not defined", w.node.Type)
	}
	if !spot.Wanted() {
		return c.skipped(w)
	}
	k, ok := kindOf(w.node.Type)
	if !ok {
		return nil, fmt.Errorf("type %q is not known", w.node.Type)
	}
	t := &typ{kind: k, wanted: true, spot: spot, size: w.node.Size + sizes[k], scale: w.node.Scale, use: useOf(k, w.node)}
	r = c.like(w, r)
	var err error
	switch k {
	case enumKind:
		t.symbols = symbols(w.node)
	case unionKind:
		for i := range w.node.Branches {
			var branch *typ
			if branch, err = c.typ(w.inside(&w.node.Branches[i]), r, spot); err != nil {
				return nil, err
			}
			t.branches = append(t.branches, branch)
		}
	case arrayKind:
		err = c.array(t, w, r)
	case mapKind:
		err = c.mapped(t, w, r)
	case recordKind:
		err = c.record(t, w, r)
	}
	t.empty, t.step = isEmpty(t), t.stepOf()
	t.item = spot.IsItem() && k == recordKind && !spot.IsArray()
	return t, err
}

// like is the part of the reader's type that values of the writer's type are read as.
func (c *compiler) like(w, r scoped) scoped {
	if r.node == nil {
		return r
	}
	r, ok := c.reader.resolve(r)
	switch {
	case !ok:
		return scoped{}
	case w.node.Type == "union" || r.node.Type != "union":
		return r
	}
	var found scoped
	for i := range r.node.Branches {
		branch, ok := c.reader.resolve(r.inside(&r.node.Branches[i]))
		if !ok || branch.node.Type != w.node.Type {
			continue
		}
		if found.node == nil || isNamed(w.node) && fullName(branch.node) == fullName(w.node) {
			found = branch
		}
	}
	return found
}

func useOf(k kind, n *avro.SchemaNode) use {
	if u, ok := logical[k][n.LogicalType]; ok {
		if u != uuidUse || n.Size == 16 {
			return u
		}
	}
	name, _ := n.Props["connect.name"].(string)
	return logical[k][name]
}

func symbols(n *avro.SchemaNode) [][]byte {
	all := make([][]byte, len(n.Symbols))
	for i, s := range n.Symbols {
		all[i] = []byte(s)
	}
	return all
}

func (c *compiler) array(t *typ, w, r scoped) (err error) {
	if !t.spot.IsArray() {
		t.items, err = c.skipped(w.inside(w.node.Items))
		return err
	}
	var items scoped
	if r.node != nil && r.node.Type == "array" {
		items = r.inside(r.node.Items)
	}
	each, last := t.spot.Elements()
	if t.items, err = c.typ(w.inside(w.node.Items), items, each); err != nil {
		return err
	}
	for i := range last + 1 {
		place := t.items
		if spot := t.spot.At(i); spot.Wanted() {
			if place, err = c.typ(w.inside(w.node.Items), items, spot); err != nil {
				return err
			}
		}
		t.places = append(t.places, place)
	}
	return nil
}

func (c *compiler) mapped(t *typ, w, r scoped) (err error) {
	if t.items, err = c.skipped(w.inside(w.node.Values)); err != nil {
		return err
	}
	var values scoped
	if r.node != nil && r.node.Type == "map" {
		values = r.inside(r.node.Values)
	}
	for name, spot := range t.spot.Members() {
		value, err := c.typ(w.inside(w.node.Values), values, spot)
		if err != nil {
			return err
		}
		t.keys = append(t.keys, key{name, value})
	}
	return nil
}

// record finds the wanted fields: by their name, by the name or an alias that the reader
// has for them, or by an alias of the writer's own. What the writer does not know has the
// reader's default.
func (c *compiler) record(t *typ, w, r scoped) error {
	if r.node == nil || !isRecord(r.node) {
		r = scoped{}
	}
	spots := make([]event.Spot, len(w.node.Fields))
	readers := make([]scoped, len(w.node.Fields))
	for name, spot := range t.spot.Members() {
		field := readerField(r.node, name)
		at := writerField(w.node, field, name)
		if at < 0 {
			if err := c.absent(t, r, field, spot); err != nil {
				return err
			}
			continue
		}
		if spots[at].Wanted() {
			return fmt.Errorf("field %q is wanted under two names, one of which is an alias", w.node.Fields[at].Name)
		}
		spots[at] = spot
		if field != nil {
			readers[at] = r.inside(&field.Type)
		}
	}
	for i := range w.node.Fields {
		field, err := c.typ(w.inside(&w.node.Fields[i].Type), readers[i], spots[i])
		if err != nil {
			return err
		}
		t.fields = append(t.fields, field)
	}
	return nil
}

// readerField is the reader's field of that name, or with that alias.
func readerField(r *avro.SchemaNode, name string) *avro.SchemaField {
	if r == nil {
		return nil
	}
	if at := fieldAt(r, name); at >= 0 {
		return &r.Fields[at]
	}
	for i := range r.Fields {
		if slices.Contains(r.Fields[i].Aliases, name) {
			return &r.Fields[i]
		}
	}
	return nil
}

// writerField is where the writer has a field of that name, of that of the reader's
// field or of its aliases, or one that it says was called so; -1 if it has none.
func writerField(w *avro.SchemaNode, field *avro.SchemaField, name string) int {
	names := []string{name}
	if field != nil {
		names = append(append(names, field.Name), field.Aliases...)
	}
	for _, n := range names {
		if at := fieldAt(w, n); at >= 0 {
			return at
		}
	}
	for i := range w.Fields {
		if slices.Contains(w.Fields[i].Aliases, name) {
			return i
		}
	}
	return -1
}

func fieldAt(n *avro.SchemaNode, name string) int {
	return slices.IndexFunc(n.Fields, func(f avro.SchemaField) bool { return f.Name == name })
}

// absent takes the default of a field that the writer does not know, if there is one. It
// becomes bytes of the reader's type, which are walked as if they had been written.
func (c *compiler) absent(t *typ, r scoped, field *avro.SchemaField, spot event.Spot) error {
	if field == nil || !field.HasDefault || field.Default == nil {
		return nil // a null is as good as none
	}
	schema, err := field.Type.Schema(lax)
	if err != nil {
		return fmt.Errorf("the type of field %q: %w", field.Name, err)
	}
	bytes, err := schema.Encode(field.Default)
	if err != nil {
		return fmt.Errorf("the default of field %q: %w", field.Name, err)
	}
	own := compiler{Schema: &Schema{writer: c.reader, reader: c.reader}, shared: make(map[string]*typ)}
	inside := r.inside(&field.Type)
	typ, err := own.typ(inside, inside, spot)
	if err != nil {
		return err
	}
	t.defaults = append(t.defaults, missing{typ, bytes})
	return nil
}

// skipped compiles a type that nothing is wanted of. Named types may contain themselves.
func (c *compiler) skipped(w scoped) (*typ, error) {
	w, ok := c.writer.resolve(w)
	if !ok {
		return nil, fmt.Errorf("type %q is not defined", w.node.Type)
	}
	k, ok := kindOf(w.node.Type)
	if !ok {
		return nil, fmt.Errorf("type %q is not known", w.node.Type)
	}
	t := &typ{kind: k, size: w.node.Size + sizes[k], symbols: symbols(w.node)}
	if isNamed(w.node) {
		if known := c.shared[fullName(w.node)]; known != nil {
			return known, nil
		}
		c.shared[fullName(w.node)] = t
	}
	for _, child := range w.children() {
		part, err := c.skipped(child)
		if err != nil {
			return nil, err
		}
		switch k {
		case recordKind:
			t.fields = append(t.fields, part)
		case unionKind:
			t.branches = append(t.branches, part)
		default:
			t.items = part
		}
	}
	t.empty, t.step = isEmpty(t), t.stepOf()
	return t, nil
}

// isEmpty says whether values of the type take no bytes at all.
func isEmpty(t *typ) bool {
	switch t.kind {
	case nullKind:
		return true
	case fixedKind:
		return t.size == 0
	case recordKind:
		return !slices.ContainsFunc(t.fields, func(f *typ) bool { return !f.empty })
	}
	return false
}
