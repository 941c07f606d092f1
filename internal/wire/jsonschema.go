package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"windowed/internal/event"
)

// jsonReader reads JSON behind a header.
type jsonReader struct {
	decoder   *event.Decoder
	validator *validator
	plain     event.Record
}

// Decode implements reader.
func (j *jsonReader) Decode(r *event.Record, payload []byte) (*event.Event, *event.Error) {
	j.plain = *r
	j.plain.Value = payload
	e, fault := j.decoder.DecodeRecord(&j.plain)
	if fault == nil && j.validator != nil {
		fault = j.validator.check(payload)
	}
	if fault != nil {
		return nil, fault
	}
	return e, nil
}

// validator checks values against a JSON Schema. It is safe for concurrent use.
// Release implements reader.
func (j *jsonReader) Release() {
	j.decoder.Release()
	j.plain = event.Record{}
}

type validator struct{ schema *jsonschema.Schema }

// root is the name of a schema that has none of its own.
const root = "registry:///schema.json"

// newValidator compiles a schema with those it refers to by their names.
func newValidator(text string, references []named) (*validator, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	for _, r := range references {
		if err := addResource(c, r.name, r.text); err != nil {
			return nil, err
		}
	}
	if err := addResource(c, root, text); err != nil {
		return nil, err
	}
	s, err := c.Compile(root)
	if err != nil {
		return nil, err
	}
	return &validator{s}, nil
}

func addResource(c *jsonschema.Compiler, name, text string) error {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	if !strings.Contains(name, ":") {
		name = "registry:///" + strings.TrimPrefix(name, "/") // relative to the root
	}
	return c.AddResource(name, doc)
}

// noLoader keeps schemas from naming files and addresses: what they need is in the
// registry.
type noLoader struct{}

// Load implements jsonschema.URLLoader.
func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is not among the references", url)
}

func (v *validator) check(payload []byte) *event.Error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(payload))
	if err == nil {
		err = v.schema.Validate(doc)
	}
	if err == nil {
		return nil
	}
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return malformed("%v", err)
	}
	for len(failed.Causes) > 0 {
		failed = failed.Causes[0]
	}
	var path strings.Builder
	for _, step := range failed.InstanceLocation {
		if _, err := strconv.Atoi(step); err == nil {
			fmt.Fprintf(&path, "[%s]", step)
			continue
		}
		if path.Len() > 0 {
			path.WriteByte('.')
		}
		path.WriteString(step)
	}
	fault := malformed("is not as the JSON Schema says: %s", lastClause(failed.Error()))
	fault.Path = cut(path.String())
	fault.Detail = cut(fault.Detail)
	return fault
}

// lastClause is what is behind the library's "jsonschema validation failed with ...".
func lastClause(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := lines[len(lines)-1]
	if _, said, ok := strings.Cut(last, "': "); ok {
		return said
	}
	return last
}

// maxText is where texts are cut that may hold parts of a record.
const maxText = 200

func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "..."
}
