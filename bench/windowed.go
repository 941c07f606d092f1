package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"windowed/internal/instance"
	"windowed/window"
)

// windowed is the program itself.
type windowed struct {
	program   string // path
	guarantee string // exactly-once, at-least-once
	profile   string // file for a CPU profile; empty: none
}

func (w *windowed) name() string {
	return "windowed, " + strings.ReplaceAll(w.guarantee, "-", " ")
}

// topics are the flags that name this run's topics and group.
func (w *windowed) topics(f *field) []string {
	return []string{
		"--brokers=" + strings.Join(f.brokers, ","), "--orders-topic=" + f.topic, "--changelog-topic=" + changelogOf(f),
		"--output-topic=" + f.name + "-output", "--dlq-topic=" + f.name + "-dlq", "--group=" + f.name,
	}
}

func changelogOf(f *field) string { return f.name + "-changelog" }

// job are the flags that say what is counted. No window expires, so that all of them can
// be asked for at the end.
func (w *windowed) job(f *field) []string {
	return []string{
		"--window=" + f.workload.Window.String(), "--grace=" + f.workload.Grace.String(),
		"--retention=" + (f.workload.Span + 48*time.Hour).String(), "--top=10",
	}
}

// command runs a command of the program that ends by itself, and returns its stdout.
func (w *windowed) command(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, w.program, args...)
	cmd.SysProcAttr = childAttr()
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	if err != nil {
		return out, fmt.Errorf("%s %s: %w", w.program, strings.Join(args, " "), err)
	}
	return out, nil
}

// start makes the topics and starts the program, which is ready to be started again.
func (w *windowed) start(ctx context.Context, f *field) (entrant, error) {
	create := append([]string{"topics", "create", "--timeout=1m", "--partitions=" + strconv.Itoa(f.workload.Partitions)}, w.topics(f)...)
	if _, err := w.command(ctx, create...); err != nil {
		return nil, err
	}
	return w.again(f)
}

// again starts the program on the topics and the state directory that are there.
func (w *windowed) again(f *field) (*counter, error) {
	args := append(w.topics(f), w.job(f)...)
	c := &counter{field: f, state: filepath.Join(f.dir, "state")}
	os.Remove(c.addrFile())
	args = append(args, "--guarantee="+w.guarantee, "--commit-interval="+f.commit.String(), "--http=127.0.0.1:0", "--state="+c.state)
	args = append(args, w.profiled()...)
	var err error
	c.child, err = startChild(f.dir, "windowed", nil, w.program, args...)
	return c, err
}

// counter is a windowed that runs.
type counter struct {
	*child
	field *field
	state string // its state directory
	addr  string // its HTTP address, once known
}

func (c *counter) process() *child { return c.child }

func (c *counter) addrFile() string { return filepath.Join(c.state, "http.addr") }

// topAnswer is what is read of an answer of /v1/top.
type topAnswer struct {
	Records int64  `json:"records"`
	Total   uint64 `json:"total"`
	Drinks  int    `json:"drinks"`
	Top     []struct {
		Drink string `json:"drink"`
		Count uint64 `json:"count"`
	} `json:"top"`
}

// top asks for a top list; false while there is none.
func (c *counter) top(ctx context.Context, query string) (topAnswer, bool, error) {
	var t topAnswer
	if c.addr == "" {
		addr, ok, err := instance.ReadAddr(c.addrFile())
		if !ok || addr == "" || err != nil {
			return t, false, err // it is not listening yet
		}
		c.addr = addr
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.addr+"/v1/top?"+query, nil)
	if err != nil {
		return t, false, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return t, false, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		err = json.NewDecoder(resp.Body).Decode(&t)
		return t, err == nil, err
	case http.StatusServiceUnavailable, http.StatusNotFound:
		return t, false, nil
	}
	return t, false, fmt.Errorf("GET %s: %s", req.URL, resp.Status)
}

// How often it is asked how far it is: at first to see the start, then such that asking
// costs nothing that could be measured.
const (
	askFirst = 2 * time.Millisecond
	askDone  = 20 * time.Millisecond
)

func (c *counter) first(ctx context.Context) (n int64, err error) {
	err = c.poll(ctx, askFirst, func() (bool, error) {
		t, ok, err := c.top(ctx, "n=1")
		n = t.Records
		return ok && n > 0, err
	})
	return n, err
}

func (c *counter) done(ctx context.Context) error {
	return c.poll(ctx, askDone, func() (bool, error) {
		t, _, err := c.top(ctx, "n=1")
		if t.Records > c.field.truth.Orders {
			return false, fmt.Errorf("%d orders are counted, there are only %d", t.Records, c.field.truth.Orders)
		}
		return t.Records == c.field.truth.Orders, err
	})
}

// answer is what the changelog holds, once it has been seen that HTTP answers the same.
func (c *counter) answer(ctx context.Context) (Answer, error) {
	a, err := readChangelog(ctx, c.field.brokers, changelogOf(c.field))
	if err != nil {
		return nil, err
	}
	for scope, counts := range a {
		if err := c.check(ctx, scope, counts); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// longestTop is the longest top list that HTTP gives.
const longestTop = 1000

// check compares the top list over HTTP with the counts of its scope.
func (c *counter) check(ctx context.Context, scope string, counts map[string]uint64) error {
	query := url.Values{"n": {strconv.Itoa(longestTop)}}
	if scope != allTime {
		start, err := strconv.ParseInt(scope, 10, 64)
		if err != nil {
			return fmt.Errorf("scope %q: %w", scope, err)
		}
		query.Set("window", window.FormatTime(start))
	}
	t, ok, err := c.top(ctx, query.Encode())
	if err != nil || !ok {
		return errors.Join(fmt.Errorf("HTTP has no answer for scope %s", scope), err)
	}
	want := topOf(counts, longestTop)
	if len(t.Top) != len(want) || t.Drinks != len(counts) {
		return fmt.Errorf("HTTP has %d of %d drinks in scope %s, the changelog %d", len(t.Top), t.Drinks, scope, len(counts))
	}
	for i, e := range t.Top {
		if e.Drink != want[i].drink || e.Count != want[i].count {
			return fmt.Errorf("HTTP has %s with %d in place %d of scope %s, the changelog %s with %d",
				e.Drink, e.Count, i+1, scope, want[i].drink, want[i].count)
		}
	}
	return nil
}
