package event

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// RowDecoder decodes rows of separated values, one item each. It is not safe for
// concurrent use.
type RowDecoder struct {
	b       *Builder
	comma   byte
	fields  int // in a row
	row     [][]byte
	arena   []byte // of fields that had to be put together
	columns struct {
		time, quantity int // -1 for none
		names          []int
	}
}

// NewRowDecoder returns a decoder of rows by the mapping, whose paths are then names of
// columns: those of the header, or if it is nil the columns' numbers from 1. comma is what
// stands between two fields, and fields how many a row has.
func (m *Mapping) NewRowDecoder(comma byte, header []string, fields int) (*RowDecoder, error) {
	if len(m.Items) > 0 {
		return nil, fmt.Errorf("event: a row is one item, so there is no %s in it; give --name, and --items= if need be", m.Items)
	}
	if m.Envelope != NoEnvelope {
		return nil, fmt.Errorf("event: rows have no envelope, and none of %s", m.Envelope)
	}
	d := &RowDecoder{b: m.NewBuilder(), comma: comma, fields: fields}
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
			return 0, fmt.Errorf("event: the header has two columns %q", name)
		}
		return at, nil
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 1 {
		if n > fields {
			return 0, fmt.Errorf("event: there is no column %d: the first row has %d", n, fields)
		}
		return n - 1, nil
	}
	if header == nil {
		return 0, fmt.Errorf("event: without a header columns are numbers from 1, and %q is none", name)
	}
	return 0, fmt.Errorf("event: there is no column %q in the header: %s%s", name, strings.Join(header, ", "), otherComma(header))
}

// otherComma asks for another delimiter where a header of one name has some.
func otherComma(header []string) string {
	if len(header) == 1 {
		for _, comma := range []string{";", ",", "|", "\t"} {
			if strings.Contains(header[0], comma) {
				return fmt.Sprintf("; is it --delimiter=%q?", comma)
			}
		}
	}
	return ""
}

// Release implements Reader.
func (d *RowDecoder) Release() {
	d.b.Release()
	clear(d.row[:cap(d.row)])
}

// DecodeRecord implements Reader. The record's value is one row, with or without its end.
func (d *RowDecoder) DecodeRecord(r *Record) (*Event, *Error) {
	if fault := d.b.m.CheckSize(r.Value); fault != nil {
		return nil, fault
	}
	if !utf8.Valid(r.Value) {
		return nil, refuse(Malformed, "", "the row is not valid UTF-8")
	}
	if fault := d.split(r.Value); fault != nil {
		return nil, fault
	}
	row := d.row
	d.b.Begin(r)
	if fault := d.b.BeginItem(); fault != nil {
		return nil, fault
	}
	for part, at := range d.columns.names {
		if at < 0 {
			continue
		}
		if fault := d.b.Name(part, row[at]); fault != nil {
			return nil, fault
		}
	}
	if at := d.columns.quantity; at >= 0 && len(row[at]) > 0 {
		if fault := d.b.QuantityText(row[at]); fault != nil {
			return nil, fault
		}
	}
	if at := d.columns.time; at >= 0 && len(row[at]) > 0 {
		d.b.Time(row[at])
	}
	if fault := d.b.EndItem(); fault != nil {
		return nil, fault
	}
	return d.b.End()
}

func (d *RowDecoder) split(value []byte) *Error {
	var detail string
	d.row, d.arena, detail = splitRow(d.row[:0], d.arena[:0], value, d.comma)
	switch {
	case detail != "":
		return refuse(Malformed, "", detail)
	case len(d.row) != d.fields:
		return refuse(Malformed, "", fmt.Sprintf("the row has %d fields, the first one %d", len(d.row), d.fields))
	}
	return nil
}

// SplitRow parts a row, with or without its end, at the commas.
func SplitRow(row []byte, comma byte) ([]string, error) {
	fields, _, detail := splitRow(nil, nil, row, comma)
	if detail != "" {
		return nil, refuse(Malformed, "", detail)
	}
	texts := make([]string, len(fields))
	for i := range fields {
		texts[i] = string(fields[i])
	}
	return texts, nil
}

// splitRow adds the fields of a row; detail is what is wrong with it. A field that begins
// with a quote ends with one, and has them doubled within; elsewhere quotes mean nothing.
func splitRow(fields [][]byte, arena, row []byte, comma byte) (_ [][]byte, _ []byte, detail string) {
	row = bytes.TrimRight(row, "\r\n")
	for {
		if len(row) == 0 || row[0] != '"' {
			end := bytes.IndexByte(row, comma)
			if end < 0 {
				return append(fields, row[:len(row):len(row)]), arena, ""
			}
			fields, row = append(fields, row[:end:end]), row[end+1:]
			continue
		}
		field, rest, ok := quotedField(&arena, row[1:])
		if !ok {
			return nil, arena, fmt.Sprintf("field %d begins with a quote that is not closed%s", len(fields)+1, linesOf(row))
		}
		if fields = append(fields, field); len(rest) == 0 {
			return fields, arena, ""
		}
		if rest[0] != comma {
			return nil, arena, fmt.Sprintf("field %d goes on behind its closing quote", len(fields))
		}
		row = rest[1:]
	}
}

// quotedField reads a field from behind its first quote.
func quotedField(arena *[]byte, row []byte) (field, rest []byte, ok bool) {
	start, doubled := len(*arena), false
	for {
		end := bytes.IndexByte(row, '"')
		switch {
		case end < 0:
			return nil, nil, false
		case end+1 < len(row) && row[end+1] == '"':
			*arena = append(*arena, row[:end+1]...)
			row, doubled = row[end+2:], true
		case doubled:
			*arena = append(*arena, row[:end]...)
			return (*arena)[start:len(*arena):len(*arena)], row[end+1:], true
		default:
			return row[:end:end], row[end+1:], true
		}
	}
}

// linesOf says how many lines a row goes over, if they are several.
func linesOf(row []byte) string {
	if n := bytes.Count(row, []byte{'\n'}); n > 0 {
		return fmt.Sprintf(", and takes the next %d lines with it", n)
	}
	return ""
}
