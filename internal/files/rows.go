package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"windowed/internal/event"
)

// rows reads rows of separated values. A field that begins with a quote may have line ends
// in it.
type rows struct {
	r     *bufio.Reader
	comma byte
	row   []byte
	first []byte // read ahead
}

func (f *File) openRows(text *bufio.Reader, comma byte, o *Options) error {
	rows := &rows{r: text, comma: comma}
	f.records, f.comma = gather(rows.next, o.ChunkSize), comma
	row, err := rows.next()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	if o.Guess && o.Comma == 0 {
		f.comma = likelyComma(row, comma)
		rows.comma = f.comma
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

// likelyComma is what parts the first row into most fields, and the usual one if nothing
// does so better.
func likelyComma(row []byte, usual byte) byte {
	likely, most := usual, 0
	for _, comma := range append([]byte{usual}, ",;|\t"...) {
		if fields, err := event.SplitRow(row, comma); err == nil && len(fields) > most {
			likely, most = comma, len(fields)
		}
	}
	return likely
}

func (o *Options) hasHeader(first []string) bool {
	switch {
	case o.Header != HeaderAuto:
		return o.Header == HeaderPresent
	case o.Mapping != nil:
		return !o.Mapping.NumbersOnly()
	}
	times, err := event.NewTimes(event.Config{TimeField: "t", TimeLayout: event.LayoutISO})
	for _, field := range first {
		if field == "" || event.IsNumber(field) || looksLikeValue(field) {
			return false
		}
		if _, ok := times.Read(field); ok && err == nil {
			return false
		}
	}
	return true
}

// looksLikeValue says whether a field is hardly a name: it has digits and no letters, or
// the reading of a clock.
func looksLikeValue(field string) bool {
	return strings.ContainsAny(field, "0123456789") && strings.IndexFunc(field, unicode.IsLetter) < 0 || clockReading.MatchString(field)
}

var clockReading = regexp.MustCompile(`\d:\d\d`)

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
	return event.SplitRow(row, f.comma)
}

// next is the next row that is not blank, without its end.
func (r *rows) next() ([]byte, error) {
	if row := r.first; row != nil {
		r.first = nil
		return row, nil
	}
	for {
		row, err := r.read()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err // and not the half of a row
		}
		if !r.isBlank(row) {
			return row, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// isBlank says whether a row has nothing in it; a tab may stand between two empty fields.
func (r *rows) isBlank(row []byte) bool {
	return len(bytes.TrimFunc(row, func(c rune) bool { return c == ' ' || c == '\t' && r.comma != '\t' })) == 0
}

// read reads up to the next line end that is not within quotes. What is too long for a
// record is cut, and ends at the next line end.
func (r *rows) read() ([]byte, error) {
	r.row = r.row[:0]
	at := inField{begins: true}
	for {
		part, err := r.r.ReadSlice('\n')
		at.read(part, r.comma)
		r.row = append(r.row, part[:min(len(part), maxRecord-min(maxRecord, len(r.row)))]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil || !at.quoted || len(r.row) == maxRecord:
			return bytes.TrimRight(r.row, "\r\n"), err
		}
	}
}

// inField is where in a field one is.
type inField struct {
	begins bool // at its first byte
	quoted bool // within quotes
	closed bool // right behind the closing quote, unless that is a doubled one
}

// read goes on over text.
func (f *inField) read(text []byte, comma byte) {
	for len(text) > 0 {
		if f.quoted {
			end := bytes.IndexByte(text, '"')
			if end < 0 {
				return
			}
			f.quoted, f.closed, text = false, true, text[end+1:]
			continue
		}
		opens := (f.begins || f.closed) && text[0] == '"'
		if f.begins, f.closed = false, false; opens {
			f.quoted, text = true, text[1:]
			continue
		}
		end := bytes.IndexByte(text, comma)
		if f.begins = end >= 0; !f.begins {
			return
		}
		text = text[end+1:]
	}
}
