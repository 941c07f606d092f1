package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is the one Chromium of these tests; every test has its own tab and storage.
var browser struct {
	once   sync.Once
	ctx    context.Context
	cancel []context.CancelFunc
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	for i := len(browser.cancel) - 1; i >= 0; i-- {
		browser.cancel[i]()
	}
	os.Exit(code)
}

// chromium starts the browser, or skips the test where there is none. In CI there is one.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("no chromium in the path: install it (apt-get install chromium)")
		}
		t.Skip("no chromium in the path: the page is not tested in a browser")
	}
	browser.once.Do(func() { start(path) })
	if browser.err != nil {
		t.Fatal(browser.err)
	}
	return browser.ctx
}

func start(path string) {
	profile, err := os.MkdirTemp("", "page-test")
	if err != nil {
		browser.err = err
		return
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.WSURLReadTimeout(time.Minute),
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	browser.ctx = ctx
	browser.cancel = append(browser.cancel, func() { _ = os.RemoveAll(profile) }, stop, cancel)
	browser.err = chromedp.Do(ctx)
}

// tab is one page in the browser, and what it did that it must not.
type tab struct {
	t      *testing.T
	ctx    context.Context
	origin string
	mu     sync.Mutex
	faults []string
	breaks bool // requests may fail: the test cuts the connection or asks for what is gone
}

// newTab opens an empty tab that may ask f and nobody else.
func newTab(t *testing.T, f *fake) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium(t), chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, origin: f.URL + "/"}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	b.ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	b.size(1440, 1000)
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, fault := range b.faults {
			t.Error(fault)
		}
	})
	return b
}

// listen notes errors and requests to others.
func (b *tab) listen(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fault := func(format string, args ...any) { b.faults = append(b.faults, fmt.Sprintf(format, args...)) }
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		if u := ev.Request.URL; !strings.HasPrefix(u, b.origin) && !strings.HasPrefix(u, "data:") && u != "about:blank" {
			fault("the page asked for %s", u)
		}
	case *runtime.EventExceptionThrown:
		details, _ := json.Marshal(ev.ExceptionDetails)
		fault("exception: %s", details)
	case *runtime.EventConsoleAPICalled:
		args, _ := json.Marshal(ev.Args)
		fault("console %s: %s", ev.Type, args)
	case *log.EventEntryAdded:
		if b.breaks && ev.Entry.Source == "network" {
			return
		}
		if ev.Entry.Level == "error" || ev.Entry.Level == "warning" {
			fault("log %s %s: %s %s", ev.Entry.Source, ev.Entry.Level, ev.Entry.Text, ev.Entry.URL)
		}
	}
}

func (b *tab) mayBreak() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.breaks = true
}

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

func call[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.t.Fatal(err)
	}
}

// open goes to a relative address and waits for the page to be there.
func (b *tab) open(address string) {
	b.t.Helper()
	b.run(chromedp.Navigate(b.origin + strings.TrimPrefix(address, "/")))
}

func (b *tab) size(width, height int64) {
	b.t.Helper()
	b.run(chromedp.EmulateViewport(width, height))
}

// media sets what the person prefers, as name, value pairs.
func (b *tab) media(pairs ...string) {
	b.t.Helper()
	var features []*emulation.MediaFeature
	for i := 0; i < len(pairs); i += 2 {
		features = append(features, &emulation.MediaFeature{Name: pairs[i], Value: pairs[i+1]})
	}
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
}

// value is what an expression gives.
func value[T any](b *tab, script string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%v in %.300s", err, script)
	}
	return v
}

// text is the text of the first element of a selector, as it is read.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return value[string](b, fmt.Sprintf(`(document.querySelector(%q)?.textContent ?? "").replaceAll(/\s+/g, " ").trim()`, selector))
}

// wait waits until an expression is true.
func (b *tab) wait(script string) {
	b.t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(25 * time.Millisecond) {
		if value[bool](b, "!!("+script+")") {
			return
		}
		if time.Now().After(end) {
			b.shot("failed-" + strings.ReplaceAll(b.t.Name(), "/", "-"))
			b.t.Fatalf("never became true: %s\nthe page reads: %.1500s", script, value[string](b, "document.body.innerText"))
		}
	}
}

// waitText waits until an element contains a text.
func (b *tab) waitText(selector, text string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("document.querySelector(%q)?.textContent.includes(%q)", selector, text))
}

func (b *tab) click(selector string) {
	b.t.Helper()
	b.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector(%q).click()", selector)))
}

// shot keeps a picture to look at.
func (b *tab) shot(name string) {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("screenshots", name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// search is the query of the address, as a person would read it.
func (b *tab) search() string {
	b.t.Helper()
	q, err := url.QueryUnescape(value[string](b, "location.search"))
	if err != nil {
		b.t.Fatal(err)
	}
	return q
}
