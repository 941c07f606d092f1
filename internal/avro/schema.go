// Package avro reads events from Avro's binary encoding. It compiles the schema a record
// was written with, and a mapping, into a program that walks the bytes once, hands what
// the mapping wants to an event.Builder and skips everything else without copying it.
package avro

import (
	"fmt"
	"strings"

	"github.com/twmb/avro"
)

// Schema is a schema that records are written with, and if there is one the schema that
// they should be read with, for aliases and defaults. It does not change and is safe for
// concurrent use.
type Schema struct {
	writer, reader definition
}

// Text is the text of a schema with those it refers to, each before the ones that need it.
type Text struct {
	Schema     string
	References []string
}

// Parse reads the schema of a writer; reader may be nil. An error says that the schema
// cannot be used, ever.
func Parse(writer Text, reader *Text) (*Schema, error) {
	s := new(Schema)
	if err := s.writer.parse(writer); err != nil {
		return nil, err
	}
	if reader == nil {
		return s, nil
	}
	if err := s.reader.parse(*reader); err != nil {
		return nil, fmt.Errorf("the newest version of it: %w", err)
	}
	return s, nil
}

// definition is a parsed schema.
type definition struct {
	schema *avro.Schema
	root   *avro.SchemaNode // nil: there is none
	named  map[string]scoped
}

// scoped is a part of a schema, and the namespace of the names in it.
type scoped struct {
	node      *avro.SchemaNode
	namespace string
}

// lax takes names that the specification forbids: registries take them too.
var lax = avro.WithLaxNames(func(string) error { return nil })

func (d *definition) parse(text Text) error {
	var cache avro.SchemaCache
	d.named = make(map[string]scoped)
	for _, reference := range text.References {
		schema, err := cache.Parse(reference, lax)
		if err != nil {
			return err
		}
		d.collect(scoped{node: schema.Root()})
	}
	schema, err := cache.Parse(text.Schema, lax)
	if err != nil {
		return err
	}
	d.schema, d.root = schema, schema.Root()
	d.collect(scoped{node: d.root})
	return nil
}

// isNamed says whether a node defines a type with a name.
func isNamed(n *avro.SchemaNode) bool { return isRecord(n) || n.Type == "enum" || n.Type == "fixed" }

func isRecord(n *avro.SchemaNode) bool { return n.Type == "record" || n.Type == "error" }

// fullName is the name of a type with its namespace.
func fullName(n *avro.SchemaNode) string {
	if strings.Contains(n.Name, ".") || n.Namespace == "" {
		return strings.TrimPrefix(n.Name, ".")
	}
	return n.Namespace + "." + n.Name
}

// inside is the scope of what is in a node.
func (s scoped) inside(node *avro.SchemaNode) scoped {
	if isNamed(s.node) {
		name := fullName(s.node)
		return scoped{node, name[:max(strings.LastIndexByte(name, '.'), 0)]}
	}
	return scoped{node, s.namespace}
}

// collect takes note of the types that are defined in a node.
func (d *definition) collect(s scoped) {
	if isNamed(s.node) {
		d.named[fullName(s.node)] = s
	}
	for _, child := range s.children() {
		d.collect(child)
	}
}

func (s scoped) children() []scoped {
	var all []scoped
	switch n := s.node; {
	case isRecord(n):
		for i := range n.Fields {
			all = append(all, s.inside(&n.Fields[i].Type))
		}
	case n.Type == "array":
		all = append(all, s.inside(n.Items))
	case n.Type == "map":
		all = append(all, s.inside(n.Values))
	case n.Type == "union":
		for i := range n.Branches {
			all = append(all, s.inside(&n.Branches[i]))
		}
	}
	return all
}

// resolve follows a name to the type it means.
func (d *definition) resolve(s scoped) (scoped, bool) {
	switch s.node.Type {
	case "null", "boolean", "int", "long", "float", "double", "bytes", "string",
		"record", "error", "enum", "fixed", "array", "map", "union":
		return s, true
	}
	name := s.node.Type
	if !strings.Contains(name, ".") && s.namespace != "" {
		if found, ok := d.named[s.namespace+"."+name]; ok {
			return found, true
		}
	}
	found, ok := d.named[strings.TrimPrefix(name, ".")]
	return found, ok
}
