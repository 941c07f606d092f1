package event

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// producer writes orders that all have the same shape, unless a value that was
// drawn for one of them breaks it.
type producer struct {
	members, inItem []string // names in order
	colon, comma    string
	before, after   string // around the document
}

var spacings = rapid.SampledFrom([]string{"", "", "", " ", "\n\t"})

func drawProducer(t *rapid.T) producer {
	names := func(known, more []string) []string {
		n := rapid.IntRange(0, len(more)).Draw(t, "more")
		return rapid.Permutation(append(known, more[:n]...)).Draw(t, "names")
	}
	p := producer{
		members: names([]string{"items"}, []string{"ts", "order_id", "drink", "é", `"`}),
		inItem:  names([]string{"drink", "quantity"}, []string{"x", "ts", "items"}),
		colon:   ":" + spacings.Draw(t, "space"),
		comma:   spacings.Draw(t, "space") + "," + spacings.Draw(t, "space"),
		before:  spacings.Draw(t, "space"),
		after:   spacings.Draw(t, "space"),
	}
	if oneIn(t, 10) {
		p.inItem = append(p.inItem, p.inItem[0])
	}
	return p
}

// Values as they are drawn for a member: mostly good ones, since an order is
// refused for a single bad one.
var (
	goodScalar = rapid.SampledFrom([]string{`1`, `"a"`, `null`, `true`, `-0.5`, `"é"`, `""`, `1772360150520`, `"12345678"`})
	anyScalar  = rapid.SampledFrom([]string{
		`1e5`, `-0`, `01`, `.5`, `1.`, `{}`, `[]`, `{"a":1}`, `[1,2]`, `nul`, "\"\x00\"", "\"\xff\"", `"\""`, `"\u0041"`, `"\ud800"`, `"`, ``,
	})
	goodTime = timeOf(59, "Z", ".5Z", ".123Z", ".123999Z", "+00:30", "-00:30", ".9+00:30", "z")
	anyTime  = rapid.OneOf(timeOf(61, "Z", "", ".Z", "+0:30", "+00:60", ".5é", "+00:300"), rapid.SampledFrom([]string{
		`0`, `null`, `-1`, `1772360150520`, `253402300799999`, `253402300800000`, `999999999999999999`, `18446744073709551616`, `05`, `1.0`, `true`, `""`,
	}))
	anyDrink = rapid.OneOf(
		rapid.Map(rapid.StringMatching(`[a-zé🍵<: ]{1,20}`), func(s string) string { return `"` + s + `"` }),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return `"` + string(b) + `"` }),
		rapid.Map(rapid.IntRange(0, 12), func(n int) string { return `"` + strings.Repeat("a", n) + `"` }),
	)
	goodDrink    = rapid.SampledFrom([]string{`"tea"`, `"latte"`, `"thé"`, `"12345678"`, `"a"`})
	goodQuantity = rapid.Map(rapid.IntRange(1, 100), func(n int) string { return fmt.Sprint(n) })
	anyQuantity  = rapid.SampledFrom([]string{
		`0`, `00`, `01`, `-1`, `-0`, `101`, `1000000`, `1000001`, `7654321`, `7654322`, `9999999`, `10000000`, `18446744073709551617`, `1.0`, `1e1`, `"1"`, `null`, ``, ` 1`,
	})
)

// oneIn is true once in n times. Small numbers are drawn more often than others.
func oneIn(t *rapid.T, n int) bool { return rapid.IntRange(0, 100*n).Draw(t, "chance")%n == n/2 }

// mostly draws from the second generator once in a while.
func mostly(t *rapid.T, good, other *rapid.Generator[string]) string {
	if oneIn(t, 50) {
		return other.Draw(t, "odd")
	}
	return good.Draw(t, "good")
}

// timeOf makes times that are mostly in the same few hours.
func timeOf(most int, rests ...string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		date := rapid.SampledFrom([]string{"2026-03-01T10:", "2026-03-01T11:", "1969-12-31T23:", "0001-01-01T00:", "9999-12-31T23:"}).Draw(t, "date")
		minute, second := rapid.IntRange(0, most).Draw(t, "minute"), rapid.IntRange(0, most).Draw(t, "second")
		return fmt.Sprintf(`"%s%02d:%02d%s"`, date, minute, second, rapid.SampledFrom(rests).Draw(t, "rest"))
	})
}

func (p producer) object(names []string, write func(name string) string) string {
	var members []string
	for _, name := range names {
		quoted := `"` + strings.ReplaceAll(name, `"`, `\"`) + `"`
		members = append(members, quoted+p.colon+write(name))
	}
	return "{" + strings.Join(members, p.comma) + "}"
}

func (p producer) order(t *rapid.T) string {
	item := func(name string) string {
		switch name {
		case "drink":
			return mostly(t, goodDrink, anyDrink)
		case "quantity":
			return mostly(t, goodQuantity, anyQuantity)
		}
		return mostly(t, goodScalar, anyScalar)
	}
	return p.before + p.object(p.members, func(name string) string {
		switch name {
		case "items":
			var items []string
			for range (1 + rapid.IntRange(0, 5).Draw(t, "items")) % 6 {
				items = append(items, p.object(p.inItem, item))
			}
			return "[" + strings.Join(items, p.comma) + "]"
		case "ts":
			return mostly(t, goodTime, anyTime)
		}
		return mostly(t, goodScalar, anyScalar)
	}) + p.after
}

// TestFastEqualsStrict has one decoder read what several producers wrote.
func TestFastEqualsStrict(t *testing.T) {
	var hits, orders int
	rapid.Check(t, func(rt *rapid.T) {
		config := rapid.SampledFrom(fastConfigs).Draw(rt, "config")
		var producers []producer
		for range rapid.IntRange(1, 5).Draw(rt, "producers") {
			producers = append(producers, drawProducer(rt))
		}
		d := mustDecoder(t, config)
		n := rapid.IntRange(1, 40).Draw(rt, "orders")
		for range n {
			p := rapid.SampledFrom(producers).Draw(rt, "producer")
			recordTime := rapid.SampledFrom([]int64{0, 1, recordTime, recordTime, -1, maxMillis + 1}).Draw(rt, "time")
			value := []byte(p.order(rt))
			got, want := whole(d.Decode(value, recordTime)), whole(strictly(t, d.m, &Record{Value: value, Timestamp: recordTime}))
			if got != want {
				rt.Fatalf("got %q, want %q for %q", got, want, value)
			}
		}
		hits, orders = hits+n-d.shapes.misses, orders+n
	})
	// The test would prove little if the fast path were hardly taken.
	if hits*8 < orders {
		t.Errorf("%d of %d orders took the fast path", hits, orders)
	}
}

// TestTextEnd compares the search by words with the plain one.
func TestTextEnd(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"a", "abcdefg", " ", "!", "#", "[", "]", "\x7f", "\x1f", "\x00", "\x01", "\"", "\\", "\x80", "\xff", "é", "🍵", "\xa2", "\xdc", "\xa0",
	})
	rapid.Check(t, func(t *rapid.T) {
		value := []byte(strings.Join(rapid.SliceOfN(piece, 0, 24).Draw(t, "text"), "") + rapid.SampledFrom([]string{`"`, `"`, ``}).Draw(t, "quote"))
		at := rapid.IntRange(0, len(value)).Draw(t, "at")
		want := at
		for want < len(value) && value[want] != '"' && value[want] != '\\' && value[want] >= ' ' {
			want++
		}
		if want == len(value) || value[want] != '"' || !utf8.Valid(value[at:want]) {
			want = -1
		}
		if got := textEnd(value, at); got != want {
			t.Fatalf("got %d, want %d from %d in %q", got, want, at, value)
		}
	})
}

// TestSpecials has every byte at every place of a word of plain text.
func TestSpecials(t *testing.T) {
	for at := range 8 {
		for c := range 256 {
			word := uint64(' ')*ones&^(0xff<<(8*at)) | uint64(c)<<(8*at)
			want := 64
			if c == '"' || c == '\\' || c < ' ' || c >= 0x80 {
				want = 8*at + 7
			}
			if got := bits.TrailingZeros64(specials(word)); got != want {
				t.Fatalf("%#x: got %d, want %d", word, got, want)
			}
		}
	}
}

// TestHourEqualsParseTime reads one time after another.
func TestHourEqualsParseTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h hour
		for range rapid.IntRange(1, 20).Draw(t, "times") {
			text := mostly(t, goodTime, timeOf(61, "Z", "", ".Z", "+0:30"))
			got, _, end := h.read(&envelopeTimes, []byte(text), 1)
			want, ok := parseTime([]byte(text[1 : len(text)-1]))
			if ok != (end >= 0) || ok && (got != want || end != len(text)) {
				t.Fatalf("%s: got %d to %d, want %d, %v", text, got, end, want, ok)
			}
			if _, end = h.readSame([]byte(text), 1); ok && end < 0 {
				t.Fatalf("%s: its hour was not kept", text)
			}
		}
	})
}
