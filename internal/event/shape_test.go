package event

import (
	"bytes"
	"strings"
	"testing"
)

// TestShapeNotLearned has orders that are accepted but have no shape.
func TestShapeNotLearned(t *testing.T) {
	const a = `{"drink":"a","quantity":1}`
	for id, text := range map[string]string{
		"fewer scalars in the second item":  `{"items":[{"drink":"a","quantity":1,"x":1},` + a + `]}`,
		"more scalars in the second item":   `{"items":[` + a + `,{"drink":"a","quantity":1,"x":1}]}`,
		"more in the end of the second":     `{"items":[` + a + `,{"drink":"a","quantity":1,"x":[]}]}`,
		"more in the middle of the second":  `{"items":[` + a + `,{"drink":"a","x":[],"quantity":1}]}`,
		"more at the beginning of the last": `{"items":[` + a + `,` + a + `,{"x":[],"drink":"a","quantity":1}]}`,
		"other order":                       `{"items":[` + a + `,{"quantity":1,"drink":"a"}]}`,
		"other gap":                         `{"items":[` + a + `,` + a + `, ` + a + `]}`,
		"escaped name":                      `{"x":{"\u0061":1},"items":[` + a + `]}`,
		"too many values":                   manyValues(maxSteps + 1),
		"too long a name in the items":      `{"items":[{"` + strings.Repeat("x", maxSkeleton/2) + `":1,"drink":"a","quantity":1}]}`,
		"too long an end":                   `{"items":[` + a + `]` + strings.Repeat(" ", maxSkeleton) + `}`,
		"too long before the items":         strings.Repeat(" ", maxSkeleton) + `{"items":[` + a + `]}`,
		"too long after the items":          `{"items":[` + a + `],"` + strings.Repeat("x", maxSkeleton) + `":1}`,
	} {
		d := mustDecoder(t, Config{})
		for range 3 {
			checkSame(t, d, []byte(text), recordTime)
		}
		if len(d.shapes.known) != 0 || d.shapes.misses != 3 {
			t.Errorf("%s: learned", id)
		}
	}
}

// TestShapeEqual has two producers that differ in one part of their shape, and
// must both be learned.
func TestShapeEqual(t *testing.T) {
	const a = `{"drink":"a","quantity":1}`
	order := func(head, items, tail string) string { return `{` + head + `"items":[` + items + `]` + tail + `}` }
	base := order(`"x":1,`, a+`,`+a, `,"y":2`)
	for _, other := range []string{
		order(`"z":1,`, a+`,`+a, `,"y":2`),
		order(`"x":1,"z":1,`, a+`,`+a, `,"y":2`),
		order(`"x":1,`, a+`, `+a, `,"y":2`),
		order(`"x":1,`, `{"drink":"a", "quantity":1},{"drink":"a", "quantity":1}`, `,"y":2`),
		order(`"x":1,`, a+`,`+a, `,"z":2`),
		order(`"x":1,`, a+`,`+a, ``),
		order(`"x":1,`, a+`,`+a, `,"y":2 `),
		order(`"x":1,`, a+`,`+a, `,"y":2,"z":[]`),
	} {
		d := mustDecoder(t, Config{})
		for range 3 {
			checkSame(t, d, []byte(base), recordTime)
			checkSame(t, d, []byte(other), recordTime)
		}
		if len(d.shapes.known) != 2 || d.shapes.misses != 2 {
			t.Errorf("%s: %d shapes, %d misses", other, len(d.shapes.known), d.shapes.misses)
		}
	}
}

// TestLiteral has literals of every length, each with one byte off.
func TestLiteral(t *testing.T) {
	for n := 1; n <= 40; n++ {
		value := []byte(strings.Repeat(`","drink":`, 5))
		l := literalOf(bytes.Clone(value[3 : 3+n]))
		if got := l.end(value, 3); got != 3+n {
			t.Fatalf("%d bytes: ends at %d", n, got)
		}
		if got := l.end(value[:3+n], 3); got != 3+n {
			t.Fatalf("%d bytes at the end: ends at %d", n, got)
		}
		if got := l.end(value[:2+n], 3); got != -1 {
			t.Fatalf("%d bytes, cut: ends at %d", n, got)
		}
		for at := 3; at < 3+n; at++ {
			value[at] ^= 0x80
			if got := l.end(value, 3); got != -1 {
				t.Fatalf("%d bytes, byte %d is off: ends at %d", n, at-3, got)
			}
			value[at] ^= 0x80
		}
	}
}
