//go:build unix

package e2e

import (
	"testing"
	"time"
)

// patience bounds every wait. It is far above what anything takes, so that only what
// never happens runs into it: kfake forgets a member that dies between join and sync only
// when the rebalance timeout, a minute, is over.
const patience = 100 * time.Second

// A wait looks often at first, then less: what it asks costs the program time too.
const (
	pollFirst = 5 * time.Millisecond
	pollLast  = 200 * time.Millisecond
)

// eventually waits until f is nil.
func eventually(t *testing.T, what string, f func() error) {
	t.Helper()
	within(t, patience, what, f)
}

func within(t *testing.T, limit time.Duration, what string, f func() error) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for pause := pollFirst; ; pause = min(pause*3/2, pollLast) {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s: %v", limit, what, err)
		}
		time.Sleep(pause)
	}
}
