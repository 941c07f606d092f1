package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"windowed/internal/exit"
)

// watch shows the list until it is interrupted. A windowed that does not answer for a
// while is asked again: it restarts, or restores.
func (c *topCmd) watch(std streams) error {
	if c.Every < 10*time.Millisecond {
		return exit.Errorf(exit.Usage, "--every: %v is too short", c.Every)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	w := watcher{cmd: c, std: std, screen: newScreen(std.out)}
	w.screen.terminal = w.screen.terminal && c.Output == "table"
	for {
		if err := w.look(ctx, time.Now()); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(c.Every):
		}
	}
}

// watcher is what --watch has seen.
type watcher struct {
	cmd    *topCmd
	std    streams
	screen *screen
	etag   string
	text   string    // the last table
	gone   time.Time // since when nobody answers; zero: somebody does
	why    string
}

// look asks once and shows what has changed. It is nothing new that ctx ends.
func (w *watcher) look(ctx context.Context, now time.Time) error {
	got, err := w.cmd.get(ctx, "/v1/top", w.cmd.query(), w.etag)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil && exit.Code(err) == exit.NotReady:
		return w.missing(err, now)
	case err != nil:
		return err
	case got.same && w.gone.IsZero():
		return nil
	}
	w.gone, w.why = time.Time{}, ""
	if !got.same {
		var text strings.Builder
		if err := w.cmd.write(&text, got.body); err != nil {
			return err
		}
		w.etag, w.text = got.etag, text.String()
	} else if !w.screen.terminal {
		return nil // it is there already
	}
	if w.cmd.Output != "table" {
		_, err := fmt.Fprint(w.std.out, w.text)
		return err
	}
	return w.screen.show(w.text)
}

// missing says that nobody answers, below the last table, or once on stderr.
func (w *watcher) missing(err error, now time.Time) error {
	if w.gone.IsZero() {
		w.gone = now
	}
	if w.screen.terminal {
		return w.screen.show(fmt.Sprintf("%swaiting since %s: %v", w.text, w.gone.Format("15:04:05"), err))
	}
	if w.why == err.Error() {
		return nil
	}
	w.why = err.Error()
	_, werr := fmt.Fprintf(w.std.err, "windowed: waiting: %v\n", err)
	return werr
}
