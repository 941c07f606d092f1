package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

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

// maxName is how many characters and columns of a name a table shows.
const maxName = 32

// shown is a name as a terminal may show it: names are somebody else's text, so control
// and formatting characters are replaced and long ones are cut.
func shown(name string) string {
	var b strings.Builder
	n, columns := 0, 0
	for _, r := range name {
		if !unicode.IsPrint(r) {
			r = '�'
		}
		n, columns = n+1, columns+columnsOfRune(r)
		if n > maxName || columns > maxName {
			b.WriteRune('…')
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// printable is a text that is shown whole, without what a terminal would obey.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '�'
		}
		return r
	}, text)
}

// topLines are the lines of a list, in columns.
func topLines(t *api.Top) []string {
	wide := 0
	for _, e := range t.Top {
		wide = max(wide, columnsOf(shown(e.Drink)))
	}
	lines := make([]string, len(t.Top))
	for i, e := range t.Top {
		lines[i] = fmt.Sprintf("%4d  %s  %12s", e.Rank, pad(shown(e.Drink), wide), group(e.Count))
	}
	return lines
}
