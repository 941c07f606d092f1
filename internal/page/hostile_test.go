package page

import (
	"fmt"
	"strings"
	"testing"
)

// hostile are names that strangers could send, and how each must read on the page.
var hostile = []struct{ name, shown string }{
	{`<script>alert(1)</script>`, `<script>alert(1)</script>`},
	{`<img src=x onerror=alert(1)>`, `<img src=x onerror=alert(1)>`},
	{`<svg/onload=alert(1)>`, `<svg/onload=alert(1)>`},
	{`"><iframe src="https://example.org/">`, `"><iframe src="https://example.org/">`},
	{`</bdi></th></table><h1>owned</h1>`, `</bdi></th></table><h1>owned</h1>`},
	{`<!--`, `<!--`},
	{`]]>`, `]]>`},
	{`&lt;b&gt; &amp; &#x202e;`, `&lt;b&gt; &amp; &#x202e;`},
	{`javascript:alert(1)`, `javascript:alert(1)`},
	{`{{constructor.constructor('alert(1)')()}}`, `{{constructor.constructor('alert(1)')()}}`},
	{"${alert(1)}", "${alert(1)}"},
	{`__proto__`, `__proto__`},
	{`constructor`, `constructor`},
	{`toString`, `toString`},
	{`'; DROP TABLE drinks; --`, `'; DROP TABLE drinks; --`},
	{"a\x00b", "a␀b"},
	{"bell\x07\x1b[31mred", "bell␇␛[31mred"},
	{"tab\there", "tab␉here"},
	{"two\nlines\r\n", "two␊lines␍␊"},
	{"del\x7fc1\u0085\u009b", "del␡c1U+0085U+009B"},
	{"\u202egnp.exe", "U+202Egnp.exe"},
	{"\u2066isolate\u2069", "U+2066isolateU+2069"},
	{"zero\u200bwidth\ufeff", "zeroU+200BwidthU+FEFF"},
	{"line\u2028sep\u2029", "lineU+2028sepU+2029"},
	{"قهوة ٣ (latte)", "قهوة ٣ (latte)"},
	{"קפה", "קפה"},
	{" ", "␣"},
	{"  latte", "␣␣latte"},
	{"latte\u00a0", "latteU+00A0"},
	{"Z͑ͫa̴l̷g̶o̸" + strings.Repeat("\u0335\u0301", 40), "Z͑ͫa̴l̷g̶o̸" + strings.Repeat("\u0335\u0301", 40)},
	{"👩‍👩‍👧 ☕️", "👩‍👩‍👧 ☕️"},
	{"tag\U000e0041", "tagU+E0041"},
	{strings.Repeat("long ", 204) + "name", strings.Repeat("long ", 204) + "name"},
	{strings.Repeat("W", 1024), strings.Repeat("W", 1024)},
}

// TestHostileNames: every name is read as it was sent, in the lists, in the headline, in
// a window and in the title; none of it becomes markup, script or direction.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	w := newWorld()
	w.counts = map[string]uint64{}
	for i, h := range hostile {
		w.counts[h.name] = uint64(1000 - i)
	}
	w.serve(f)
	u := w.update()
	u["current"], u["last"], u["all_time"] = w.top(w.counts, w.windows[0], 50), w.top(w.counts, w.windows[2], 50), w.top(w.counts, nil, 50)
	f.say(u)
	b := newTab(t, f)
	b.size(360, 800)
	b.media("prefers-color-scheme", "light")
	for _, place := range []struct{ address, list string }{{"/", "#now-list"}, {"/", "#all-list"}, {"?window=2026-03-01T12:00:00Z", "#detail-list"}} {
		b.open(place.address)
		b.wait(fmt.Sprintf(`document.querySelectorAll("%s tbody tr").length == %d`, place.list, len(hostile)))
		shown := value[[]string](b, fmt.Sprintf(`[...document.querySelectorAll("%s tbody .name")].map((e) => e.textContent)`, place.list))
		for i, h := range hostile {
			if shown[i] != h.shown {
				t.Errorf("%s: %+q is shown as %+q, want %+q", place.list, h.name, shown[i], h.shown)
			}
		}
		if n := value[int](b, `document.querySelectorAll("main script, main img, main iframe, main h1, main svg, main [onerror], main [onload]").length`); n > 0 {
			t.Errorf("%s: names became %d elements", place.list, n)
		}
		if over := value[int](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
			t.Errorf("%s: %d px wider than the screen", place.list, over)
		}
		if ltr := value[bool](b, fmt.Sprintf(`[...document.querySelectorAll("%s tbody .name")].every((e) => getComputedStyle(e).unicodeBidi == "isolate")`, place.list)); !ltr {
			t.Errorf("%s: a name is not isolated from the direction of its surroundings", place.list)
		}
		b.shot("hostile" + strings.ReplaceAll(place.list, "#", "-"))
	}
	b.accessible(t, "hostile names")
	for _, h := range []int{0, 4, 16, 20, 24, 26, 33} {
		h := hostile[h]
		w.counts = map[string]uint64{h.name: 5}
		f.say(w.update())
		b.wait(fmt.Sprintf(`document.title == %s.trim().replaceAll(/\s+/g, " ") + " · windowed"`, quote(h.shown)))
	}
	if value[bool](b, `Object.prototype.hasOwnProperty("polluted")`) {
		t.Error("the prototype was changed")
	}
}

// quote is a text as a JavaScript literal.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		if r < 0x20 || r > 0x7e || r == '"' || r == '\\' {
			fmt.Fprintf(&b, `\u{%x}`, r)
			continue
		}
		b.WriteRune(r)
	}
	b.WriteByte('"')
	return b.String()
}
