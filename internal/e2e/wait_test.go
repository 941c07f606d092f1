//go:build unix

package e2e

import (
	"testing"
	"time"
)

// patience bounds every wait. It is far above what anything takes, so that only what
// never happens runs into it.
const patience = 40 * time.Second

// pollEvery is how often a wait looks.
const pollEvery = 20 * time.Millisecond

// eventually waits until f is nil.
func eventually(t *testing.T, what string, f func() error) {
	t.Helper()
	within(t, patience, what, f)
}

func within(t *testing.T, limit time.Duration, what string, f func() error) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s: %v", limit, what, err)
		}
		time.Sleep(pollEvery)
	}
}
