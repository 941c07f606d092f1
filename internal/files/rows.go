package files

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"windowed/internal/order"
)

// rows reads rows of separated values. A quoted field may have line ends in it.
type rows struct {
	r     *bufio.Reader
	row   []byte
	first []byte // read ahead
}

func (f *File) openRows(text *bufio.Reader, comma rune, o *Options) error {
	rows := &rows{r: text}
	f.records, f.comma = gather(rows.next, o.ChunkSize), comma
	row, err := rows.next()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	fields, err := f.Split(row)
	if err != nil {
		return fmt.Errorf("the first row: %w", err)
	}
	f.fields = len(fields)
	if o.hasHeader(fields) {
		f.header = fields
	} else {
		rows.first = bytes.Clone(row)
	}
	return nil
}

func (o *Options) hasHeader(first []string) bool {
	switch {
	case o.Header != HeaderAuto:
		return o.Header == HeaderPresent
	case o.Mapping != nil:
		return !o.Mapping.NumbersOnly()
	}
	times, err := order.NewTimes(order.Config{TimeField: "t", TimeLayout: order.LayoutISO})
	for _, field := range first {
		if field == "" || order.IsNumber(field) {
			return false
		}
		if _, ok := times.Read(field); ok && err == nil {
			return false
		}
	}
	return true
}

// Columns are the names of the columns of rows: those of the header, or numbers from 1.
func (f *File) Columns() []string {
	if f.header != nil {
		return f.header
	}
	names := make([]string, f.fields)
	for i := range names {
		names[i] = strconv.Itoa(i + 1)
	}
	return names
}

// Split parts a row.
func (f *File) Split(row []byte) ([]string, error) {
	r := csv.NewReader(bytes.NewReader(row))
	r.Comma = f.comma
	return r.Read()
}

// next is the next row that is not blank, without its end.
func (r *rows) next() ([]byte, error) {
	if row := r.first; row != nil {
		r.first = nil
		return row, nil
	}
	for {
		row, err := r.read()
		if len(bytes.TrimSpace(row)) > 0 {
			return row, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// read reads up to the next line end that is not within quotes. What is too long for a
// record is cut, and ends at the next line end.
func (r *rows) read() ([]byte, error) {
	r.row = r.row[:0]
	quotes := 0
	for {
		part, err := r.r.ReadSlice('\n')
		quotes += bytes.Count(part, []byte{'"'})
		r.row = append(r.row, part[:min(len(part), maxRecord-min(maxRecord, len(r.row)))]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil || quotes%2 == 0 || len(r.row) == maxRecord:
			return bytes.TrimRight(r.row, "\r\n"), err
		}
	}
}
