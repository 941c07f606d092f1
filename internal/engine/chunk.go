package engine

import (
	"bytes"
	"errors"
	"io"
)

// Chunk is a run of records, which one goroutine takes apart while others work on other
// chunks.
type Chunk interface {
	// Each calls f with the value of every record in order. A value is valid during the
	// call. An error says what is wrong with the input behind the last record.
	Each(f func(value []byte)) error
	// Size is how many bytes of the input the chunk is, for the progress.
	Size() int64
	// Done gives the chunk back; it is not used any more.
	Done()
}

// Chunks cuts an input into chunks. Next is called by one goroutine; it returns io.EOF
// behind the last chunk.
type Chunks interface {
	Next() (Chunk, error)
}

// MaxLine is one byte more than a record may have: a longer line is passed on cut to it,
// to be refused as too large, so that no line can exhaust the memory.
const MaxLine = 1<<20 + 1

// lineChunk is how much is read at once.
const lineChunk = 256 << 10

// Lines are the lines of an input as records, without their ends; blank ones do not count.
type Lines struct {
	in   io.Reader
	size int
	rest []byte // the beginning of a line that the last chunk does not end
	err  error  // of the input, behind what is left
	free chan []byte
}

// NewLines returns the lines of in.
func NewLines(in io.Reader) *Lines { return newLines(in, lineChunk) }

func newLines(in io.Reader, size int) *Lines {
	return &Lines{in: in, size: size, free: make(chan []byte, 64)}
}

// Next implements Chunks.
func (l *Lines) Next() (Chunk, error) {
	block := append(l.block(), l.rest...)
	read := int64(0)
	l.rest = l.rest[:0]
	for l.err == nil {
		from := len(block)
		if cap(block)-from < l.size {
			block = append(make([]byte, 0, max(2*from, from+l.size)), block...)
		}
		n, err := l.in.Read(block[from : from+l.size])
		block, l.err = block[:from+n], err
		read += int64(n)
		if end := bytes.LastIndexByte(block[from:], '\n'); end >= 0 {
			end += from + 1
			l.rest = append(l.rest, block[end:]...)
			return &lineBlock{lines: l, data: block[:end], size: read}, nil
		}
		if len(block) > MaxLine {
			block = block[:MaxLine] // what is behind cannot matter
		}
	}
	if len(block) > 0 && errors.Is(l.err, io.EOF) {
		return &lineBlock{lines: l, data: block, size: read}, nil
	}
	return nil, l.err
}

func (l *Lines) block() []byte {
	select {
	case b := <-l.free:
		return b[:0]
	default:
		return make([]byte, 0, 2*l.size)
	}
}

// lineBlock is a chunk of whole lines.
type lineBlock struct {
	lines *Lines
	data  []byte
	size  int64
}

// Each implements Chunk.
func (b *lineBlock) Each(f func(value []byte)) error {
	for line := range bytes.Lines(b.data) {
		line = bytes.TrimRight(line[:min(len(line), MaxLine)], "\r\n")
		if len(bytes.TrimSpace(line)) > 0 {
			f(line)
		}
	}
	return nil
}

// Size implements Chunk.
func (b *lineBlock) Size() int64 { return b.size }

// Done implements Chunk.
func (b *lineBlock) Done() {
	select {
	case b.lines.free <- b.data[:0]:
	default:
	}
}
