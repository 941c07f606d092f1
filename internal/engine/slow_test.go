package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// failing are Inputs whose answer to a count of the partitions is an error.
type failing struct {
	Inputs
	err error
}

func (f failing) Partitions(context.Context) (PartitionCounts, error) {
	return PartitionCounts{}, f.err
}

// What the brokers do not answer is told, but not each time; a topic that is not there
// ends the loop.
func TestSlowQueriesTell(t *testing.T) {
	for _, missing := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			err, told := errors.New("no answer"), 3
			if missing {
				err, told = fmt.Errorf("%w: orders", ErrNoTopic), 0
			}
			q := newSlowQueries(failing{err: err}, slog.New(slog.NewTextHandler(&log, nil)), time.Second)
			for range 25 {
				q.refresh(t.Context(), false, true)
				time.Sleep(time.Second)
			}
			q.stop()
			if n := strings.Count(log.String(), err.Error()); n != told {
				t.Errorf("told %d times in 25 s, want %d:\n%s", n, told, log.String())
			}
			if errors.Is(q.absent(), ErrNoTopic) != missing {
				t.Errorf("absent is %v", q.absent())
			}
		})
	}
}

// A topic that is missing for a moment may be a broker that lags behind.
func TestAbsence(t *testing.T) {
	var a absence
	now := time.Now()
	err := fmt.Errorf("%w: orders", ErrNoTopic)
	for _, step := range []struct {
		after time.Duration
		err   error
		final bool
	}{
		{0, err, false},
		{time.Second, err, false},
		{2 * time.Second, errors.New("something else"), false},
		{6 * time.Second, err, true},
		{time.Hour, err, false}, // another time
		{time.Hour + 4*time.Second, err, false},
		{time.Hour + 5*time.Second, err, true},
	} {
		got := a.judge(step.err, now.Add(step.after))
		if errors.Is(got, ErrFatal) != step.final || !errors.Is(got, step.err) {
			t.Errorf("after %v: %v, final is %v", step.after, got, step.final)
		}
	}
	if a.judge(nil, now) != nil {
		t.Error("an error for none")
	}
}
