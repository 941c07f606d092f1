package page

import (
	"strings"
	"testing"
)

// TestWords: the page calls what is counted as the program does.
func TestWords(t *testing.T) {
	t.Parallel()
	f := newFake(t, "/")
	u := newWorld().update()
	u["status"].(object)["words"] = object{"noun": "city", "nouns": "cities", "record": "record", "records": "records", "portion": "item", "portions": "items"}
	f.say(u)
	b := newTab(t, f)
	b.open("/")
	b.wait(leader + ` == "latte"`)
	if got := b.text("#hero-text"); got != "950 of 3,835 items (24.8 %) so far in 12:00–13:00 UTC" {
		t.Error(got)
	}
	if got := b.text("#all-list thead"); got != "#cityitemsshare" {
		t.Error(got)
	}
	if got := value[string](b, `document.querySelector("#now-list table").getAttribute("aria-label")`); got != "Cities of the open window" {
		t.Error(got)
	}
	b.waitText("#rates-title", "Records per second")
	b.waitText("#counters", "records counted")
	if body := b.text("#overview"); strings.Contains(body, "drink") || strings.Contains(body, "portion") || strings.Contains(body, "orders") {
		t.Error(body)
	}
}
