package main

import (
	"fmt"
	"strings"
	"testing"
)

// display is a terminal that understands what a screen writes.
type display struct {
	lines    []string
	row, col int
	scrolled int
	height   int
	widest   int // of all lines ever, in columns
}

func (d *display) Write(text []byte) (int, error) {
	rest := string(text)
	for rest != "" {
		if n := d.escape(rest); n > 0 {
			rest = rest[n:]
			continue
		}
		r := []rune(rest)[0]
		rest = rest[len(string(r)):]
		switch r {
		case '\r':
			d.col = 0
		case '\n':
			d.row, d.col = d.row+1, 0
			if d.row >= d.scrolled+d.height {
				d.scrolled++
			}
		default:
			d.put(r)
			d.widest = max(d.widest, columnsOf(*d.line()))
		}
	}
	return len(text), nil
}

func (d *display) line() *string {
	for len(d.lines) <= d.row {
		d.lines = append(d.lines, "")
	}
	return &d.lines[d.row]
}

func (d *display) put(r rune) {
	line := []rune(*d.line())
	for len(line) <= d.col {
		line = append(line, ' ')
	}
	line[d.col] = r
	d.col++
	*d.line() = string(line)
}

func (d *display) escape(text string) int {
	var n int
	switch {
	case strings.HasPrefix(text, "\x1b[K"):
		*d.line() = string([]rune(*d.line())[:min(d.col, len([]rune(*d.line())))])
		return 3
	case strings.HasPrefix(text, "\x1b[J"):
		d.lines = d.lines[:min(len(d.lines), d.row)]
		return 3
	case strings.HasPrefix(text, "\x1b[H"):
		d.row, d.col = d.scrolled, 0
		return 3
	}
	if _, err := fmt.Sscanf(text, "\x1b[%dA", &n); err == nil {
		d.row = max(d.scrolled, d.row-n)
		return len(fmt.Sprintf("\x1b[%dA", n))
	}
	return 0
}

// TestScreen shows texts of all heights: after each the terminal holds that one alone,
// below what was there before.
func TestScreen(t *testing.T) {
	d := &display{height: 10}
	s := &screen{out: d, terminal: true, size: func() (int, int) { return 20, 10 }}
	fmt.Fprintln(d, "$ windowed top --watch")
	for i, text := range []string{"one\ntwo\nthree", "one\nTWO", "a longer first line\nb\nc\nd\n", "x", strings.Repeat("y\n", 30), strings.Repeat("wide ", 30)} {
		if err := s.show(text); err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimRight(text, "\n"), "\n")
		if len(want) > 9 {
			want = append(want[:8], "... and 22 more lines")
		}
		for j := range want {
			want[j] = cut(want[j], 20)
		}
		if have := strings.Join(d.lines[1:], "|"); have != strings.Join(want, "|") {
			t.Errorf("text %d: the terminal shows %q, not %q", i, have, want)
		}
	}
	if d.lines[0] != "$ windowed top --watch" {
		t.Errorf("what was there before is %q", d.lines[0])
	}
}

// TestScreenWhole shows texts while others write to the terminal.
func TestScreenWhole(t *testing.T) {
	d := &display{height: 10}
	s := &screen{out: d, terminal: true, whole: true, size: func() (int, int) { return 80, 10 }}
	for range 3 {
		fmt.Fprintln(d, "a log line")
	}
	for _, text := range []string{"one\ntwo", "three\nfour\nfive", "six"} {
		_ = s.show(text)
		if have := strings.Join(d.lines, "\n"); have != text {
			t.Errorf("the terminal shows %q, not %q", have, text)
		}
		fmt.Fprintln(d, "another log line")
	}
}

// TestScreenElsewhere shows texts where nothing can be drawn over.
func TestScreenElsewhere(t *testing.T) {
	var b strings.Builder
	s := newScreen(&b)
	for _, text := range []string{"one\n", "one\n", "two\n\n", "one"} {
		_ = s.show(text)
	}
	if b.String() != "one\n\ntwo\n\none\n\n" {
		t.Errorf("%q", b.String())
	}
}
