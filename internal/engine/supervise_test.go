package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"windowed/state"
)

// A state that an Apply has left half changed is of no use to any session, so the process
// ends; a new one goes on from the store. It used to open sessions for ever.
func TestSuperviseEndsWithAnUnusableState(t *testing.T) {
	sessions := 0
	failing := func(context.Context, *state.State) (LoopOptions, func(), error) {
		sessions++
		return LoopOptions{}, nil, fmt.Errorf("%w: too many open files", state.ErrUnusable)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := Supervise(ctx, nil, nil, failing, new(Status), slog.New(slog.DiscardHandler))
	if !errors.Is(err, state.ErrUnusable) || sessions != 1 {
		t.Errorf("%v after %d sessions, want ErrUnusable after one", err, sessions)
	}
}

// A replica whose store is damaged goes on with a new one. It used to try on for ever with
// the damaged one.
func TestSuperviseReplicaReopens(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reopened := 0
	connect := func(context.Context) (*Replica, func(), error) {
		if reopened > 0 {
			cancel()
		}
		return nil, nil, fmt.Errorf("follow: %w", state.ErrCorrupt)
	}
	reopen := func() error { reopened++; return nil }
	if err := SuperviseReplica(ctx, reopen, connect, new(Status), slog.New(slog.DiscardHandler)); err != nil || reopened != 1 {
		t.Errorf("%v, reopened %d times, want once", err, reopened)
	}
	full := errors.New("no room for a new store")
	if err := SuperviseReplica(t.Context(), func() error { return full }, connect, new(Status), slog.New(slog.DiscardHandler)); !errors.Is(err, full) {
		t.Errorf("%v, want the error of reopen", err)
	}
}
