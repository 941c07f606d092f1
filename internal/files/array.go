package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// array reads the elements of one JSON array.
type array struct {
	in    *bounded
	json  *jsontext.Decoder
	begun bool
	ended bool
	n     int // elements read
}

// newArray reads an array whose elements are judged one by one: names that come twice
// and bad UTF-8 are the record's fault, not the file's.
func newArray(r *bufio.Reader) *array {
	in := &bounded{in: r}
	return &array{in: in, json: jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

func (a *array) next() ([]byte, error) {
	if a.ended {
		return nil, io.EOF
	}
	if !a.begun {
		a.begun = true
		if _, err := a.json.ReadToken(); err != nil {
			return nil, a.fault(err)
		}
	}
	if a.json.PeekKind() == ']' {
		if _, err := a.json.ReadToken(); err != nil {
			return nil, a.fault(err)
		}
		if _, err := a.json.ReadToken(); !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("the JSON array is followed by more at byte %d; records are one array, or lines", a.json.InputOffset())
		}
		a.ended = true
		return nil, io.EOF
	}
	a.in.until = a.json.InputOffset() + maxElement
	value, err := a.json.ReadValue()
	if err != nil {
		return nil, a.fault(err)
	}
	a.n++
	return value, nil
}

// fault: nothing can be read behind an element that is no JSON.
func (a *array) fault(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("element %d of the JSON array: %w", a.n, err)
}

// arrayLines says whether the text is lines of which each is an array: then the first is
// one, and another follows it.
func arrayLines(text *bufio.Reader) bool {
	head, _ := text.Peek(bufferSize)
	line, rest, ok := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte{'\n'})
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return ok && len(rest) > 0 && rest[0] == '[' && jsontext.Value(line).IsValid()
}

// maxElement is how long an element of an array may be: the reader holds all of it, and one
// that is not closed is as long as the file.
const maxElement = 64 << 20

// bounded is an input of which no more is read than is allowed for now.
type bounded struct {
	in          io.Reader
	read, until int64
}

func (b *bounded) Read(into []byte) (int, error) {
	if b.until > 0 && b.read > b.until {
		return 0, fmt.Errorf("is longer than %d bytes", maxElement)
	}
	n, err := b.in.Read(into)
	b.read += int64(n)
	return n, err
}
