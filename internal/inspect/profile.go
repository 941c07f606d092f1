// Package inspect finds out from a sample what records are made of, how they can be
// counted, and what that would refuse or lose.
package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/go-json-experiment/json/jsontext"

	"windowed/internal/event"
)

// Limits of what is remembered of a sample.
const (
	maxFields   = 2000
	maxDistinct = 20_000
	maxExamples = 3
	maxExample  = 60 // bytes
)

// Kind is what a value is.
type Kind uint8

// The kinds of scalars, and of what is around others.
const (
	Text Kind = iota
	Number
	Boolean
	Null
	Object
	Array

	numKinds
)

var kindTexts = [numKinds]string{Text: "text", Number: "number", Boolean: "boolean", Null: "null", Object: "object", Array: "array"}

// String is the kind's name.
func (k Kind) String() string { return kindTexts[k] }

// Field is what a sample has at one path.
type Field struct {
	Path     string // in the notation of event.Path; [] is every element
	Records  int    // that have it
	Values   int
	Kinds    [numKinds]int
	Examples []string

	steps    event.Path
	last     int            // the record it was last seen in
	distinct map[string]int // texts of scalars; nil once there are too many
	whole    int            // numbers that are whole, 1 to a million
}

// Profile is what a sample of records is made of. Not safe for concurrent use.
type Profile struct {
	Records int // documents that could be read
	Broken  int // and that could not
	Fields  []*Field

	byPath map[string]*Field
}

// NewProfile returns the profile of nothing.
func NewProfile() *Profile { return &Profile{byPath: make(map[string]*Field)} }

// AddJSON adds one JSON document.
func (p *Profile) AddJSON(value []byte) {
	d := jsontext.NewDecoder(bytes.NewBuffer(value))
	if err := d.SkipValue(); err != nil {
		p.Broken++
		return
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		p.Broken++
		return
	}
	p.Records++
	d.Reset(bytes.NewBuffer(value))
	p.walk(d, nil)
}

// AddRow adds one row of separated values under the names of their columns.
func (p *Profile) AddRow(names, row []string) {
	p.Records++
	for i, text := range row {
		path := event.Path{{Name: names[i], Index: -1}}
		if text == "" {
			p.add(path, Null, "")
			continue
		}
		kind := Text
		if event.IsNumber(text) {
			kind = Number
		}
		p.add(path, kind, text)
	}
}

// walk reads the next value, which is at the given path.
func (p *Profile) walk(d *jsontext.Decoder, path event.Path) {
	switch d.PeekKind() {
	case '{':
		p.add(path, Object, "")
		_, _ = d.ReadToken()
		for d.PeekKind() != '}' {
			name, _ := d.ReadToken()
			p.walk(d, append(path[:len(path):len(path)], event.Member(name.String())))
		}
		_, _ = d.ReadToken()
	case '[':
		p.add(path, Array, "")
		_, _ = d.ReadToken()
		for d.PeekKind() != ']' {
			p.walk(d, append(path[:len(path):len(path)], event.Every()))
		}
		_, _ = d.ReadToken()
	default:
		token, _ := d.ReadToken()
		p.add(path, kindOf(token.Kind()), token.String())
	}
}

func kindOf(k jsontext.Kind) Kind {
	switch k {
	case '"':
		return Text
	case '0':
		return Number
	case 'n':
		return Null
	}
	return Boolean
}

func (p *Profile) add(path event.Path, kind Kind, text string) {
	key := path.String()
	f := p.byPath[key]
	if f == nil {
		if len(p.Fields) == maxFields {
			return
		}
		f = &Field{Path: key, steps: path, last: -1, distinct: make(map[string]int)}
		p.byPath[key] = f
		p.Fields = append(p.Fields, f)
	}
	if f.last != p.Records {
		f.last = p.Records
		f.Records++
	}
	f.Values++
	f.Kinds[kind]++
	if kind < Null {
		f.see(text)
		if kind == Number && event.IsQuantity(text) {
			f.whole++
		}
	}
}

func (f *Field) see(text string) {
	if len(text) > maxExample*4 {
		text = text[:maxExample*4]
	}
	if len(f.Examples) < maxExamples && f.distinct != nil && f.distinct[text] == 0 && text != "" {
		f.Examples = append(f.Examples, cut(text))
	}
	if f.distinct == nil {
		return
	}
	if f.distinct[text]++; len(f.distinct) > maxDistinct {
		f.distinct = nil
	}
}

func cut(text string) string {
	if len(text) <= maxExample {
		return text
	}
	return fmt.Sprintf("%s...", bytes.ToValidUTF8([]byte(text[:maxExample]), nil))
}

// scalars are how many values are texts, numbers or booleans.
func (f *Field) scalars() int { return f.Kinds[Text] + f.Kinds[Number] + f.Kinds[Boolean] }

// share is how many of the values are of the kind, 0 to 1.
func (f *Field) share(kind Kind) float64 { return float64(f.Kinds[kind]) / float64(max(1, f.Values)) }

// entropy is how much a value tells, in bits.
func (f *Field) entropy() float64 {
	total, sum := 0, 0.0
	for text, n := range f.distinct {
		if text != "" {
			total += n
		}
	}
	for text, n := range f.distinct {
		if text != "" {
			share := float64(n) / float64(total)
			sum -= share * math.Log2(share)
		}
	}
	return sum
}
