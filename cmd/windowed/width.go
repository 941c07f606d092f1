package main

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// columnsOf is how many columns of a terminal a text takes. Counting characters is not
// enough: a line that wraps cannot be drawn over.
func columnsOf(text string) (n int) {
	for _, r := range text {
		n += columnsOfRune(r)
	}
	return n
}

func columnsOfRune(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0 // on the character before
	}
	if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// cut shortens a line to so many columns.
func cut(line string, columns int) string {
	if columnsOf(line) <= columns {
		return line
	}
	var b strings.Builder
	n := 0
	for _, r := range line {
		if n += columnsOfRune(r); n >= columns {
			break
		}
		b.WriteRune(r)
	}
	return b.String() + "…"
}

// pad fills a text up to so many columns.
func pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-columnsOf(text)))
}
