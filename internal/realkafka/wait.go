package realkafka

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	pollEvery  = 20 * time.Millisecond
	readyWait  = 90 * time.Second // three brokers on a busy machine take their time
	lookupWait = 20 * time.Second
)

// wait calls try until it returns nil, at most for limit. It gives up at once
// when a broker ended by itself or none is running. The error says what was awaited, what try said
// last, and how the brokers' logs end.
func (c *Cluster) wait(ctx context.Context, limit time.Duration, what string, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("gave up after %v", limit))
	defer cancel()
	var last error
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		if errors.Is(err, errNoneRunning) { // and none will be by itself
			return fmt.Errorf("waiting for %s: %w", what, err)
		}
		if last == nil || ctx.Err() == nil { // "deadline exceeded" says less than the one before
			last = err
		}
		if died := c.Died(); died != nil {
			return fmt.Errorf("waiting for %s: %w\n%s", what, died, c.logTails())
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w; last: %w\n%s", what, context.Cause(ctx), last, c.logTails())
		case <-time.After(pollEvery):
		}
	}
}

// Died returns the errors of all brokers that ended without having been told to.
func (c *Cluster) Died() error {
	var errs []error
	for _, b := range c.brokers {
		errs = append(errs, b.died())
	}
	return errors.Join(errs...)
}
