package inspect

import (
	"fmt"
	"strings"
	"testing"
)

// chosen are choices as one line.
func chosen(all []Choice) string {
	var texts []string
	for _, c := range all {
		text := c.Name
		if c.Items != "" {
			text = c.Items + " > " + text
		}
		if c.Quantity != "1" {
			text += " x " + c.Quantity
		}
		if c.Split != "" {
			text += fmt.Sprintf(" split %q", c.Split)
		}
		texts = append(texts, fmt.Sprintf("%s (%d)", text, c.Distinct))
	}
	return strings.Join(texts, ", ")
}

// TestChoices has what is found worth counting, the best first.
func TestChoices(t *testing.T) {
	kind := []string{"tea", "milk", "latte", "mocha", "water"}
	for name, c := range map[string]struct {
		document func(i int) string
		want     string // the first of the choices
	}{
		"an order": {func(i int) string {
			return fmt.Sprintf(`{"order_id":%d,"items":[{"drink":"%s","quantity":%d}]}`, i, kind[i%5], 1+i%3)
		}, "items > drink x quantity (5)"},
		"an order of other words": {func(i int) string {
			return fmt.Sprintf(`{"no":%d,"lines":[{"sku":"%s","qty":%d}]}`, i, kind[i%5], 1+i%3)
		}, "lines > sku x qty (5)"},
		"lines within lines":   {func(i int) string { return fmt.Sprintf(`{"a":[{"b":[{"product":{"name":"%s"}}]}]}`, kind[i%5]) }, "a[].b > product.name (5)"},
		"tags":                 {func(i int) string { return fmt.Sprintf(`{"tags":["%s","%s"]}`, kind[i%5], kind[i%3]) }, "tags > . (5)"},
		"the record is a list": {func(i int) string { return fmt.Sprintf(`[{"name":"%s"}]`, kind[i%5]) }, "[] > name (5)"},
		"a page view": {func(i int) string {
			return fmt.Sprintf(`{"session":"%d","page":"/%s","status":200,"ip":"10.0.0.%d"}`, i, kind[i%5], i%7)
		}, "page (5)"},
		"numbers only":            {func(i int) string { return fmt.Sprintf(`{"code":%d,"id":%d}`, 400+i%4, i) }, "code (4)"},
		"one value":               {func(i int) string { return `{"a":"x","b":"x"}` }, ""},
		"members called key":      {func(i int) string { return fmt.Sprintf(`{"key":"%s"}`, kind[i%5]) }, ".key (5)"},
		"called like a header":    {func(i int) string { return fmt.Sprintf(`{"header:x":"%s"}`, kind[i%5]) }, ".header:x (5)"},
		"a name with a point":     {func(i int) string { return fmt.Sprintf(`{"a.b":"%s"}`, kind[i%5]) }, `"a.b" (5)`},
		"amounts with commas":     {func(i int) string { return fmt.Sprintf(`{"amount":"%d,50 €","kind":"%s"}`, i%17, kind[i%5]) }, "kind (5)"},
		"a quantity only":         {func(i int) string { return fmt.Sprintf(`{"quantity":%d}`, 1+i%4) }, "quantity (4)"},
		"a quantity that is none": {func(i int) string { return fmt.Sprintf(`{"product":"%s","quantity":%d.5}`, kind[i%5], i) }, "product (5)"},
		"a quantity often absent": {func(i int) string {
			return fmt.Sprintf(`{"product":"%s"%s}`, kind[i%5], strings.Repeat(`,"quantity":2`, i%2))
		}, "product (5)"},
	} {
		all := sampleOf(many(40, c.document)...).Profile.Choices(nil)
		check(t, name, chosen(all[:min(1, len(all))]), c.want)
	}
}

// TestLists has names that are lists, by their separator, and texts that are none.
func TestLists(t *testing.T) {
	parts := []string{"kiwi", "lime", "basil", "mint"}
	for name, c := range map[string]struct {
		document func(i int) string
		want     string
	}{
		"semicolons":        {func(i int) string { return fmt.Sprintf(`{"n":"%s;%s"}`, parts[i%4], parts[i%3]) }, `n split ";" (4)`},
		"bars":              {func(i int) string { return fmt.Sprintf(`{"n":"%s|%s|%s"}`, parts[i%4], parts[i%3], parts[i%2]) }, `n split "|" (4)`},
		"commas and spaces": {func(i int) string { return fmt.Sprintf(`{"n":"%s, %s"}`, parts[i%4], parts[i%3]) }, `n split ", " (4)`},
		"commas":            {func(i int) string { return fmt.Sprintf(`{"n":"%s,%s"}`, parts[i%4], parts[i%3]) }, `n split "," (4)`},
		"one in two":        {func(i int) string { return fmt.Sprintf(`{"n":"%s%s"}`, parts[i%4], strings.Repeat(";mint", i/4%2)) }, ""},
		"items of an array": {func(i int) string { return fmt.Sprintf(`{"a":[{"n":"%s;%s"}]}`, parts[i%4], parts[i%3]) }, `a > n split ";" (4)`},
		"texts of an array": {func(i int) string { return fmt.Sprintf(`{"a":["%s;%s"]}`, parts[i%4], parts[i%3]) }, `a > . split ";" (4)`},
		"sentences": {func(i int) string {
			return fmt.Sprintf(`{"n":"no %d, for a reason of %d, and of %d, %d"}`, i, i+100, i+200, i+300)
		}, ""},
		"amounts":            {func(i int) string { return fmt.Sprintf(`{"n":"%d,50"}`, i%4) }, ""},
		"numbers, no texts":  {func(i int) string { return fmt.Sprintf(`{"n":%d}`, i%4) }, ""},
		"members called key": {func(i int) string { return fmt.Sprintf(`{"key":"%s;%s"}`, parts[i%4], parts[i%3]) }, `.key split ";" (4)`},
	} {
		p := sampleOf(many(40, c.document)...).Profile
		check(t, name, chosen(p.Lists(p.Choices(nil))), c.want)
	}
}
