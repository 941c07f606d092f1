package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"windowed/internal/api"
)

// group writes a number with commas between thousands.
func group(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// maxName is how many characters of a name a table shows.
const maxName = 32

// shown is a name as a terminal may show it: names are somebody else's text, so control
// and formatting characters are replaced and long ones are cut.
func shown(name string) string {
	var b strings.Builder
	n := 0
	for _, r := range name {
		if n++; n > maxName {
			b.WriteRune('…')
			break
		}
		if !unicode.IsPrint(r) {
			r = '�'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// topLines are the lines of a list, in columns.
func topLines(t *api.Top) []string {
	wide := 0
	for _, e := range t.Top {
		wide = max(wide, utf8.RuneCountInString(shown(e.Drink)))
	}
	lines := make([]string, len(t.Top))
	for i, e := range t.Top {
		lines[i] = fmt.Sprintf("%4d  %s  %12s", e.Rank, pad(shown(e.Drink), wide), group(e.Count))
	}
	return lines
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}
