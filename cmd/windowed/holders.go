package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"windowed/internal/api"
	"windowed/internal/exit"
	"windowed/internal/kafka"
	"windowed/internal/metrics"
	"windowed/state"
)

func sprintf(format string, args []any) string { return fmt.Sprintf(format, args...) }

// stateHolder is the state that answers are made from; a damaged one is replaced.
type stateHolder struct{ p atomic.Pointer[state.State] }

func (h *stateHolder) get() *state.State   { return h.p.Load() }
func (h *stateHolder) set(st *state.State) { h.p.Store(st) }

// followerHolder is the follower of the session that is open now.
type followerHolder struct {
	p atomic.Pointer[kafka.Follower]
}

func (h *followerHolder) set(f *kafka.Follower) { h.p.Store(f) }

func (h *followerHolder) progress() api.Progress {
	f := h.p.Load()
	if f == nil {
		return api.Progress{}
	}
	p := f.Progress()
	return progressOf(p, time.Now())
}

// progressOf adds rate and remaining time.
func progressOf(p kafka.Progress, now time.Time) api.Progress {
	a := api.Progress{Active: p.Active, Done: p.Done, Total: p.Total}
	if took := now.Sub(p.Since).Seconds(); p.Active && took > 0 && p.Done > 0 {
		a.Rate = float64(p.Done) / took
		a.Seconds = float64(p.Total-p.Done) / a.Rate
	}
	return a
}

// restore is what metrics say of restores.
func (h *followerHolder) restore(now time.Time) metrics.Restore {
	f := h.p.Load()
	if f == nil {
		return metrics.Restore{}
	}
	r := restoreOf(f.Progress(), now)
	r.Remaining = f.Remaining()
	return r
}

func restoreOf(p kafka.Progress, now time.Time) metrics.Restore {
	r := metrics.Restore{Took: p.Took.Seconds(), Restored: p.Restored}
	if p.Active {
		r.Seconds, r.Took = progressOf(p, now).Seconds, now.Sub(p.Since).Seconds()
	}
	return r
}

const fullDisk = "the disk of the state directory is full: make room and start again; no count is lost"

// withRoom adds to err what to do if the store could not be opened because there is no
// room.
func withRoom(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w; %s", err, fullDisk)
	}
	return err
}

// storeLog passes the store's lines on. Pebble calls Fatalf when it cannot go on, a full
// disk above all, and needs it not to return.
type storeLog struct{ log *slog.Logger }

func (l storeLog) Infof(string, ...any) {}

func (l storeLog) Errorf(format string, args ...any) {
	l.log.Debug("store", "message", sprintf(format, args))
}

func (l storeLog) Fatalf(format string, args ...any) {
	message := sprintf(format, args)
	hint := "start again; no count is lost, what is missing here is restored from the changelog"
	switch {
	case strings.Contains(message, "no space left"), strings.Contains(message, "disk quota"):
		hint = fullDisk
	case strings.Contains(message, "permission denied"), strings.Contains(message, "read-only file system"):
		hint = "the state directory cannot be written to: let this user write there, and start again; no count is lost"
	}
	l.log.Error("the local store cannot go on", "error", message, "hint", hint)
	os.Exit(exit.Failure)
}
