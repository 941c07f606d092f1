package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// progress shows how far something is, with its rate and the time that is left: in place
// on a terminal, a line every ten seconds elsewhere. Not safe for concurrent use.
type progress struct {
	out      io.Writer
	terminal bool
	what     string // "restoring"
	unit     string // "records"
	line     func(text string)
	began    time.Time
	next     time.Time // when to show it again
	drawn    bool
}

// How often progress is shown. What takes less than a moment shows none.
const (
	progressMoment = time.Second
	progressRedraw = 200 * time.Millisecond
	progressLine   = 10 * time.Second
)

func newProgress(out io.Writer, what, unit string, now time.Time) *progress {
	p := &progress{out: out, terminal: isTerminal(out), what: what, unit: unit, began: now}
	p.line = func(text string) { fmt.Fprintln(out, text) }
	p.next = now.Add(progressLine)
	if p.terminal {
		p.next = now.Add(progressMoment)
	}
	return p
}

// at says that units of work are done; share is how much of everything that is, or below
// 0 if nobody knows.
func (p *progress) at(units int64, share float64, now time.Time) {
	if now.Before(p.next) {
		return
	}
	took := now.Sub(p.began).Seconds()
	text := p.what
	if share >= 0 {
		text += fmt.Sprintf(" %3.0f %%", 100*min(share, 1))
	}
	rate := float64(units) / max(took, 1e-9)
	text += fmt.Sprintf("  %s %s, %s/s", group(uint64(units)), p.unit, group(uint64(rate)))
	if share > 0 && share < 1 {
		left := time.Duration(took * (1 - share) / share * float64(time.Second))
		text += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	if !p.terminal {
		p.next = now.Add(progressLine)
		p.line(text)
		return
	}
	p.next, p.drawn = now.Add(progressRedraw), true
	fmt.Fprintf(p.out, "\r%s\x1b[K", bar(share)+text)
}

// end takes the line off the terminal.
func (p *progress) end() {
	if p.drawn {
		p.drawn = false
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

// barWidth is how many characters a bar has.
const barWidth = 24

// bar is a share as a bar; nothing if nobody knows it.
func bar(share float64) string {
	if share < 0 {
		return ""
	}
	full := int(min(share, 1) * barWidth)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "] "
}
