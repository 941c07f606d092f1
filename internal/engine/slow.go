package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// slowQueries asks the brokers in the background, so that the loop never waits for an
// answer: last stable offsets at most once a second and only while a partition is
// silent or somebody looks at the lag, the number of partitions every ten seconds.
type slowQueries struct {
	countEvery time.Duration
	inputs     Inputs
	log        *slog.Logger
	wg         sync.WaitGroup
	cancel     context.CancelFunc

	mu      sync.Mutex
	busy    bool
	asked   time.Time // when the last stable offsets were asked for
	ends    Ends
	counted time.Time
	count   PartitionCounts
	missing error     // a topic did not exist
	told    time.Time // of what did not work
}

const (
	stableEvery = time.Second
	queryLimit  = 10 * time.Second
	queryTell   = 10 * time.Second
)

// newSlowQueries counts partitions every countEvery.
func newSlowQueries(inputs Inputs, log *slog.Logger, countEvery time.Duration) *slowQueries {
	return &slowQueries{inputs: inputs, log: log, countEvery: countEvery}
}

// refresh starts a query if one is due and none is under way. silent: a partition may be
// idle, or somebody looks at the lag; emitter: this process owns partition 0, and with it
// the changelog's size.
func (q *slowQueries) refresh(ctx context.Context, silent, emitter bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	stable := silent && now.Sub(q.asked) >= stableEvery
	count := now.Sub(q.counted) >= q.countEvery
	if q.busy || !stable && !count {
		return
	}
	q.busy = true
	if stable {
		q.asked = now
	}
	if count {
		q.counted = now
	}
	ctx, q.cancel = context.WithTimeout(ctx, queryLimit)
	q.wg.Go(func() { q.query(ctx, stable, count, emitter, now) })
}

func (q *slowQueries) query(ctx context.Context, stable, count, emitter bool, asked time.Time) {
	var ends Ends
	var n PartitionCounts
	var err, cerr error
	if stable {
		ends, err = q.inputs.Stable(ctx)
	}
	if count {
		n, cerr = q.inputs.Partitions(ctx)
	}
	if cerr == nil && emitter && n.Orders > n.Changelog {
		cerr = q.inputs.Grow(ctx)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy = false
	stopped := errors.Is(ctx.Err(), context.Canceled) // by stop
	q.cancel()
	if stable && err == nil {
		ends.At = asked
		q.ends, q.asked = ends, asked
	}
	if count && n.Orders > 0 {
		q.count = n
	}
	if errors.Is(cerr, ErrNoTopic) {
		q.missing, cerr = cerr, nil // whoever asks for it tells
	}
	if e := cmp.Or(cerr, err); e != nil && !stopped && q.log != nil && asked.Sub(q.told) >= queryTell {
		q.told = asked
		q.log.Warn("looking at the topics; trying on", "error", e)
	}
}

// absent is an error if a topic did not exist when the partitions were counted.
func (q *slowQueries) absent() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.missing
}

// stable is the last stable offset of a partition, if it was asked for after since.
func (q *slowQueries) stable(p int32, since time.Time) (int64, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	offset, ok := q.ends.Orders[p]
	return offset, ok && q.ends.At.After(since)
}

// latest are the last stable offsets as they were asked for last.
func (q *slowQueries) latest() Ends {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ends
}

// partitions is the number of partitions that exist in both topics, as far as is known.
func (q *slowQueries) partitions() int32 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return min(q.count.Orders, q.count.Changelog)
}

func (q *slowQueries) stop() {
	q.mu.Lock()
	if q.busy {
		q.cancel()
	}
	q.mu.Unlock()
	q.wg.Wait()
}
