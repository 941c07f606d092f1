package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"windowed/state"
)

// Connect opens a session for a Loop and what belongs to it; close ends both.
type Connect func(ctx context.Context, st *state.State) (opts LoopOptions, close func(), err error)

// Supervise runs Loops until ctx ends (nil) or something comes up that no new session
// heals. The outcome of a failed session's last transaction is unknown, so every new
// one restores first and goes on from the positions in the state (franz-go#1207).
// reopen replaces a corrupt state by an empty one.
func Supervise(ctx context.Context, st *state.State, reopen func(*state.State) (*state.State, error), connect Connect, status *Status, log *slog.Logger) (*state.State, error) {
	var fenced time.Time
	var gone absence
	for ctx.Err() == nil {
		err := gone.judge(runOnce(ctx, st, connect), time.Now())
		switch {
		case ctx.Err() != nil:
			return st, nil
		case errors.Is(err, state.ErrCorrupt):
			log.Error("local state is damaged; it is moved aside and restored from the changelog", "error", err)
			if st, err = reopen(st); err != nil {
				return st, err
			}
			continue
		case isFinal(err):
			return st, err
		case errors.Is(err, ErrFenced):
			status.fenced()
			if !fenced.IsZero() && time.Since(fenced) < time.Minute {
				return st, fmt.Errorf("fenced twice within a minute; give every instance its own --instance-id and --state: %w", err)
			}
			fenced = time.Now()
		}
		status.rebuilt(err)
		log.Warn("the session is opened anew; counting goes on from the last commit", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(rebuildPause):
		}
	}
	return st, nil
}

// rebuildPause keeps a session that fails at once from spinning.
const rebuildPause = time.Second

// absence is how long a topic has not been there, by sessions that ended for it.
type absence struct{ first, last time.Time }

// A topic that is missing for goneAfter was deleted: any broker knows of it by then. The
// sessions that say so follow each other by less than absencePause.
const (
	goneAfter    = 5 * time.Second
	absencePause = 30 * time.Second
)

// judge makes an error final that says that a topic does not exist, if others before it
// have said so for long enough. To wait on would look as if all were well: nothing is
// assigned, so there is nothing to count.
func (a *absence) judge(err error, now time.Time) error {
	if !errors.Is(err, ErrNoTopic) {
		return err
	}
	if now.Sub(a.last) > absencePause {
		a.first = now
	}
	a.last = now
	if now.Sub(a.first) < goneAfter {
		return err
	}
	return fmt.Errorf("%w: %w, for %v now; if it was deleted on purpose, see docs/operations.md, \"Topics made anew\"", ErrFatal, err, now.Sub(a.first).Round(time.Second))
}

func runOnce(ctx context.Context, st *state.State, connect Connect) error {
	opts, closeSession, err := connect(ctx, st)
	if err != nil {
		return err
	}
	defer closeSession()
	opts.State = st
	return NewLoop(opts).Run(ctx)
}
