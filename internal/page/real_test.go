package page

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/internal/api"
	"windowed/internal/engine"
	"windowed/state"
	"windowed/window"
)

// silent drops the store's lines.
type silent struct{}

func (silent) Infof(string, ...any)         {}
func (silent) Errorf(string, ...any)        {}
func (silent) Fatalf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }

// counted is a state as the engine makes it, of one partition.
type counted struct {
	t    *testing.T
	st   *state.State
	meta state.Meta
	next int64
}

func (c *counted) apply(changes ...state.Change) {
	c.t.Helper()
	c.next++
	if err := c.st.Apply(0, changes, c.next); err != nil {
		c.t.Fatal(err)
	}
}

// order counts portions of a drink in the window of start.
func (c *counted) order(drink string, start int64, portions uint64) {
	c.t.Helper()
	var changes []state.Change
	for _, scope := range []window.Scope{window.AllTime, window.At(start)} {
		had, err := c.st.Count(0, drink, scope)
		if err != nil {
			c.t.Fatal(err)
		}
		changes = append(changes, state.Change{Kind: state.CountKind, Scope: scope, Drink: drink, Count: had + portions})
	}
	numbers, err := c.st.Numbers(0, start)
	if err != nil {
		c.t.Fatal(err)
	}
	numbers = numbers.Plus(window.Numbers{Records: 1, Portions: portions})
	c.meta.Next++
	c.meta.Counters.Records++
	c.meta.Counters.Counted++
	c.meta.Counters.Portions += portions
	c.meta.Time.Accept(start+1, 0)
	meta := c.meta
	c.apply(append(changes, state.Change{Kind: state.NumbersKind, Scope: window.At(start), Numbers: &numbers}, state.Change{Kind: state.MetaKind, Meta: &meta})...)
}

func (c *counted) close(through int64) {
	c.t.Helper()
	c.apply(state.Change{Kind: state.GlobalKind, Global: &state.Global{CloseThrough: through, Partitions: 1}})
}

// cafe is a program that counts, with a closed window, more of them before it, and an open
// one.
func cafe(t *testing.T, before int, o api.Options) (c *counted, front *httptest.Server, first int64) {
	t.Helper()
	const hour = 3_600_000
	first = noon.UnixMilli() / hour * hour
	cfg := &engine.Config{Window: window.Size(hour), Grace: 60_000, Retention: 1000 * hour}
	st, err := state.Open("state", state.Options{FS: vfs.NewMem(), Window: cfg.Lifecycle(), Logger: silent{}})
	if err != nil {
		t.Fatal(err)
	}
	c = &counted{t: t, st: st, meta: state.NewMeta(0)}
	c.close(window.None)
	for i := before; i > 0; i-- {
		c.order("espresso", first-int64(i)*hour, uint64(i))
	}
	c.order("mocha", first, 3)
	c.order("</table>", first, 2)
	c.apply(state.Change{Kind: state.EmittedKind, Scope: window.At(first), Emitted: &state.Emitted{Total: 5, At: first + hour}})
	c.close(first + hour)
	c.order("latte", first+hour, 1)
	answers := &api.Answers{State: func() *state.State { return st }, Config: cfg, Status: new(engine.Status), Version: "test"}
	answers.Status.Set(engine.StatusNow{Phase: engine.Running, Owned: []int32{0}})
	server := api.NewServer(answers, o)
	front = httptest.NewServer(server)
	t.Cleanup(func() {
		server.Close()
		front.Close()
		_ = st.Abandon()
	})
	return c, front, first + hour
}

// TestRealAnswers: the page on the real handlers: lists, a change, a drill-down.
func TestRealAnswers(t *testing.T) {
	t.Parallel()
	c, front, open := cafe(t, 0, api.Options{Page: Handler()})
	b := newTab(t, &fake{Server: front})
	b.open("/")
	b.wait(leader + ` == "latte"`)
	b.waitText("#last-about", "12:00–13:00 closed, final 5 portions")
	c.order("chai", open, 4)
	b.wait(leader + ` == "chai"`)
	b.click(`#cells a[data-state="closed"]`)
	b.waitText("#detail-title", "12:00–13:00 UTC")
	b.wait(`[...document.querySelectorAll("#detail-list .name")].map((e) => e.textContent).join() == "mocha,</table>"`)
	b.shot("real")
}

// TestRealRefused: who gets no stream, because as many are open as are served, polls.
func TestRealRefused(t *testing.T) {
	t.Parallel()
	c, front, open := cafe(t, 0, api.Options{Page: Handler(), Streams: 1})
	other, err := http.Get(front.URL + "/v1/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Body.Close()
	b := newTab(t, &fake{Server: front})
	b.mayBreak()
	b.open("/")
	b.waitText("#link", "polling")
	b.wait(leader + ` == "latte"`)
	b.waitText("#last-about", "12:00–13:00 closed, final 5 portions")
	c.order("chai", open, 4)
	b.wait(leader + ` == "chai"`)
	other.Body.Close()
	b.waitText("#link", "live")
}

// TestRealOld: a window that the stream does not list any more is as whole as the others:
// with its late orders, and with links to its neighbours.
func TestRealOld(t *testing.T) {
	t.Parallel()
	_, front, _ := cafe(t, 70, api.Options{Page: Handler()})
	b := newTab(t, &fake{Server: front})
	b.open("?window=2026-02-27T02:00:00Z") // 58 hours before noon
	b.waitText("#detail-title", "2026-02-27 02:00–03:00 UTC")
	b.waitText("#detail-facts", "late orders0")
	b.click("#older")
	b.waitText("#detail-title", "2026-02-27 01:00–02:00 UTC")
	b.waitText("#detail-facts", "portions59")
	b.click("#newer")
	b.waitText("#detail-title", "2026-02-27 02:00–03:00 UTC")
	b.open("?window=2026-02-26T14:00:00Z") // the oldest
	b.waitText("#detail-facts", "late orders0")
	b.wait(`document.querySelector("#older").hidden && !document.querySelector("#newer").hidden`)
}
