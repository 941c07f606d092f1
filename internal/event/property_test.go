package event

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// writer writes JSON in one of its many spellings, as drawn.
type writer struct {
	*rapid.T
	strings.Builder
}

// space writes some white space.
func (w *writer) space() {
	w.WriteString(rapid.SampledFrom([]string{"", "", "", " ", "\n", "\t", "\r\n  "}).Draw(w.T, "space"))
}

func (w *writer) punct(text string) {
	w.space()
	w.WriteString(text)
	w.space()
}

// text writes a string, with any of its characters escaped.
func (w *writer) text(text string) {
	w.WriteByte('"')
	escape := rapid.IntRange(0, 3).Draw(w.T, "escape")
	for i, r := range text {
		switch {
		case escape == 1 && i%2 == 0 || escape == 2 || r < ' ' || r == '"' || r == '\\':
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(w, rapid.SampledFrom([]string{`\u%04x`, `\u%04X`}).Draw(w.T, "hex"), unit)
			}
		default:
			w.WriteRune(r)
		}
	}
	w.WriteByte('"')
}

// object writes members in a drawn order, each by its function.
func (w *writer) object(members map[string]func()) {
	names := rapid.Permutation(slices.Sorted(maps.Keys(members))).Draw(w.T, "order")
	w.punct("{")
	for i, name := range names {
		if i > 0 {
			w.punct(",")
		}
		w.text(name)
		w.punct(":")
		members[name]()
	}
	w.punct("}")
}

// unknown writes a value that is to be ignored.
func (w *writer) unknown() {
	w.WriteString(rapid.SampledFrom([]string{
		`null`, `-0.0e-7`, `327267367867168100000`, `"\ud83c\udf75"`, `[]`, `{}`, `[{"drink":[]},"}"]`,
		`{"items":null,"a":{"items":1}}`,
	}).Draw(w.T, "unknown"))
}

// draw writes an order and returns what it must decode to. spoil, unless nil,
// writes in place of the drink or quantity of the item it is given.
func (w *writer) draw(spoil func(item int, member string) bool) string {
	time := rapid.Int64Range(-5, 5).Draw(w.T, "time")
	want := strconv.FormatInt(time, 10)
	count := rapid.IntRange(1, 4).Draw(w.T, "items")
	items := func() {
		w.punct("[")
		for i := range count {
			if i > 0 {
				w.punct(",")
			}
			name := rapid.StringN(1, 6, 24).Draw(w.T, "drink")
			number := rapid.IntRange(1, DefaultMaxQuantity).Draw(w.T, "quantity")
			want += fmt.Sprintf(" %s=%d", name, number)
			w.object(map[string]func(){
				"x":     w.unknown,
				"Drink": w.unknown,
				"drink": func() {
					if spoil == nil || !spoil(i, "drink") {
						w.text(name)
					}
				},
				"quantity": func() {
					if spoil == nil || !spoil(i, "quantity") {
						w.WriteString(strconv.Itoa(number))
					}
				},
			})
		}
		w.punct("]")
	}
	w.object(map[string]func(){
		"items": items, "order_id": w.unknown, "é": w.unknown,
		"ts": func() { w.WriteString(strconv.FormatInt(time, 10)) },
	})
	return want
}

// TestAnySpellingDecodes also checks that an order cut short anywhere is
// malformed and nothing else.
func TestAnySpellingDecodes(t *testing.T) {
	decoder := mustDecoder(t, Config{TimeField: "ts"})
	rapid.Check(t, func(t *rapid.T) {
		w := &writer{T: t}
		want := w.draw(nil)
		if got := outcome(decoder.Decode([]byte(w.String()), 0)); got != want {
			t.Fatalf("got %q, want %q for %s", got, want, w.String())
		}
		whole := strings.TrimRight(w.String(), " \t\r\n")
		cut := rapid.IntRange(0, len(whole)-1).Draw(t, "cut")
		if got := outcome(decoder.Decode([]byte(whole[:cut]), 0)); got != "malformed" {
			t.Fatalf("cut short: got %q for %s", got, whole[:cut])
		}
	})
}

// TestFirstFaultDecides spoils one member of an order. The verdict is that
// fault's, whatever becomes of the order behind it, while a syntax error before
// it comes first.
func TestFirstFaultDecides(t *testing.T) {
	faults := map[string][]string{
		"drink":    {`null`, `7`, `""`, `[`, `{`, "\"a\xff\"", `"\ud800"`, `"\udfff` + "x\""},
		"quantity": {`null`, `"1"`, `0`, `-1`, `1.0`, `1e2`, `[`, `{`, `1000001`, `99999999999999999999`},
	}
	reasons := map[string]Reason{"drink": InvalidName, "quantity": InvalidQuantity}
	decoder := mustDecoder(t, Config{TimeField: "ts"})
	rapid.Check(t, func(t *rapid.T) {
		w := &writer{T: t}
		member := rapid.SampledFrom([]string{"drink", "quantity"}).Draw(t, "member")
		start, end := 0, 0
		w.draw(func(item int, name string) bool {
			if item != 0 || name != member {
				return false
			}
			start = w.Len()
			w.WriteString(rapid.SampledFrom(faults[member]).Draw(t, "fault"))
			end = w.Len()
			return true
		})
		value, want := w.String(), reasons[member].String()
		// The space keeps the fault's own token whole.
		tail := " " + rapid.StringMatching(`[\[\]{}:,"a0 ]{0,8}`).Draw(t, "tail")
		for _, value := range []string{value, value[:end], value[:end] + tail} {
			if got := outcome(decoder.Decode([]byte(value), 0)); got != want {
				t.Fatalf("got %q, want %q for %q", got, want, value)
			}
		}
		broken := value[:start] + rapid.SampledFrom([]string{`}`, `,`, `:`, "\x00", `tru `, `01`, `"\x"`}).Draw(t, "broken") + value[start:]
		if got := outcome(decoder.Decode([]byte(broken), 0)); got != "malformed" {
			t.Fatalf("broken before: got %q for %q", got, broken)
		}
	})
}
