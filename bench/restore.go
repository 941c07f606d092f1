package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// aside is what is seen of windowed beside the table: its start on what it has kept, and
// a restore from its changelog.
type aside struct {
	b        *bench
	restarts []float64 // seconds
	restores []restored
	failed   []string
}

// restored is one restore beside one plain reading of the same changelog.
type restored struct {
	records int64
	live    int64   // keys
	seconds float64 // of windowed restore
	raw     float64 // records/s of a consumer that does nothing
}

func (r *restored) speed() float64 { return float64(r.records) / r.seconds }

// of is what follows a run of c, if anything does.
func (a *aside) of(ctx context.Context, c contestant, scenario string) func(*field, entrant) error {
	w, ok := c.(*windowed)
	if !ok || w.guarantee != "exactly-once" {
		return nil
	}
	return func(f *field, e entrant) error {
		err := a.restart(ctx, w, f, e)
		if err == nil && scenario != "main" { // its changelog is soon read
			err = a.restore(ctx, w, f)
		}
		if err != nil { // the run itself was right
			a.failed = append(a.failed, failure(err))
			a.b.failed = append(a.b.failed, scenario+": "+w.name()+": "+err.Error())
		}
		return nil
	}
}

// restart stops windowed and starts it again, until it answers with all it had counted.
func (a *aside) restart(ctx context.Context, w *windowed, f *field, e entrant) error {
	e.process().stop()
	again, err := w.again(f)
	if err != nil {
		return err
	}
	defer again.stop()
	ctx, cancel := context.WithTimeoutCause(ctx, a.b.Limit, errLimit)
	defer cancel()
	if err := again.done(ctx); err != nil {
		return fmt.Errorf("started again on its state: %w", err)
	}
	a.restarts = append(a.restarts, time.Since(again.began).Seconds())
	return nil
}

// A changelog is read so often by either, unless that takes too long.
const (
	restoreRounds = 3
	restoreEnough = 40 * time.Second
)

// restore restores an empty state directory, beside a consumer that reads the same.
func (a *aside) restore(ctx context.Context, w *windowed, f *field) error {
	begin := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, a.b.Limit, errLimit)
	defer cancel()
	live, err := liveKeys(ctx, f)
	if err != nil {
		return err
	}
	for n := 0; n < restoreRounds && (n == 0 || time.Since(begin) < restoreEnough); n++ {
		r := restored{live: live}
		if r.raw, err = readRate(ctx, f); err != nil {
			return err
		}
		if err := a.restoreOnce(ctx, w, f, n, &r); err != nil {
			return err
		}
		a.b.progress("restore: %s records, %s live keys: %s records/s, %s by reading alone",
			thousands(r.records), thousands(r.live), speed(r.speed()), speed(r.raw))
		a.restores = append(a.restores, r)
	}
	return nil
}

func (a *aside) restoreOnce(ctx context.Context, w *windowed, f *field, n int, r *restored) error {
	dir := filepath.Join(f.dir, "restore-"+strconv.Itoa(n))
	args := append([]string{"restore", "--timeout=1m", "-o", "json", "--state=" + dir}, w.topics(f)...)
	text, err := w.command(ctx, append(args, w.job(f)...)...)
	if err != nil {
		return err
	}
	var shown struct {
		Records  int64   `json:"restored_records"`
		Seconds  float64 `json:"seconds"`
		Orders   int64   `json:"orders"`
		Portions uint64  `json:"portions"`
	}
	if err := json.Unmarshal(text, &shown); err != nil {
		return fmt.Errorf("windowed restore: %w", err)
	}
	portions := uint64(0)
	for _, n := range f.truth.Answer[allTime] {
		portions += n
	}
	if shown.Orders != f.truth.Orders || shown.Portions != portions {
		return fmt.Errorf("windowed restore has %d orders with %d portions, there were %d with %d", shown.Orders, shown.Portions, f.truth.Orders, portions)
	}
	r.records, r.seconds = shown.Records, shown.Seconds
	return os.RemoveAll(dir)
}

// liveKeys is how many counts a changelog holds in the end.
func liveKeys(ctx context.Context, f *field) (int64, error) {
	last, err := lastValues(ctx, f.brokers, changelogOf(f))
	n := 0
	for _, counts := range last {
		n += len(counts)
	}
	return int64(n), err
}

// readRate is how many records of the changelog a consumer reads in a second that does
// nothing else.
func readRate(ctx context.Context, f *field) (float64, error) {
	topic := *f
	topic.topic = changelogOf(f)
	e, err := rawConsumer().start(ctx, &topic)
	if err != nil {
		return 0, err
	}
	defer e.process().stop()
	words, err := e.process().await(ctx, "done")
	if err != nil || len(words) != 2 {
		return 0, fmt.Errorf("read the changelog: %q, %w", words, err)
	}
	records, err := strconv.ParseFloat(words[0], 64)
	if err != nil {
		return 0, err
	}
	seconds, err := strconv.ParseFloat(words[1], 64)
	return records / seconds, err
}

// text is what was seen, as Markdown.
func (a *aside) text() string {
	var text strings.Builder
	for _, what := range a.failed {
		fmt.Fprintf(&text, "\nStarting or restoring it again: %s.\n", what)
	}
	if len(a.restarts) > 0 {
		fmt.Fprintf(&text, "\nwindowed, exactly once, stopped and started again on its state directory, answers with all counts after %.2f s.\n", median(a.restarts))
	}
	if len(a.restores) > 0 {
		var speeds, raws, ratios []float64
		for _, r := range a.restores {
			speeds, raws, ratios = append(speeds, r.speed()), append(raws, r.raw), append(ratios, r.speed()/r.raw)
		}
		last := a.restores[len(a.restores)-1]
		fmt.Fprintf(&text, "\nRestoring its changelog of %s records, %s live keys: %s records/s, %.0f %% of what reading it alone reaches (%s; medians of %d).\n",
			thousands(last.records), thousands(last.live), speed(median(speeds)), 100*median(ratios), speed(median(raws)), len(a.restores))
	}
	return text.String()
}

// restore restores changelogs of different sizes.
func (b *bench) restore(ctx context.Context) error {
	if !b.wanted(b.exactly().name()) {
		return nil
	}
	var texts []string
	for _, drinks := range b.RestoreDrinks {
		text, err := b.restoreOf(ctx, drinks)
		if err != nil {
			return err
		}
		texts = append(texts, strings.TrimPrefix(text, "\n"))
	}
	b.report.add("restore", strings.Join(texts, "\n"))
	return nil
}

// restoreOf makes a changelog that has many records for each of its keys, and restores it:
// the orders are spread over all windows at random.
func (b *bench) restoreOf(ctx context.Context, drinks int) (string, error) {
	w := b.workload()
	w.Orders, w.Drinks, w.Zipf = b.RestoreOrders, drinks, 0
	all := time.Duration(b.Windows) * b.Window
	w.Start, w.Span, w.Disorder, w.Grace, w.Late = w.Start.Add(all-b.Disorder), 0, all, all, 0
	g, err := b.prepare(ctx, "restore", w)
	if err != nil {
		return "", err
	}
	extra := &aside{b: b}
	r, err := g.race(ctx, b.exactly(), extra.of(ctx, b.exactly(), "restore"))
	if err != nil {
		return "", err
	}
	text := extra.text()
	if !r.Right() {
		text = "windowed, exactly once: " + r.String() + "\n"
	}
	return text, g.drop(ctx)
}
