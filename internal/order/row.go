package order

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Reader decodes records of one format.
type Reader interface {
	// DecodeRecord returns either an order, which is valid until the next record, or
	// why there is none.
	DecodeRecord(*Record) (*Order, *Error)
}

// RowDecoder decodes rows of separated values, one item each. It is not safe for
// concurrent use.
type RowDecoder struct {
	b       *Builder
	text    rowText
	csv     *csv.Reader
	fields  int // in a row
	columns struct {
		time, quantity int // -1 for none
		names          []int
	}
}

// NewRowDecoder returns a decoder of rows by the mapping, whose paths are then names of
// columns: those of the header, or if it is nil the columns' numbers from 1. fields is
// how many a row has.
func (m *Mapping) NewRowDecoder(comma rune, header []string, fields int) (*RowDecoder, error) {
	if len(m.Items) > 0 {
		return nil, fmt.Errorf("order: a row is one item, so there is no %s in it; give --name, and --items= if need be", m.Items)
	}
	if m.Envelope != NoEnvelope {
		return nil, fmt.Errorf("order: rows have no envelope, and none of %s", m.Envelope)
	}
	d := &RowDecoder{b: NewBuilder(m), fields: fields}
	d.csv = csv.NewReader(&d.text)
	d.csv.Comma, d.csv.ReuseRecord, d.csv.FieldsPerRecord = comma, true, -1
	var err error
	if d.columns.time, err = m.column(m.Time, header, fields); err != nil {
		return nil, err
	}
	if d.columns.quantity, err = m.column(m.Quantity, header, fields); err != nil {
		return nil, err
	}
	for i := range m.Names {
		at := -1
		if m.Names[i].From == FromItem {
			if at, err = m.column(m.Names[i].Path, header, fields); err != nil {
				return nil, err
			}
		}
		d.columns.names = append(d.columns.names, at)
	}
	return d, nil
}

// NumbersOnly says whether all columns of the mapping are numbers, so that a file has no
// header.
func (m *Mapping) NumbersOnly() bool {
	paths := []Path{m.Time, m.Quantity}
	for i := range m.Names {
		paths = append(paths, m.Names[i].Path)
	}
	for _, path := range paths {
		if _, err := strconv.ParseUint(path.columnName(), 10, 31); path != nil && err != nil {
			return false
		}
	}
	return true
}

// columnName is the path as it was written: a header may have points.
func (p Path) columnName() string {
	if len(p) == 1 && p[0].IsMember() {
		return p[0].Name
	}
	return p.String()
}

// column finds a column; -1 for a nil path.
func (m *Mapping) column(path Path, header []string, fields int) (int, error) {
	if path == nil {
		return -1, nil
	}
	name := path.columnName()
	if at := slices.Index(header, name); at >= 0 {
		if slices.Contains(header[at+1:], name) {
			return 0, fmt.Errorf("order: the header has two columns %q", name)
		}
		return at, nil
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 1 {
		if n > fields {
			return 0, fmt.Errorf("order: there is no column %d: the first row has %d", n, fields)
		}
		return n - 1, nil
	}
	if header == nil {
		return 0, fmt.Errorf("order: without a header columns are numbers from 1, and %q is none", name)
	}
	return 0, fmt.Errorf("order: there is no column %q in the header: %s", name, strings.Join(header, ", "))
}

// DecodeRecord implements Reader. The record's value is one row, with or without its end.
func (d *RowDecoder) DecodeRecord(r *Record) (*Order, *Error) {
	if fault := d.b.m.checkSize(r.Value); fault != nil {
		return nil, fault
	}
	if !utf8.Valid(r.Value) {
		return nil, refuse(Malformed, "", "the row is not valid UTF-8")
	}
	row, fault := d.split(r.Value)
	if fault != nil {
		return nil, fault
	}
	d.b.Begin(r)
	if fault := d.b.BeginItem(); fault != nil {
		return nil, fault
	}
	for part, at := range d.columns.names {
		if at < 0 {
			continue
		}
		if fault := d.b.Name(part, []byte(row[at])); fault != nil {
			return nil, fault
		}
	}
	if at := d.columns.quantity; at >= 0 && row[at] != "" {
		if fault := d.b.QuantityText([]byte(row[at])); fault != nil {
			return nil, fault
		}
	}
	if at := d.columns.time; at >= 0 && row[at] != "" {
		d.b.Time([]byte(row[at]))
	}
	if fault := d.b.EndItem(); fault != nil {
		return nil, fault
	}
	return d.b.End()
}

func (d *RowDecoder) split(value []byte) ([]string, *Error) {
	d.text.rest = value
	row, err := d.csv.Read()
	var parse *csv.ParseError
	switch {
	case errors.As(err, &parse):
		return nil, refuse(Malformed, "", fmt.Sprintf("column %d: %v", parse.Column, parse.Err))
	case err != nil:
		return nil, refuse(Malformed, "", "the row is blank")
	case len(row) != d.fields:
		return nil, refuse(Malformed, "", fmt.Sprintf("the row has %d fields, the first one %d", len(row), d.fields))
	}
	return row, nil
}

// rowText gives a csv.Reader one row after another: the end of each is one of the input,
// behind which the reader goes on.
type rowText struct{ rest []byte }

func (t *rowText) Read(into []byte) (int, error) {
	if len(t.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(into, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}
