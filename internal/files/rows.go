package files

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
)

// rows reads rows of separated values. A quoted field may have line ends in it.
type rows struct {
	r     *bufio.Reader
	row   []byte
	first []byte // read ahead
}

func (f *File) openRows(text *bufio.Reader, comma rune, o *Options) error {
	rows := &rows{r: text}
	f.records = rows
	row, err := rows.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var fields []string
	if len(row) > 0 {
		if fields, err = splitRow(row, comma); err != nil {
			return fmt.Errorf("the first row: %w", err)
		}
	}
	header := fields
	if o.Header == HeaderAbsent || o.Header == HeaderAuto && o.Mapping.NumbersOnly() {
		header = nil
		rows.first = bytes.Clone(row)
	}
	if fields == nil {
		f.decoder, err = o.Mapping.NewDecoder() // an empty file; never asked
		return err
	}
	f.decoder, err = o.Mapping.NewRowDecoder(comma, header, len(fields))
	return err
}

func splitRow(row []byte, comma rune) ([]string, error) {
	r := csv.NewReader(bytes.NewReader(row))
	r.Comma = comma
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
