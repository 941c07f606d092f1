package page

import (
	"testing"
	"time"
)

// TestRefused: a page that gets no stream polls and says so; it is not stale, it takes part
// in a restore, and it goes over to the stream as soon as there is one.
func TestRefused(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/some/prefix/")
	w := newWorld()
	f.say(w.update())
	f.refuse(true)
	b := newTab(t, f)
	b.mayBreak()
	b.open("some/prefix/")
	b.wait(leader + ` == "latte"`)
	b.waitText("#link", "polling")
	b.waitText("#held", "partition 3 holds that back")
	time.Sleep(4 * time.Second) // longer than the page waits before it calls itself stale
	if link, stale := b.text("#link"), b.text("#stale"); link != "polling" || stale != "" {
		t.Errorf("while it polls the page says %q, %q", link, stale)
	}
	w.order("chai", 2000)
	f.say(w.update())
	b.wait(leader + ` == "chai"`)
	b.accessible(t, "polling")
	f.say(w.restoring(10_000, 40_000))
	b.waitText("#waiting-title", "Restoring the counts: 25 %")
	f.say(w.update())
	b.wait(`!document.querySelector("#overview").hidden`)
	f.refuse(false)
	b.waitText("#link", "live")
	f.refuse(true)
	f.cut() // and nothing at all after that
	b.waitText("#link", "stale since")
	f.mend()
	b.waitText("#link", "polling")
}
