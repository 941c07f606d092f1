// Package files reads the records of files: JSON lines, a JSON array, or rows of
// separated values, compressed or not.
package files

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"windowed/internal/event"
)

// Format is how the records of a file are written. The zero value is Auto.
type Format uint8

// The formats. Auto goes by the file's name (.csv, .tsv), else it is JSON; JSON is an
// array if the first byte is a bracket and no record is one itself, and lines otherwise.
const (
	Auto Format = iota
	JSON
	CSV
	TSV
)

var formatTexts = [...]string{Auto: "auto", JSON: "json", CSV: "csv", TSV: "tsv"}

// String is the format's name: auto, json, csv or tsv.
func (f Format) String() string { return formatTexts[f] }

// ParseFormat returns the format of the given name.
func ParseFormat(text string) (Format, error) {
	for f, t := range formatTexts {
		if t == text {
			return Format(f), nil
		}
	}
	return Auto, fmt.Errorf("%q is no format of files (want auto, json, csv or tsv)", text)
}

// Options say how files are read.
type Options struct {
	Format Format
	Header Header
	// Comma is what stands between the fields of CSV and TSV, and is neither a quote nor a
	// line end. 0: a comma or a tab.
	Comma byte
	// Guess takes another Comma if the first row has that, and lines of which each is an
	// array for lines.
	Guess bool
	// Mapping decides what Auto and HeaderAuto mean. Without one, HeaderAuto is a guess:
	// a first row without numbers and times.
	Mapping *event.Mapping
	// ChunkSize is about how many bytes a chunk has; default 1 MiB. The records do not
	// depend on it.
	ChunkSize int
}

// Header says whether separated values begin with a row of names.
type Header uint8

// HeaderAuto: there is one, unless the mapping names all columns by numbers.
const (
	HeaderAuto Header = iota
	HeaderPresent
	HeaderAbsent
)

// File is a file that is being read. Not safe for concurrent use.
type File struct {
	records interface {
		chunk() (*Chunk, error)
	}
	now     *Chunk   // what values are of
	values  [][]byte // for Next
	format  Format
	comma   byte
	header  []string // nil if there is none
	fields  int      // in the first row
	closers []func()
}

// bufferSize is how much is read at once, unless a chunk takes more: then it is read
// without a copy in between.
const bufferSize = 64 << 10

// Open begins to read a file of the given name from in. Gzip and zstd are found by their
// first bytes, whatever the name.
func Open(in io.Reader, name string, o Options) (*File, error) {
	f := new(File)
	if o.ChunkSize == 0 {
		o.ChunkSize = 1 << 20
	}
	text, err := f.unpack(in)
	if err == nil {
		err = foreign(text)
	}
	if err == nil {
		err = f.open(text, name, o)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *File) open(text *bufio.Reader, name string, o Options) error {
	if bom, _ := text.Peek(3); string(bom) == "\xef\xbb\xbf" {
		_, _ = text.Discard(len(bom))
	}
	format := o.Format
	if format == Auto {
		format = byName(name)
	}
	f.format = format
	switch format {
	case CSV:
		return f.openRows(text, cmp.Or(o.Comma, ','), &o)
	case TSV:
		return f.openRows(text, cmp.Or(o.Comma, '\t'), &o)
	}
	lines := o.Mapping != nil && o.Mapping.ArrayRecords() || o.Guess && arrayLines(text)
	if !lines && firstByte(text) == '[' {
		f.records = gather(newArray(text).next, o.ChunkSize)
	} else {
		f.records = newLines(text, o.ChunkSize)
	}
	return nil
}

// unpack returns what is in a compressed file, and any other as it is.
func (f *File) unpack(in io.Reader) (*bufio.Reader, error) {
	buffered := bufio.NewReaderSize(in, bufferSize)
	magic, _ := buffered.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		return bufio.NewReaderSize(z, bufferSize), nil
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		f.closers = append(f.closers, z.Close)
		return bufio.NewReaderSize(z, bufferSize), nil
	}
	return buffered, nil
}

// maxWindow bounds the memory that a zstd file can ask for.
const maxWindow = 128 << 20

func byName(name string) Format {
	name = strings.ToLower(name)
	for _, packed := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, packed)
	}
	switch filepath.Ext(name) {
	case ".csv":
		return CSV
	case ".tsv", ".tab":
		return TSV
	}
	return JSON
}

// firstByte is the first that is not white space; 0 if there is none nearby.
func firstByte(text *bufio.Reader) byte {
	for n := 64; n <= bufferSize; n *= 4 {
		head, err := text.Peek(n)
		if head = bytes.TrimLeft(head, " \t\r\n"); len(head) > 0 {
			return head[0]
		}
		if err != nil {
			break
		}
	}
	return 0
}

// Chunk is the next run of records; io.EOF after the last. Whatever is wrong with the file
// comes after the records in front of it.
func (f *File) Chunk() (*Chunk, error) { return f.records.chunk() }

// Next is the value of the next record; io.EOF after the last. It is valid until the
// next call. A file is read by Next or by Chunk.
func (f *File) Next() ([]byte, error) {
	for len(f.values) == 0 {
		if f.now != nil {
			f.now.Done()
		}
		var err error
		if f.now, err = f.Chunk(); err != nil {
			return nil, err
		}
		f.now.Each(func(value []byte) { f.values = append(f.values, value) })
	}
	value := f.values[0]
	f.values = f.values[1:]
	return value, nil
}

// Format is how the records are written: JSON, CSV or TSV.
func (f *File) Format() Format { return f.format }

// Header says whether the first row has the names of the columns.
func (f *File) Header() bool { return f.header != nil }

// Comma is what stands between the fields of a row; 0 if there are none.
func (f *File) Comma() byte { return f.comma }

// Decoder returns a new decoder of the file's records. It fails when a row has no such
// columns.
func (f *File) Decoder(m *event.Mapping) (event.Reader, error) {
	if f.format == JSON || f.fields == 0 { // nothing is ever asked of an empty file
		return m.NewDecoder()
	}
	return m.NewRowDecoder(f.comma, f.header, f.fields)
}

// Close gives back what reading took. The file itself stays the caller's.
func (f *File) Close() {
	for _, closer := range f.closers {
		closer()
	}
}
