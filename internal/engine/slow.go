package engine

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// slowQueries asks the brokers in the background, so that the loop never waits for an
// answer: last stable offsets at most once a second and only while a partition is
// silent, the number of partitions every ten seconds.
type slowQueries struct {
	inputs Inputs
	log    *slog.Logger
	wg     sync.WaitGroup
	cancel context.CancelFunc

	mu       sync.Mutex
	busy     bool
	asked    time.Time // when the last stable offsets were asked for
	offsets  map[int32]int64
	counted  time.Time
	count    int32
	id       [16]byte
	answered bool
}

const (
	stableEvery = time.Second
	countEvery  = 10 * time.Second
	queryLimit  = 10 * time.Second
)

func newSlowQueries(inputs Inputs, log *slog.Logger) *slowQueries {
	return &slowQueries{inputs: inputs, log: log}
}

// refresh starts a query if one is due and none is under way.
func (q *slowQueries) refresh(ctx context.Context, silent bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	stable := silent && now.Sub(q.asked) >= stableEvery
	count := now.Sub(q.counted) >= countEvery
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
	q.wg.Go(func() { q.query(ctx, stable, count, now) })
}

func (q *slowQueries) query(ctx context.Context, stable, count bool, asked time.Time) {
	var offsets map[int32]int64
	var n int32
	var id [16]byte
	var err, cerr error
	if stable {
		offsets, err = q.inputs.Stable(ctx)
	}
	if count {
		n, id, cerr = q.inputs.Partitions(ctx)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy = false
	q.cancel()
	if stable && err == nil {
		q.offsets, q.asked = offsets, asked
	}
	if count && cerr == nil {
		q.count, q.id, q.answered = n, id, true
	}
	for _, e := range []error{err, cerr} {
		if e != nil && ctx.Err() == nil && q.log != nil {
			q.log.Warn("brokers do not answer about offsets; trying on", "error", e)
		}
	}
}

// stable is the last stable offset of a partition, if it was asked for after since.
func (q *slowQueries) stable(p int32, since time.Time) (int64, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	offset, ok := q.offsets[p]
	return offset, ok && q.asked.After(since)
}

// topic is the number of input partitions and the topic's id, if they are known.
func (q *slowQueries) topic() (int32, [16]byte, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.count, q.id, q.answered
}

func (q *slowQueries) stop() {
	q.mu.Lock()
	if q.busy {
		q.cancel()
	}
	q.mu.Unlock()
	q.wg.Wait()
}
