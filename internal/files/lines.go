package files

import (
	"bufio"
	"bytes"
	"errors"
)

// maxRecord is one byte more than a record may have: a longer line is passed on cut to
// it, to be refused as too large, so that no line can exhaust the memory.
const maxRecord = 1<<20 + 1

// lines reads lines of any length.
type lines struct {
	r    *bufio.Reader
	long []byte
}

func newLines(r *bufio.Reader) *lines { return &lines{r: r} }

// next is the next line that is not blank, without its end; io.EOF after the last. It
// is valid until the next call.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.read()
		if len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (l *lines) read() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return bytes.TrimRight(line, "\r\n"), err
	}
	l.long = append(l.long[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.r.ReadSlice('\n')
		l.long = append(l.long, line[:min(len(line), maxRecord-min(maxRecord, len(l.long)))]...)
	}
	return bytes.TrimRight(l.long, "\r\n"), err
}
