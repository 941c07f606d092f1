package main

import (
	"strings"
	"testing"

	"windowed/internal/api"
	"windowed/internal/engine"
)

// TestWidth: columns are straight and no line is wider than the terminal, whatever the
// script of a name: wide characters take two columns, and combining ones none.
func TestWidth(t *testing.T) {
	names := []string{"latte", "抹茶ラテ", "ｌａｔｔｅ", "caf\u0065\u0301", "☕ emoji", strings.Repeat("茶", 40), strings.Repeat("e\u0301", 40), "قهوة", ""}
	top := &api.Top{}
	for i, name := range names {
		top.Top = append(top.Top, engine.Ranked{Rank: i + 1, Drink: name, Count: 7})
	}
	lines := topLines(top)
	for i, line := range lines {
		if columnsOf(line) != columnsOf(lines[0]) {
			t.Errorf("%q takes %d columns, %q %d", lines[0], columnsOf(lines[0]), line, columnsOf(line))
		}
		if n := columnsOf(shown(names[i])); n > maxName+1 {
			t.Errorf("%q takes %d columns", shown(names[i]), n)
		}
	}
	for columns := 1; columns < 60; columns++ {
		d := &display{height: 30}
		s := &screen{out: d, terminal: true, size: func() (int, int) { return columns, 30 }}
		if err := s.show(strings.Join(lines, "\n")); err != nil {
			t.Fatal(err)
		}
		if d.widest > columns {
			t.Errorf("a line takes %d columns of a terminal with %d", d.widest, columns)
		}
	}
	for text, want := range map[string]int{"": 0, "abc": 3, "茶": 2, "e\u0301": 1, "…": 1} {
		if n := columnsOf(text); n != want {
			t.Errorf("%q takes %d columns, not %d", text, n, want)
		}
	}
}
