package page

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestDrillDown: a window is a link: it opens, goes back and forth, survives a reload,
// follows what changes, and says so when it is gone.
func TestDrillDown(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	w := newWorld()
	w.serve(f)
	f.say(w.update())
	b := newTab(t, f)
	b.open("/")
	b.wait(leader + ` == "latte"`)
	b.click(`#cells a[data-start="2026-03-01T08:00:00Z"]`)
	b.waitText("#detail-title", "Window 2026-03-01 08:00–09:00 UTC")
	b.waitText("#detail-text", "closed, amended 2 times. From 08:00:00 up to, not including, 09:00:00.")
	if got := b.search(); got != "?window=2026-03-01T08:00:00Z" {
		t.Error(got)
	}
	if got := b.text("#detail-more"); got != "The first 50 of 70 drinks. As JSON As CSV" {
		t.Error(got)
	}
	if !value[bool](b, `document.querySelector("#overview").hidden && document.querySelectorAll("#cells a[aria-current]").length == 1`) {
		t.Error("the overview is still there, or the timeline does not say where one is")
	}
	b.click("#newer")
	b.waitText("#detail-title", "09:00–10:00")
	b.run(chromedp.NavigateBack())
	b.waitText("#detail-title", "08:00–09:00")
	b.open("?window=2026-03-01T08:00:00Z")
	b.waitText("#detail-title", "08:00–09:00")
	b.click("[data-overview]")
	b.wait(`!document.querySelector("#overview").hidden && location.search == "" && document.activeElement.id == "main"`)
}

// TestDetailFollows: the open window's list is asked for again when it grew, at most once
// a second, and not when it did not.
func TestDetailFollows(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	w := newWorld()
	w.serve(f)
	f.say(w.update())
	b := newTab(t, f)
	b.open("?window=2026-03-01T12:00:00Z")
	b.waitText("#detail-list", "latte")
	b.waitText("#detail-text", "open, provisional.")
	asked := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.asked
	}
	before := asked()
	for range 12 {
		f.say(w.update())
		time.Sleep(100 * time.Millisecond)
	}
	if n := asked() - before; n > 0 {
		t.Errorf("asked %d times for a window that did not change", n)
	}
	began := time.Now()
	for range 12 {
		w.order("mocha", 200)
		w.serve(f)
		f.say(w.update())
		time.Sleep(100 * time.Millisecond)
	}
	f.say(w.update())
	b.wait(`document.querySelector("#detail-list tbody .name").textContent == "mocha"`)
	if n, took := asked()-before, time.Since(began); n < 1 || float64(n) > took.Seconds()+2 {
		t.Errorf("asked %d times within %s", n, took)
	}
}

// TestGone: links to windows that are not kept say why.
func TestGone(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	w := newWorld()
	w.serve(f)
	f.say(w.update())
	b := newTab(t, f)
	b.mayBreak()
	expired := w.windows[29]["start"].(string)
	b.open("?window=" + expired)
	b.waitText("#detail-title", "Window expired")
	b.waitText("#detail-text", "the window of "+expired+" has expired (--retention)")
	b.open(`?window=<img src=x onerror=alert(1)>`)
	b.waitText("#detail-title", "No such window")
	b.waitText("#detail-text", "the window of <img src=x onerror=alert(1)> has expired")
	if value[bool](b, `!!document.querySelector("main img")`) {
		t.Error("the address became markup")
	}
}
