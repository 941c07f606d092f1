package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// thousands writes n with a comma before every third digit.
func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, text = "-", text[1:]
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return sign + text
}

// speed writes orders a second with three digits that count.
func speed(perSecond float64) string {
	n, unit := int64(perSecond+0.5), int64(1)
	for n/unit >= 1000 {
		unit *= 10
	}
	return thousands((n + unit/2) / unit * unit)
}

// megabytes writes bytes as MB.
func megabytes(bytes int64) string { return thousands((bytes+500_000)/1_000_000) + " MB" }

// times writes a ratio.
func times(ratio float64) string {
	if ratio >= 10 {
		return fmt.Sprintf("%.0f x", ratio)
	}
	return fmt.Sprintf("%.2g x", ratio)
}

// median is the middle of values; of an even number, the mean of the two in the middle.
// 0 without any.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	values = slices.Sorted(slices.Values(values))
	half := len(values) / 2
	if len(values)%2 == 1 {
		return values[half]
	}
	return (values[half-1] + values[half]) / 2
}

// quantile is the value that a share q of values does not exceed. 0 without any.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	values = slices.Sorted(slices.Values(values))
	return values[min(len(values)-1, int(q*float64(len(values))))]
}

// markdown is a table as Markdown, its columns of equal width.
func markdown(header []string, rows [][]string) string {
	width := make([]int, len(header))
	for _, row := range append([][]string{header}, rows...) {
		for i, cell := range row {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	var text strings.Builder
	line := func(row []string) {
		for i, cell := range row {
			fmt.Fprintf(&text, "| %s%s ", cell, strings.Repeat(" ", width[i]-len([]rune(cell))))
		}
		text.WriteString("|\n")
	}
	line(header)
	rule := make([]string, len(header))
	for i := range rule {
		rule[i] = strings.Repeat("-", max(3, width[i]))
	}
	line(rule)
	for _, row := range rows {
		line(row)
	}
	return text.String()
}
