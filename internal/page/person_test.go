package page

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// wrongZone are the times not written in the browser's zone.
const wrongZone = `[
	...[...document.querySelectorAll("time")].filter((e) => !e.textContent.endsWith(new Date(e.dateTime).toTimeString().slice(0, 8))),
	...[...document.querySelectorAll("#cells a")].filter((e) => !e.ariaLabel.includes(new Date(e.dataset.start).toTimeString().slice(0, 5) + "–")),
].map((e) => e.ariaLabel ?? e.textContent)`

// TestSwitches: time zone and theme by one switch each, kept over a reload.
func TestSwitches(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	f.say(newWorld().update())
	b := newTab(t, f)
	call(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "America/New_York"})
	b.media("prefers-color-scheme", "light")
	b.open("/")
	b.waitText("#now-about", "12:00–13:00")
	paper := func() string { return value[string](b, "getComputedStyle(document.body).backgroundColor") }
	light := paper()
	b.click("#zone")
	b.click("#theme") // auto -> light
	b.click("#theme") // light -> dark
	for range 2 {
		b.waitText("#now-about", "07:00–08:00")
		b.waitText("#hero-text", "07:00–08:00 America/New_York")
		b.waitText("#held", "07:39:00 America/New_York")
		b.waitText("#zone", "local (America/New_York)")
		if paper() == light {
			t.Error("the dark theme is light")
		}
		if utc := value[[]string](b, wrongZone); len(utc) > 0 {
			t.Errorf("still in UTC: %q", utc)
		}
		b.open("/")
	}
	b.click("#zone")
	b.click("#theme") // dark -> auto
	b.waitText("#now-about", "12:00–13:00")
	if paper() != light {
		t.Error("the automatic theme is not that of the system")
	}
}

// TestStill: who prefers reduced motion sees none.
func TestStill(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	w := newWorld()
	f.say(w.update())
	b := newTab(t, f)
	b.media("prefers-reduced-motion", "reduce")
	b.open("/")
	b.wait(leader + ` == "latte"`)
	value[bool](b, `window.moved = 0, document.addEventListener("transitionrun", () => window.moved++), true`)
	w.order("mocha", 5000)
	f.say(w.update())
	b.wait(leader + ` == "mocha"`)
	if moved := value[int](b, "window.moved + document.getAnimations().length"); moved > 0 {
		t.Errorf("%d movements", moved)
	}
}

// TestKeyboard: the timeline is one stop, arrows move within it, enter opens, and the focus
// goes to what was opened.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	w := newWorld()
	w.serve(f)
	f.say(w.update())
	b := newTab(t, f)
	b.open("/")
	b.wait(leader + ` == "latte"`)
	if stops := value[int](b, `[...document.querySelectorAll("#cells a")].filter((a) => a.tabIndex == 0).length`); stops != 1 {
		t.Errorf("%d stops in the timeline", stops)
	}
	b.run(chromedp.KeyEvent(kb.Tab))
	if got := value[string](b, "document.activeElement.textContent"); got != "Skip to the lists" {
		t.Errorf("the first stop is %q", got)
	}
	value[bool](b, `document.querySelector("#cells a[tabindex='0']").focus(), true`)
	b.run(chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	b.waitText("#cell-text", "09:00–10:00, closed, final:")
	w.order("chai", 1)
	f.say(w.update()) // an update does not take the focus away
	b.waitText("#now-list", "191")
	b.run(chromedp.KeyEvent(kb.Enter))
	b.waitText("#detail-title", "Window 2026-03-01 09:00–10:00 UTC")
	if got := value[string](b, "document.activeElement.id"); got != "detail-title" {
		t.Errorf("the focus is at %q", got)
	}
	b.size(360, 800)
	value[bool](b, `document.querySelector("#cells a[tabindex='0']").focus(), true`)
	for _, c := range []struct{ key, cell string }{{kb.End, "last"}, {kb.Home, "first"}} {
		b.run(chromedp.KeyEvent(c.key))
		b.wait(`((list, a) => a === document.activeElement && a.getBoundingClientRect().left >= list.left && a.getBoundingClientRect().right <= list.right)(
			document.querySelector("#cells").getBoundingClientRect(), document.querySelector("#cells li:` + c.cell + `-child a"))`)
	}
}
