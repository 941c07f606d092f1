package window

import (
	"bytes"
	"errors"
	"math"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestKey(t *testing.T) {
	cases := []struct {
		drink string
		scope Scope
		key   string
	}{
		{"latte", At(1772359200000), "latte:1772359200000"},
		{"latte", AllTime, "latte:all"},
		{"latte", At(0), "latte:0"},
		{"latte", At(-10), "latte:-10"},
		{"a:b", At(5), "a:b:5"},
		{"a:5", AllTime, "a:5:all"},
		{"x:all", At(5), "x:all:5"},
		{"x:all", AllTime, "x:all:all"},
		{":", AllTime, "::all"},
		{":", At(1), "::1"},
		{"all", AllTime, "all:all"},
		{" \t\n\x00", At(7), " \t\n\x00:7"},
		{"чай 🍵", At(7), "чай 🍵:7"},
		{"x", At(math.MaxInt64), "x:9223372036854775807"},
		{"x", At(math.MinInt64), "x:-9223372036854775808"},
	}
	for _, c := range cases {
		if got := string(AppendKey([]byte("before"), c.drink, c.scope)); got != "before"+c.key {
			t.Errorf("key of %q in %v: %q, want %q behind what was there", c.drink, c.scope, got, c.key)
		}
		if got := string(AppendKey(nil, []byte(c.drink), c.scope)); got != c.key {
			t.Errorf("key of the bytes %q in %v: %q, want %q", c.drink, c.scope, got, c.key)
		}
		drink, scope, err := ParseKey([]byte(c.key))
		if err != nil || string(drink) != c.drink || scope != c.scope {
			t.Errorf("%q: got %q, %+v, %v", c.key, drink, scope, err)
		}
	}
}

func TestParseKeyRefuses(t *testing.T) {
	keys := []string{
		"", ":", "latte", ":5", ":all", // no drink or no window
		"latte:", "latte:+5", "latte:05", "latte:-0", "latte:00", "latte:-05", "latte:0x5", "latte:5_0", "latte: 5", "latte:5 ",
		"latte:5.0", "latte:1e3", "latte:-", "latte:--5", "latte:ALL", "latte:all ", "latte:al", "latte:٥",
		"latte:9223372036854775808", "latte:-9223372036854775809", "latte:18446744073709551616",
		"\xff:5", "\xffm", "a\xff:5", "\xc3:all", "\xed\xa0\x80:5", "\xc0\x80:5", "latte:5\xff", "\xffw\x80\x00\x00\x00\x00\x00\x00:",
	}
	for _, key := range keys {
		drink, scope, err := ParseKey([]byte(key))
		if !errors.Is(err, ErrKey) {
			t.Errorf("%q: read as %q in %v, %v", key, drink, scope, err)
		}
	}
}

func scopes() *rapid.Generator[Scope] {
	return rapid.OneOf(rapid.Just(AllTime), rapid.Map(rapid.OneOf(rapid.Int64(), times()), At))
}

// TestKeyReadsBack also checks that two keys are equal only if drink and scope are.
func TestKeyReadsBack(t *testing.T) {
	drinks := rapid.OneOf(rapid.StringN(1, 20, -1), rapid.StringMatching(`[a:0-9-]{1,4}(:all|:-?[0-9]{1,3})?`))
	rapid.Check(t, func(t *rapid.T) {
		drink, scope := drinks.Draw(t, "drink"), scopes().Draw(t, "scope")
		key := AppendKey(nil, drink, scope)
		gotDrink, gotScope, err := ParseKey(key)
		if err != nil || string(gotDrink) != drink || gotScope != scope {
			t.Fatalf("%q: got %q, %+v, %v", key, gotDrink, gotScope, err)
		}
		other, otherScope := drinks.Draw(t, "other"), scopes().Draw(t, "other scope")
		same := other == drink && otherScope == scope
		if bytes.Equal(AppendKey(nil, other, otherScope), key) != same {
			t.Fatalf("%q in %v and %q in %v share a key", drink, scope, other, otherScope)
		}
	})
}

// FuzzParseKey checks that what is accepted is exactly what AppendKey writes.
func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{"latte:5", "a:b:-5", "x:all", ":all", "latte:05", "latte:-0", "\xff\x77", "::1", "x:9223372036854775808"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, key []byte) {
		drink, scope, err := ParseKey(key)
		if err != nil {
			if !errors.Is(err, ErrKey) {
				t.Fatalf("%q: %v", key, err)
			}
			return
		}
		if len(drink) == 0 || !utf8.Valid(drink) {
			t.Fatalf("%q: drink %q", key, drink)
		}
		if again := AppendKey(nil, drink, scope); !bytes.Equal(again, key) {
			t.Fatalf("%q reads as %q in %v, which is written %q", key, drink, scope, again)
		}
	})
}
