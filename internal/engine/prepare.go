package engine

import (
	"context"
	"time"

	"windowed/internal/event"
)

// Preparer gets what records need before they can be decoded, such as their schemas, so
// that decoding asks nobody and waits for nothing.
type Preparer interface {
	// Ready says whether a record with this value, which was just read, can be decoded
	// now. If not, what it needs is being fetched.
	Ready(value []byte) bool
	// Known says the same of a record that Ready was asked about before.
	Known(value []byte) bool
	// Changed is closed when more records may be ready than at the time of the call.
	Changed() <-chan struct{}
	// Trouble is why it takes long; "" if it does not.
	Trouble() string
}

// decoder makes the decoder of a partition.
func (c *Config) decoder() (event.Reader, error) {
	if c.NewDecoder != nil {
		return c.NewDecoder()
	}
	return event.NewDecoder(c.Order)
}

// read polls for records, unless some wait for what they need to be decoded: then it waits
// for that, just as long, and nothing is read meanwhile. The loop goes on with all else.
func (l *Loop) read(ctx context.Context, wait time.Duration) ([]Fetched, error) {
	if len(l.waiting) == 0 {
		fetched, err := l.poll(ctx, wait)
		if l.opts.Preparer == nil {
			return fetched, err
		}
		return l.prepared(fetched, l.opts.Preparer.Ready), err
	}
	changed := l.opts.Preparer.Changed()
	if ready := l.prepared(l.waiting, l.opts.Preparer.Known); len(ready) > 0 || wait <= 0 {
		return ready, nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-changed:
		return l.prepared(l.waiting, l.opts.Preparer.Known), nil
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil, nil
}

// fewRecords in a poll are worth a rest, of a tenth of the commit interval and at most
// restAtMost: a fetch costs the broker and us about as much for one record as for some
// hundred, and what comes at once is committed with what comes a moment later.
const (
	fewRecords = 1000
	restAtMost = 10 * time.Millisecond
	// restEnds is how long before a transaction is due nobody rests any more: what has
	// come during the last rest is fetched and goes along.
	restEnds = 5 * time.Millisecond
)

// poll polls, but not at once after a poll that gave few records.
func (l *Loop) poll(ctx context.Context, wait time.Duration) ([]Fetched, error) {
	if rest := min(time.Until(l.rested), wait-restEnds); rest > 0 {
		timer := time.NewTimer(rest)
		defer timer.Stop()
		select {
		case <-timer.C:
			wait -= rest
		case <-ctx.Done():
			return nil, nil
		}
	}
	fetched, err := l.opts.Transport.Poll(ctx, wait)
	records := 0
	for _, f := range fetched {
		records += f.Len()
	}
	if records > 0 && records < fewRecords {
		l.rested = time.Now().Add(min(l.opts.Interval/10, restAtMost))
	}
	return fetched, err
}

// prepared are those that can be decoded; the others wait, and what comes behind them in
// the same partition.
func (l *Loop) prepared(fetched []Fetched, isReady func(value []byte) bool) []Fetched {
	var ready, waiting []Fetched
	var r Record
	behind := make(map[int32]bool)
	for _, f := range fetched {
		all := true
		for f.Next(&r) {
			// Each is looked at, so that what they need is fetched at once.
			all = isReady(r.Value) && all
		}
		f.Again()
		if all && !behind[f.Partition()] {
			ready = append(ready, f)
		} else {
			waiting = append(waiting, f)
			behind[f.Partition()] = true
		}
	}
	l.waiting = waiting
	trouble := ""
	if len(waiting) > 0 {
		trouble = l.opts.Preparer.Trouble()
	}
	l.opts.Status.wait(trouble)
	return ready
}
