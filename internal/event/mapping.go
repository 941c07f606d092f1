package event

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Mapping is what the configuration says about where things are, read and checked. It
// does not change.
type Mapping struct {
	Time     Path // nil: the record's timestamp
	Items    Path // to every item; empty: the record is one item
	Names    []NamePart
	Quantity Path // nil: one of each

	Separator string // between the parts of a name
	Split     string // in a name between the names of several items; "": none

	Envelope Envelope
	// Plain says that items are those of an order, whose drinks are strings.
	Plain bool

	times timeForm
	scope limits
}

// NamePart is where one part of an item's name comes from.
type NamePart struct {
	Path   Path   // in the item
	Header string // the record's header of that name, if FromHeader
	From   NameSource
}

// NameSource is where a part of a name is found.
type NameSource uint8

// A name is part of the item, of the record's headers or is the record's key.
const (
	FromItem NameSource = iota
	FromHeader
	FromKey
)

const (
	keySource    = "key"
	headerSource = "header:"
	oneOfEach    = "1"
)

// String is the part as it is configured.
func (p *NamePart) String() string {
	switch p.From {
	case FromHeader:
		return headerSource + p.Header
	case FromKey:
		return keySource
	}
	if len(p.Path) == 0 {
		return "."
	}
	if text := p.Path.String(); text != keySource && !strings.HasPrefix(text, headerSource) {
		return text
	}
	return "." + p.Path.String()
}

// limits are those of the Config, completed.
type limits struct {
	record, items, name int
	quantity            int64
}

// NewMapping reads the configuration. It fails when a path, the layout, the zone or the
// unit cannot be read, when two paths exclude each other, and when a limit is negative.
func NewMapping(c Config) (*Mapping, error) {
	scope, err := c.limits()
	if err != nil {
		return nil, err
	}
	c = c.WithDefaults()
	m := &Mapping{Separator: c.NameSeparator, Split: c.Split, Envelope: c.Envelope, scope: scope}
	m.Plain = c.Items == nameItems && slices.Equal(c.Names, []string{nameDrink}) && c.Quantity == nameQuantity
	if m.times, err = newTimeForm(&c, m.Plain); err != nil {
		return nil, err
	}
	if err := m.parsePaths(&c); err != nil {
		return nil, err
	}
	switch {
	case !utf8.ValidString(c.NameSeparator) || !utf8.ValidString(c.Split):
		return nil, errors.New("event: a separator is not valid UTF-8")
	case c.Envelope >= numEnvelopes:
		return nil, fmt.Errorf("event: %d is no envelope", c.Envelope)
	}
	return m, nil
}

func (m *Mapping) parsePaths(c *Config) (err error) {
	if c.TimeField != "" {
		if m.Time, err = ParsePath(c.TimeField); err != nil {
			return err
		}
		if len(m.Time) == 0 || m.Time.every() > 0 {
			return fmt.Errorf("event: the time %q is not the path to one value", c.TimeField)
		}
	}
	if m.Items, err = ParsePath(c.Items); err != nil {
		return err
	}
	if n := len(m.Items); n > 0 && !m.Items[n-1].IsEvery() {
		m.Items = append(m.Items, Every())
	}
	if c.Quantity != oneOfEach {
		if m.Quantity, err = ParsePath(c.Quantity); err != nil {
			return err
		}
		if len(m.Quantity) == 0 || m.Quantity.every() > 0 {
			return fmt.Errorf("event: the quantity %q is not the path to one value, nor 1", c.Quantity)
		}
	}
	for _, name := range c.Names {
		part, err := parseNamePart(name)
		if err != nil {
			return err
		}
		m.Names = append(m.Names, part)
	}
	return nil
}

func parseNamePart(text string) (NamePart, error) {
	if text == keySource {
		return NamePart{From: FromKey}, nil
	}
	if header, ok := strings.CutPrefix(text, headerSource); ok {
		if header == "" {
			return NamePart{}, errors.New("event: header: needs the name of a header")
		}
		return NamePart{From: FromHeader, Header: header}, nil
	}
	if text == "" {
		return NamePart{}, errors.New("event: the path to a name is empty; a point alone is the item itself")
	}
	path, err := ParsePath(text)
	if err == nil && path.every() > 0 {
		err = fmt.Errorf("event: the name %q is not the path to one value; the path to every item is --items", text)
	}
	return NamePart{Path: path}, err
}

// Text is the mapping in one line, by which two can be compared: empty for that of an
// order with its time in ts or another member.
func (m *Mapping) Text() string {
	if m.Plain && m.times.form == formRFC3339 && m.Envelope == NoEnvelope && m.Split == "" {
		return ""
	}
	var text strings.Builder
	names := make([]string, len(m.Names))
	for i := range m.Names {
		names[i] = m.Names[i].String()
	}
	quantity := oneOfEach
	if m.Quantity != nil {
		quantity = m.Quantity.String()
	}
	fmt.Fprintf(&text, "items=%q name=%q quantity=%q", m.Items.String(), strings.Join(names, ","), quantity)
	if len(names) > 1 {
		fmt.Fprintf(&text, " name-separator=%q", m.Separator)
	}
	if m.Split != "" {
		fmt.Fprintf(&text, " split=%q", m.Split)
	}
	fmt.Fprintf(&text, " time-layout=%q time-zone=%q", m.times.name(), m.times.zoneName())
	if m.Envelope != NoEnvelope {
		fmt.Fprintf(&text, " envelope=%s", m.Envelope)
	}
	return text.String()
}

// ArrayRecords says whether a record is an array itself, by the mapping.
func (m *Mapping) ArrayRecords() bool {
	return m.Envelope == NoEnvelope && len(m.Items) > 0 && !m.Items[0].IsMember()
}

// Required are the paths that a document must have something at, with those of its
// envelope: to the items, or to the parts of the name, to the quantity; and to the time,
// without which the record's timestamp would be taken.
func (m *Mapping) Required() []Path {
	var all []Path
	document := m.document()
	if len(m.Items) > 0 {
		all = append(all, document[:len(document)-1])
	}
	for i := range m.Names {
		if m.Names[i].From == FromItem && len(m.Names[i].Path) > 0 {
			all = append(all, join(document, m.Names[i].Path))
		}
	}
	if m.Quantity != nil {
		all = append(all, join(document, m.Quantity))
	}
	if m.Time != nil {
		all = append(all, join(document[:len(document)-len(m.Items)], m.Time))
	}
	return all
}
