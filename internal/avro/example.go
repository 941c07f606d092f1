package avro

import (
	"fmt"
	"math/big"
)

// Example is a payload with something in every field: numbers are 1, texts are text, and
// unions hold the first that is not null. It says whether a schema has what a mapping wants.
func (s *Schema) Example(text string) ([]byte, error) {
	e := example{definition: &s.writer, text: text, within: make(map[string]bool)}
	v, ok := e.value(scoped{node: s.writer.root})
	if !ok {
		return nil, fmt.Errorf("type %s contains itself", fullName(s.writer.root))
	}
	return s.writer.schema.Encode(v)
}

type example struct {
	*definition
	text   string
	within map[string]bool // the records that are being made
}

// value makes a value. It reports false where a record would contain itself.
func (e *example) value(at scoped) (any, bool) {
	at, ok := e.resolve(at)
	if !ok {
		return nil, false
	}
	n := at.node
	switch n.Type {
	case "record", "error":
		return e.record(at)
	case "array":
		if v, ok := e.value(at.inside(n.Items)); ok {
			return []any{v}, true
		}
		return []any{}, true
	case "map":
		return map[string]any{}, true
	case "union":
		for i := range n.Branches {
			if n.Branches[i].Type == "null" {
				continue
			}
			if v, ok := e.value(at.inside(&n.Branches[i])); ok {
				return v, true
			}
		}
		return nil, true
	case "enum":
		return n.Symbols[0], true
	case "fixed":
		if n.LogicalType == "decimal" {
			return big.NewRat(0, 1), true
		}
		return make([]byte, n.Size), true
	}
	return e.scalar(n.Type, n.LogicalType), true
}

func (e *example) scalar(kind, logical string) any {
	switch {
	case kind == "null":
		return nil
	case kind == "boolean":
		return true
	case logical == "decimal":
		return big.NewRat(1, 1)
	case logical == "uuid":
		return "00000000-0000-0000-0000-000000000001"
	case kind == "string":
		return e.text
	case kind == "bytes":
		return []byte{1}
	case kind == "float" || kind == "double":
		return 1.0
	}
	return 1
}

func (e *example) record(at scoped) (any, bool) {
	name := fullName(at.node)
	if e.within[name] {
		return nil, false
	}
	e.within[name] = true
	defer delete(e.within, name)
	object := make(map[string]any)
	for i := range at.node.Fields {
		f := &at.node.Fields[i]
		v, ok := e.value(at.inside(&f.Type))
		if !ok {
			return nil, false
		}
		object[f.Name] = v
	}
	return object, true
}
