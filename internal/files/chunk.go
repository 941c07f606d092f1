package files

import (
	"bytes"
	"errors"
	"io"
)

// maxRecord is one byte more than a record may have: a longer line is passed on cut to
// it, to be refused as too large, so that no line can exhaust the memory.
const maxRecord = 1<<20 + 1

// Chunk is a run of records of a file. It may be used by another goroutine than the one
// that reads the file, but by one at a time.
type Chunk struct {
	data []byte
	ends []int // of the records in data, if lines do not say it
	cut  bool  // ends are what counts
	free chan *Chunk
}

// Each calls f with the value of every record in order. A value is valid until Done.
func (c *Chunk) Each(f func(value []byte)) {
	if !c.cut {
		for line := range bytes.Lines(c.data) {
			if value := record(line); value != nil {
				f(value)
			}
		}
		return
	}
	begin := 0
	for _, end := range c.ends {
		f(c.data[begin:end:end])
		begin = end
	}
}

// record is a line without its end; nil if it is blank.
func record(line []byte) []byte {
	line = bytes.TrimRight(line[:min(len(line), maxRecord)], "\r\n")
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	return line
}

// Done gives the chunk back, for its memory to be used again.
func (c *Chunk) Done() {
	select {
	case c.free <- c:
	default:
	}
}

// chunks are the empty chunks of a file.
type chunks struct{ free chan *Chunk }

func newChunks() chunks { return chunks{make(chan *Chunk, 64)} }

func (c chunks) get() *Chunk {
	select {
	case chunk := <-c.free:
		chunk.data, chunk.ends = chunk.data[:0], chunk.ends[:0]
		return chunk
	default:
		return &Chunk{free: c.free}
	}
}

// gathered makes chunks of records that are read one by one.
type gathered struct {
	chunks
	size int
	next func() ([]byte, error)
	err  error // behind what is left
}

func gather(next func() ([]byte, error), size int) *gathered {
	return &gathered{chunks: newChunks(), size: size, next: next}
}

func (g *gathered) chunk() (*Chunk, error) {
	if g.err != nil {
		return nil, g.err
	}
	c := g.get()
	c.cut = true
	for len(c.data) < g.size {
		value, err := g.next()
		if err != nil {
			g.err = err
			if len(c.ends) > 0 {
				break
			}
			return nil, err
		}
		c.data = append(c.data, value...)
		c.ends = append(c.ends, len(c.data))
	}
	return c, nil
}

// lines makes chunks of whole lines, without looking where each of them ends.
type lines struct {
	chunks
	size int
	in   io.Reader
	rest []byte // the beginning of a line that the last chunk does not end
	err  error  // of the input, behind what is left
}

func newLines(in io.Reader, size int) *lines {
	return &lines{chunks: newChunks(), size: size, in: in}
}

func (l *lines) chunk() (*Chunk, error) {
	c := l.get()
	block := append(c.data, l.rest...)
	l.rest = l.rest[:0]
	for l.err == nil {
		from := len(block)
		if cap(block)-from < l.size {
			block = append(make([]byte, 0, max(2*from, from+2*l.size)), block...)
		}
		n, err := l.in.Read(block[from : from+l.size])
		block, l.err = block[:from+n], err
		if end := bytes.LastIndexByte(block[from:], '\n'); end >= 0 {
			end += from + 1
			l.rest = append(l.rest, block[end:]...)
			c.data = block[:end]
			return c, nil
		}
		if len(block) > maxRecord {
			block = block[:maxRecord] // what is behind cannot matter
		}
	}
	if len(block) > 0 && errors.Is(l.err, io.EOF) {
		c.data = block
		return c, nil
	}
	return nil, l.err
}
