package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// screen shows a text that changes: drawn over the last one on a terminal, one below the
// other elsewhere. Not safe for concurrent use.
type screen struct {
	out      io.Writer
	terminal bool
	whole    bool // it begins at the top of the terminal, since others write there too
	size     func() (width, height int)
	last     string
	lines    int // of the last text, on the terminal
}

func newScreen(out io.Writer) *screen {
	return &screen{out: out, terminal: isTerminal(out), size: func() (int, int) { return sizeOf(out) }}
}

// sizeOf is the size of a terminal; a usual one if it does not say.
func sizeOf(out io.Writer) (width, height int) {
	if f, ok := out.(*os.File); ok {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 80, 24
}

// show shows a text, unless it is the one that is shown. On a terminal what does not fit
// is left out: text that scrolls away cannot be drawn over.
func (s *screen) show(text string) error {
	text = strings.TrimRight(text, "\n")
	if text == s.last {
		return nil
	}
	s.last = text
	if !s.terminal {
		_, err := fmt.Fprintf(s.out, "%s\n\n", text)
		return err
	}
	width, height := s.size()
	lines := strings.Split(text, "\n")
	if most := max(2, height-1); len(lines) > most {
		left := len(lines) - most + 1
		lines = append(lines[:most-1], fmt.Sprintf("... and %d more lines", left))
	}
	var b strings.Builder
	switch {
	case s.whole:
		b.WriteString("\x1b[H")
	case s.lines > 0:
		fmt.Fprintf(&b, "\x1b[%dA", s.lines) // up to the first line
	}
	for _, line := range lines {
		b.WriteString("\r" + cut(line, width) + "\x1b[K\n") // and nothing of the old line
	}
	b.WriteString("\x1b[J") // nor of those below
	s.lines = len(lines)
	_, err := io.WriteString(s.out, b.String())
	return err
}

// isTerminal says whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
