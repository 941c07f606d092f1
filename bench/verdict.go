package main

import (
	"cmp"
	"fmt"
	"slices"
)

// Verdict says whether an answer is right.
type Verdict struct {
	AllTime Difference
	Windows Difference
}

// Difference is by how much the counts of one kind of scope are wrong.
type Difference struct {
	Portions uint64 // that there should be
	Missing  uint64 // portions
	Extra    uint64 // portions
	Counts   int    // that are wrong
}

// compare compares an answer with the right one, count by count.
func compare(want, got Answer) Verdict {
	var v Verdict
	for scope, counts := range want {
		v.of(scope).compare(counts, got[scope])
	}
	for scope, counts := range got {
		if _, ok := want[scope]; !ok {
			v.of(scope).compare(nil, counts)
		}
	}
	return v
}

func (v *Verdict) of(scope string) *Difference {
	if scope == allTime {
		return &v.AllTime
	}
	return &v.Windows
}

func (d *Difference) compare(want, got map[string]uint64) {
	for drink, n := range want {
		d.Portions += n
		switch g := got[drink]; {
		case g < n:
			d.Missing += n - g
			d.Counts++
		case g > n:
			d.Extra += g - n
			d.Counts++
		}
	}
	for drink, g := range got {
		if _, ok := want[drink]; !ok {
			d.Extra += g
			d.Counts++
		}
	}
}

// Exact says that nothing is wrong.
func (v *Verdict) Exact() bool { return v.AllTime.Counts == 0 && v.Windows.Counts == 0 }

// String says what is wrong, or "exact".
func (v *Verdict) String() string {
	if v.Exact() {
		return "exact"
	}
	text := "wrong:"
	for _, part := range []struct {
		name string
		Difference
	}{{"all time", v.AllTime}, {"windows", v.Windows}} {
		if part.Counts > 0 {
			text += " " + part.name + part.text() + ","
		}
	}
	return text[:len(text)-1]
}

func (d *Difference) text() string {
	share := func(n uint64) string {
		return fmt.Sprintf("%s portions (%.2f %%)", thousands(int64(n)), 100*float64(n)/float64(max(1, d.Portions)))
	}
	switch {
	case d.Extra == 0:
		return " lack " + share(d.Missing)
	case d.Missing == 0:
		return " have " + share(d.Extra) + " too many"
	}
	return " lack " + share(d.Missing) + " and have " + share(d.Extra) + " too many"
}

// counted is a drink with its count.
type counted struct {
	drink string
	count uint64
}

// topOf is the top n of counts: by count, and by name among equals.
func topOf(counts map[string]uint64, n int) []counted {
	list := make([]counted, 0, len(counts))
	for drink, count := range counts {
		list = append(list, counted{drink, count})
	}
	slices.SortFunc(list, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.drink, b.drink))
	})
	return list[:min(n, len(list))]
}
