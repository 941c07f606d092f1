package inspect

import (
	"sort"
	"strings"
	"unicode"

	"windowed/internal/event"
)

// Choice is one way to count the records.
type Choice struct {
	Items    string // path to the items; "" is the record
	Name     string // path in an item
	Quantity string // path in an item, or 1
	Split    string // between the names of a list

	Distinct int // names in the sample; -1 if there are too many to count
	score    float64
}

// Choices are the ways to count the records, the best first. time is the field that is
// the event time, if there is one.
func (p *Profile) Choices(time *Field) []Choice {
	var all []Choice
	for _, f := range p.Fields {
		if f == time {
			continue
		}
		if c, ok := p.choice(f); ok {
			all = append(all, c)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].score > all[j].score+closeTo })
	return all
}

// closeTo is how much better a later field must be than an earlier one.
const closeTo = 0.35

// choice judges the field as the name of what is counted.
func (p *Profile) choice(f *Field) (Choice, bool) {
	items, name := place(f.steps)
	scalars := f.scalars()
	if scalars == 0 || f.Kinds[Object]+f.Kinds[Array] > 0 || f.isTime() {
		return Choice{}, false
	}
	entropy := f.entropy()
	distinct := len(f.distinct)
	if f.distinct == nil {
		distinct, entropy = -1, 14
	}
	if distinct == 1 && scalars > 1 {
		return Choice{}, false
	}
	c := Choice{Items: items, Name: name, Quantity: p.quantity(items, f.Values), Distinct: distinct}
	if c.Quantity == name {
		c.Quantity = "1"
	}
	coverage := float64(f.Records) / float64(max(1, p.Records))
	c.score = min(entropy, 6) * coverage * f.share(Text)
	if f.Kinds[Text] == 0 || f.isAmount() {
		c.score = min(entropy, 6) * coverage * 0.25
	}
	// What is different in nearly every record is a name of the record, not of a kind.
	if distinct < 0 || scalars >= 20 && distinct*2 > scalars {
		c.score *= 0.2
	}
	c.score += hint(name)
	if items != "" && c.Quantity != "1" {
		c.score += 2
	}
	if f.length() > 80 {
		c.score *= 0.3
	}
	return c, true
}

// place parts the path of a name behind the last array.
func place(path event.Path) (items, name string) {
	last := -1
	for i := range path {
		if path[i].IsEvery() {
			last = i
		}
	}
	if name = path[last+1:].String(); name == "" {
		name = "."
	} else if name == "key" || strings.HasPrefix(name, "header:") {
		name = "." + name
	}
	if last < 0 {
		return "", name
	}
	items = path[:last].String()
	if last == 0 {
		items = "[]"
	}
	return items, name
}

// names of what is often counted, the likelier first, and of what hardly ever is.
var (
	likely   = []string{"drink", "product", "item", "name", "title", "page", "path", "location", "article", "sku", "topic", "category", "code"}
	unlikely = []string{"id", "uuid", "email", "token", "hash", "url", "ip", "agent", "type", "status", "method", "currency", "version", "ts", "time"}
)

func hint(name string) float64 {
	name = strings.ToLower(name)
	for _, word := range likely {
		if strings.HasSuffix(name, word) {
			return 1
		}
	}
	for _, word := range unlikely {
		if strings.HasSuffix(name, word) {
			return -1.5
		}
	}
	return 0
}

func (f *Field) length() int {
	total, n := 0, 0
	for text := range f.distinct {
		total += len(text)
		n++
	}
	return total / max(1, n)
}

// isTime says whether the values are times of the forms that need no layout.
func (f *Field) isTime() bool {
	if f.Kinds[Text] == 0 {
		return false
	}
	t, ok := new(Profile).timeOf(f)
	return ok && t.Share >= enough
}

// isAmount says whether the texts are amounts: digits with commas, points, signs and units
// such as 9,50 or 1.234,00 €.
func (f *Field) isAmount() bool {
	amounts, all := 0, 0
	for text, n := range f.distinct {
		if all += n; hasDigit(text) && strings.IndexFunc(text, unicode.IsLetter) < 0 && !strings.ContainsAny(text, "/\\:_#") {
			amounts += n
		}
	}
	return all > 0 && float64(amounts) >= enough*float64(all)
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

// quantities are the names of members that say how many.
var quantities = []string{"quantity", "qty", "count", "units", "pieces", "amount"}

// quantity is the path to the quantity in the items, or 1 if there is none, or if some of
// the names come without one.
func (p *Profile) quantity(items string, values int) string {
	for _, name := range quantities {
		for _, f := range p.Fields {
			in, path := place(f.steps)
			whole := f.scalars() > 0 && f.whole == f.Values && float64(f.Values) >= enough*float64(values)
			if in == items && whole && strings.EqualFold(path, name) {
				return path
			}
		}
	}
	return "1"
}

// separators are what lists in a text are written with.
var separators = []string{";", "|", ", ", ","}

// Lists are the choices whose names are lists, for which a separator is given.
func (p *Profile) Lists(choices []Choice) []Choice {
	var all []Choice
	for _, c := range choices {
		f := p.byPath[strings.TrimSuffix(pathOf(c), ".")]
		if f == nil || f.Kinds[Text] == 0 || f.isAmount() {
			continue
		}
		for _, separator := range separators {
			with, parts := 0, map[string]bool{}
			for text := range f.distinct {
				if strings.Contains(text, separator) {
					with++
				}
				for _, part := range strings.Split(text, separator) {
					parts[strings.TrimSpace(part)] = true
				}
			}
			if n := len(f.distinct); n > 0 && with*10 >= n*8 && len(parts) < 4*n {
				c.Split, c.Distinct = separator, len(parts)
				all = append(all, c)
				break
			}
		}
	}
	return all
}

// pathOf is the path of a choice's name from the record on.
func pathOf(c Choice) string {
	items := c.Items
	if items != "" && !strings.HasSuffix(items, "[]") {
		items += "[]"
	}
	switch {
	case c.Name == ".":
		return items
	case items == "":
		return strings.TrimPrefix(c.Name, ".")
	}
	return items + "." + strings.TrimPrefix(c.Name, ".")
}
