package inspect

import (
	"fmt"
	"strings"

	"windowed/internal/event"
)

// Missing says which of the mapping's paths no record of the sample has, and what may
// have been meant; "" if all are there, or if there is nothing to go by.
func (p *Profile) Missing(m *event.Mapping) string {
	if p.Records == 0 {
		return ""
	}
	for _, path := range m.Required() {
		if p.has(path) {
			continue
		}
		text := fmt.Sprintf("no record of the first %d has `%s`", p.Records, strings.ReplaceAll(path.String(), "[]", ""))
		if like := p.like(path); like != "" {
			text += fmt.Sprintf("; did you mean `%s`?", like)
		}
		return text
	}
	return ""
}

// has says whether any record has something at the path. Places in arrays are taken for
// any.
func (p *Profile) has(path event.Path) bool {
	for _, around := range []string{"", "payload.", "data."} { // change events and CloudEvents come in two forms
		if p.byPath[around+anyPlace(path)] != nil {
			return true
		}
	}
	return false
}

func anyPlace(path event.Path) string {
	general := make(event.Path, len(path))
	for i, step := range path {
		if !step.IsMember() {
			step = event.Every()
		}
		general[i] = step
	}
	return general.String()
}

// like is the path in the sample that is most like the given one: its last name is alike,
// or the same elsewhere.
func (p *Profile) like(path event.Path) string {
	want, name := anyPlace(path), lastName(path)
	best, least := "", max(2, len(name)/3)+1
	for _, f := range p.Fields {
		have := lastName(f.steps)
		if have == "" || f.Path == want {
			continue
		}
		distance := differences(strings.ToLower(name), strings.ToLower(have))
		if distance < least {
			best, least = f.Path, distance
		}
	}
	return best
}

func lastName(path event.Path) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].IsMember() {
			return path[i].Name
		}
	}
	return ""
}

// differences are how many letters must be changed, added, left out or swapped with the
// next to make b of a.
func differences(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		previous := before
		before, row = row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(before[j]+cost, before[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], previous[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
