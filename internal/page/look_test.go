package page

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// violation is what axe found.
type violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// accessible runs axe-core on what is shown now: all its rules, or some.
func (b *tab) accessible(t *testing.T, where string, rules ...string) {
	t.Helper()
	if !value[bool](b, "!!window.axe") {
		axe, err := os.ReadFile("testdata/axe/axe.min.js")
		if err != nil {
			t.Fatal(err)
		}
		b.run(chromedp.Evaluate[chromedp.Void](string(axe)))
	}
	only, _ := json.Marshal(rules)
	if len(rules) == 0 {
		only = []byte("undefined")
	}
	found := value[[]violation](b, `axe.run(document, {resultTypes: ["violations"], runOnly: `+string(only)+`}).then((r) => r.violations.map((v) => ({id: v.id, help: v.help, nodes: v.nodes.map((n) => ({html: n.html, failureSummary: n.failureSummary}))})))`)
	for _, v := range found {
		for _, n := range v.Nodes {
			t.Errorf("%s: axe %s: %s\n  %.300s\n  %s", where, v.ID, v.Help, n.HTML, n.Summary)
		}
	}
}

// contrasts measures names against the bars they lie on, which axe cannot see through.
const contrasts = `(() => {
	const rgb = (c) => { const x = document.createElement("canvas").getContext("2d", {willReadFrequently: true}); x.fillStyle = c; x.fillRect(0, 0, 1, 1); return x.getImageData(0, 0, 1, 1).data; };
	const lum = (c) => { const [r, g, b] = [...rgb(c)].slice(0, 3).map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	return [...document.querySelectorAll(".bar")].map((bar) => {
		const name = bar.closest("th").querySelector(".name"), a = lum(getComputedStyle(name).color), b = lum(getComputedStyle(bar).backgroundColor);
		return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
	});
})()`

// view is one state of the page to look at.
type view struct {
	name, address string
	update        object
	ready         string
}

// TestLooks checks every view in both themes and at both widths, and keeps pictures.
func TestLooks(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	w := newWorld()
	w.serve(f)
	b := newTab(t, f)
	b.mayBreak() // one view is of an expired window
	for _, v := range []view{
		{"overview", "", w.update(), `document.querySelectorAll("#all-list tbody tr").length == 10`},
		{"window", "?window=" + w.windows[4]["start"].(string), w.update(), `document.querySelectorAll("#detail-list tbody tr").length == 50`},
		{"expired", "?window=" + w.windows[29]["start"].(string), w.update(), `document.querySelector("#detail-title").textContent == "Window expired"`},
		{"restoring", "", w.restoring(812_345, 1_290_000), `document.querySelector("#waiting-title").textContent.includes("62 %")`},
	} {
		f.say(v.update)
		b.open(v.address)
		b.wait(v.ready)
		if v.name == "overview" {
			fillChart(b, f, w)
		}
		b.look(t, v.name, "light", 360)
		b.look(t, v.name, "dark", 1440)
		if v.name == "overview" || v.name == "window" { // the others are parts of these
			b.look(t, v.name, "light", 1440)
			b.look(t, v.name, "dark", 360)
		}
	}
}

// look checks what is shown, in a theme and at a width.
func (b *tab) look(t *testing.T, name, theme string, width int64) {
	t.Helper()
	where := fmt.Sprintf("%s-%s-%d", name, theme, width)
	b.media("prefers-color-scheme", theme)
	b.size(width, 1000)
	time.Sleep(500 * time.Millisecond) // the bars come to rest
	if theme == "light" {
		b.accessible(t, where)
	} else { // a theme changes colours only
		b.accessible(t, where, "color-contrast")
	}
	for _, c := range value[[]float64](b, contrasts) {
		if c < 4.5 {
			t.Errorf("%s: contrast of a name on its bar is %.2f", where, c)
		}
	}
	if over := value[int](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
		t.Errorf("%s: %d px wider than the screen", where, over)
	}
	b.shot(where)
}

// fillChart gives the page some minutes of counters at once.
func fillChart(b *tab, f *fake, w *world) {
	b.t.Helper()
	then := w.now
	counted, late := int64(184100), int64(58)
	for i := range 150 {
		w.now = then.Add(time.Duration(4*i) * time.Second)
		counted += int64(30 + 9*(i%7) + i/3)
		if i%11 == 0 {
			late += 6
		}
		u := w.update()
		u["status"].(object)["counted"], u["status"].(object)["late"] = counted, late
		f.say(u)
		time.Sleep(2 * time.Millisecond)
	}
	w.now = then
	b.wait(`!document.querySelector("#rate-orders").textContent.includes("–")`)
}
