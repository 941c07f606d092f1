package page

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
)

const leader = `document.querySelector("#now-list tbody tr .name")?.textContent`

// TestLive: an update moves rows to their place and bars to their length, below a base
// path, without an error and without a request to anybody else.
func TestLive(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/some/prefix/")
	w := newWorld()
	f.say(w.update())
	b := newTab(t, f)
	b.open("some/prefix/")
	b.wait(leader + ` == "latte"`)
	if got := b.text("#hero-name") + ": " + b.text("#hero-text"); got != "latte: 950 of 3,835 portions (24.8 %) so far in 12:00–13:00 UTC" {
		t.Error(got)
	}
	value[bool](b, `document.querySelectorAll("#now-list tbody tr")[1].marked = true`)
	w.order("cappuccino", 400)
	f.say(w.update())
	b.wait(leader + ` == "cappuccino" && document.querySelector("#hero-name").textContent == "cappuccino"`)
	if !value[bool](b, `document.querySelector("#now-list tbody tr").marked === true`) {
		t.Error("the row was made anew: it cannot move")
	}
	if !value[bool](b, `[...document.querySelectorAll("#now-list tbody tr")].some((r) => r.getAnimations().length)`) {
		t.Error("no row moves")
	}
	b.wait(`document.querySelectorAll("#now-list .bar")[1].style.transform.startsWith("translateX(-8.0")`)
	if got := b.text("#now-list tbody tr"); got != "1cappuccino1,03324.4 %▲ 9up 9" {
		t.Error(got)
	}
	if got := value[string](b, "document.title"); got != "cappuccino · windowed" {
		t.Error(got)
	}
	if got := b.text("#held"); got != "Windows are closed through 12:39:03 UTC; partition 3 holds that back." {
		t.Error(got)
	}
	if got := b.text("#partitions tr.holding"); !strings.HasPrefix(got, "312:40:03") || !strings.HasSuffix(got, "active holds back") {
		t.Error(got)
	}
	f.say(w.restoring(1_290_000, 1_290_000))
	b.waitText("#waiting-title", "Restoring the counts: 99 %") // 100 % is when it is done
}

// TestAnnounce: the live region speaks when a window closes, never with a tick.
func TestAnnounce(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	w := newWorld()
	f.say(w.update())
	b := newTab(t, f)
	b.open("/")
	b.wait(leader + ` == "latte"`)
	w.order("chai", 5)
	f.say(w.update())
	b.waitText("#now-list", "195")
	if got := b.text("#announce"); got != "" {
		t.Errorf("said without a window that closed: %s", got)
	}
	w.close()
	u := w.update()
	u["last"] = w.top(w.counts, w.windows[1], 10)
	f.say(u)
	b.waitText("#announce", "Window 12:00–13:00 is closed: latte leads with 950 of 3,840 portions.")
	b.wait(`document.querySelector("#cells li:last-child a").dataset.state == "open"`)
}

// TestRestart: the page says since when it is stale, comes back by itself, and shows the
// restore before it shows lists again.
func TestRestart(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	w := newWorld()
	f.say(w.update())
	b := newTab(t, f)
	b.mayBreak()
	b.open("/")
	b.wait(leader + ` == "latte"`)
	if got := b.text("#stale"); got != "" {
		t.Error(got)
	}
	b.wait(`document.querySelector("#link").textContent == "live"`)
	began := time.Now()
	f.bye()
	f.cut()
	b.wait(`document.querySelector("#link").textContent == "reconnecting"`)
	b.wait(`/^Stale since \d\d:\d\d:\d\d UTC: /.test(document.querySelector("#stale").textContent)`)
	if took := time.Since(began); took < 2500*time.Millisecond || took > 15*time.Second {
		t.Errorf("stale after %s", took)
	}
	if got := value[string](b, "document.title"); got != "stale · windowed" {
		t.Error(got)
	}
	if got := b.text("#hero-caption"); !strings.HasPrefix(got, "Most ordered at ") {
		t.Errorf("a stale page says %q", got)
	}
	b.shot("stale")
	b.accessible(t, "stale")
	f.say(w.restoring(10_000, 40_000))
	f.mend()
	b.waitText("#waiting-title", "Restoring the counts: 25 %")
	b.wait(`document.querySelector("#overview").hidden && document.querySelector("#stale").textContent == ""`)
	w.order("latte", 1)
	f.say(w.update())
	b.wait(`!document.querySelector("#overview").hidden && document.querySelector("#hero-text").textContent.startsWith("951")`)
	f.listeners(t, 1)
}

// TestQuiet: while a program has nothing new to say, time goes on and the rate is zero.
func TestQuiet(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	w := newWorld()
	f.say(w.update())
	b := newTab(t, f)
	b.open("/")
	b.waitText("#asof", "closed through 12:39:00, 2 min behind")
	b.waitText("#partitions tr", "7 s")
	w.now = w.now.Add(10 * time.Second)
	f.say(w.update())
	b.wait(`parseFloat(document.querySelector("#rate-orders").textContent) > 0`)
	b.waitText("#rate-orders", "0.0 /s")
	if !value[bool](b, `/Now 0.0 counted, 0.0 late/.test(document.querySelector("#chart").ariaLabel)`) {
		t.Error("the chart's label says something else")
	}
	b.wait(`parseInt(document.querySelector("#partitions tr").children[2].textContent) >= 9`)
	b.click("#rate-table summary")
	b.wait(`document.querySelectorAll("#rate-rows tr").length > 0`)
	if got := b.text("#refused-rows"); got != "malformed partition 1, offset 45,991, 12:40:40: not JSON: <b>U+202E at byte 12" {
		t.Error(got)
	}
	if got := b.text("#partitions tr td:last-child"); got != "paused" {
		t.Error(got)
	}
}

// TestTimes: how windows and durations are written.
func TestTimes(t *testing.T) {
	t.Parallel()
	b := newTab(t, newFake(t, "/"))
	b.open("/")
	for call, want := range map[string]string{
		`span("2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z")`:                                             "2026-03-01 10:00–11:00",
		`span("2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z", Date.parse("2026-03-01T23:00:00Z"))`:         "10:00–11:00",
		`span("2026-03-01T23:00:00Z", "2026-03-02T00:00:00Z")`:                                             "2026-03-01 23:00–00:00",
		`span("2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z")`:                                             "2026-03-01",
		`span("2026-03-01T00:00:00Z", "2026-03-08T00:00:00Z")`:                                             "2026-03-01 – 2026-03-08",
		`span("2026-03-01T10:00:00Z", "2026-03-03T11:00:00Z")`:                                             "2026-03-01 10:00–2026-03-03 11:00",
		`span("2026-03-01T10:00:05Z", "2026-03-01T10:00:10Z")`:                                             "2026-03-01 10:00:05–10:00:10",
		`span("2026-03-01T10:00:00.250Z", "2026-03-01T10:00:00.500Z")`:                                     "2026-03-01 10:00:00.250–10:00:00.500",
		`span("0001-01-01T10:00:00Z", "0001-01-01T11:00:00Z")`:                                             "0001-01-01 10:00–11:00",
		`[-5, 0, 850, 1000, 119e3, 120e3, 3540e3, 3600e3, 7500e3, 172800e3, 1e9].map(duration).join(", ")`: "0 s, 0 ms, 850 ms, 1 s, 119 s, 2 min, 59 min, 1 h, 2 h 5 min, 2 d, 11 d 13 h",
	} {
		if got := value[string](b, `import("./assets/time.js").then(({span, duration}) => `+call+`)`); got != want {
			t.Errorf("%s = %s, want %s", call, got, want)
		}
	}
}

// TestHidden: a tab that nobody sees holds no connection.
func TestHidden(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	w := newWorld()
	f.say(w.update())
	b := newTab(t, f)
	b.open("/")
	b.wait(leader + ` == "latte"`)
	f.listeners(t, 1)
	hide := func(hidden string) {
		value[bool](b, `Object.defineProperty(document, "hidden", {get: () => `+hidden+`, configurable: true}), document.dispatchEvent(new Event("visibilitychange"))`)
	}
	hide("true")
	f.listeners(t, 0)
	w.order("chai", 2000)
	f.say(w.update())
	hide("false")
	f.listeners(t, 1)
	b.wait(leader + ` == "chai"`)
}

// TestPause: nothing moves while paused; the newest is shown after.
func TestPause(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	w := newWorld()
	f.say(w.update())
	b := newTab(t, f)
	b.open("/")
	b.wait(leader + ` == "latte"`)
	b.click("#pause")
	b.waitText("#link", "paused at ")
	w.order("mocha", 5000)
	f.say(w.update())
	time.Sleep(300 * time.Millisecond)
	if got := value[string](b, leader); got != "latte" {
		t.Errorf("%s moved up in a paused page", got)
	}
	b.click("#pause")
	b.wait(leader + ` == "mocha" && document.querySelector("#link").textContent == "live"`)
}

// TestCounts: no digit of a count is lost beyond 2^53.
func TestCounts(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	w := newWorld()
	w.counts = map[string]uint64{"a": 9_007_199_254_740_993, "b": 9_007_199_254_740_992, `"$int":"1", 12345678901234567890`: 7}
	f.say(w.update())
	b := newTab(t, f)
	b.open("/")
	b.wait(leader + ` == "a"`)
	rows := value[[]string](b, `[...document.querySelectorAll("#now-list tbody tr")].map((r) => r.children[1].textContent + "=" + r.children[2].textContent)`)
	want := `a=9,007,199,254,740,993|b=9,007,199,254,740,992|"$int":"1", 12345678901234567890=7`
	if got := strings.Join(rows, "|"); got != want {
		t.Errorf("shown %s, want %s", got, want)
	}
	if got := b.text("#hero-text"); !strings.HasPrefix(got, "9,007,199,254,740,993 of 18,014,398,509,481,992 portions (50.0 %)") {
		t.Error(got)
	}
}

// TestNothingYet: a program without any order says so.
func TestNothingYet(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	w := newWorld()
	u := w.update()
	u["all_time"], u["current"], u["last"] = w.top(nil, nil, 10), nil, nil
	u["windows"].(object)["windows"] = []object{}
	u["watermark"] = object{"schema": "windowed.watermark/v1", "held_back_by": []int{0}, "partitions": []object{{"partition": 0, "idle": false, "next_offset": 0, "lag": 0, "holds_back": true}}}
	f.say(u)
	b := newTab(t, f)
	b.open("/")
	b.waitText("#hero-name", "No order yet")
	b.waitText("#last-about", "No window is closed yet.")
	b.waitText("#now-about", "No window is open yet.")
	b.waitText("#held", "No window can close yet; partition 0 holds that back.")
	b.waitText("#partitions", "paused holds back")
	b.accessible(t, "nothing yet")
	b.shot("nothing-yet")
}

// TestCache: a second visit loads no file again.
func TestCache(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	f.say(newWorld().update())
	b := newTab(t, f)
	b.open("/")
	b.wait(leader + ` == "latte"`)
	call(b, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: false})
	b.open("/")
	b.wait(leader + ` == "latte"`)
	loaded := value[int](b, `performance.getEntriesByType("resource").filter((e) => e.name.includes("/assets/") && e.encodedBodySize && e.transferSize >= e.encodedBodySize + 300).length`)
	if loaded > 0 {
		t.Errorf("%d files were sent again", loaded)
	}
}
