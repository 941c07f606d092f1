package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// field is what contestants work on: orders in a topic, or in a file.
type field struct {
	brokers  []string
	topic    string
	file     string
	workload *Workload
	truth    *Truth
	dir      string // for state and logs of this run; removed after it
	name     string // of this run, for its topics and its group
	commit   time.Duration
}

// contestant is one way to do the job.
type contestant interface {
	// name is what the table calls it.
	name() string
	// start starts it over the field's orders, as a process of its own.
	start(ctx context.Context, f *field) (entrant, error)
}

// entrant is a contestant that runs.
type entrant interface {
	process() *child
	// first waits until the first orders are counted, and says how many are.
	first(ctx context.Context) (int64, error)
	// done waits until all are counted.
	done(ctx context.Context) error
	// answer is what it has counted; nil if it is no contestant that counts drinks.
	answer(ctx context.Context) (Answer, error)
}

// Run is what one run of a contestant has shown.
type Run struct {
	First   time.Duration // from the start to the first answer
	Speed   float64       // orders/s, from then on
	CPU     float64       // seconds per million orders, likewise
	RSS     int64         // peak, in bytes
	Counts  bool          // it has an answer
	Verdict Verdict       // on its answer
	Err     error         // it did not get to the end
}

// Right says that the run got to the end, with the right answer if it has one.
func (r *Run) Right() bool { return r.Err == nil && r.Verdict.Exact() }

// took is about how long so many orders have taken.
func (r *Run) took(orders int64) time.Duration {
	return time.Duration(float64(orders) / r.Speed * float64(time.Second))
}

// briefRuns are made where a run is brief: a stall of the machine of a tenth of a second
// would be a tenth of it.
const briefRuns = 3

// middle makes a run, more than one if it takes less than brief, and returns the one of
// middle speed, or one that is wrong.
func middle(brief time.Duration, orders int64, race func(first bool) (Run, error)) (Run, error) {
	var runs []Run
	for {
		r, err := race(len(runs) == 0)
		if err != nil || !r.Right() {
			return r, err
		}
		runs = append(runs, r)
		if len(runs) == briefRuns || len(runs) == 1 && r.took(orders) >= brief {
			slices.SortFunc(runs, func(a, b Run) int { return cmp.Compare(a.Speed, b.Speed) })
			return runs[len(runs)/2], nil
		}
	}
}

// String is the run as one line.
func (r *Run) String() string {
	if r.Err != nil {
		return "failed: " + r.Err.Error()
	}
	text := fmt.Sprintf("%s orders/s, %.2f s of CPU per million, %s, first after %.2f s",
		speed(r.Speed), r.CPU, megabytes(r.RSS), r.First.Seconds())
	if r.Counts {
		text += ", " + r.Verdict.String()
	}
	return text
}

var errLimit = errors.New("not done within its time")

// race runs a contestant once, for at most limit. with gets the entrant when it has
// answered and still runs; it may be nil.
func race(ctx context.Context, c contestant, f *field, limit time.Duration, with func(entrant) error) (r Run) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w of %v", errLimit, limit))
	defer cancel()
	e, err := c.start(ctx, f)
	if err != nil {
		return Run{Err: err}
	}
	defer e.process().stop()
	r, err = clock(ctx, e, f.truth.Orders)
	if err == nil {
		var a Answer
		if a, err = e.answer(ctx); err == nil && a != nil {
			r.Counts, r.Verdict = true, compare(f.truth.Answer, a)
		}
	}
	if err == nil && with != nil {
		err = with(e)
	}
	if err != nil {
		r.Err = err
		e.process().kill()
	}
	return r
}

// clock measures a run until all orders are counted.
func clock(ctx context.Context, e entrant, orders int64) (Run, error) {
	var r Run
	p := e.process()
	counted, err := e.first(ctx)
	if err != nil {
		return r, err
	}
	from := time.Now()
	r.First = from.Sub(p.began)
	before, err := p.cpu()
	if err != nil {
		return r, err
	}
	if 2*counted > orders {
		// Most was done when it was first asked: what is left is too little to tell anything.
		counted, from, before = 0, p.began, 0
	}
	if err := e.done(ctx); err != nil {
		return r, err
	}
	took := time.Since(from).Seconds()
	after, err := p.cpu()
	if err != nil {
		return r, err
	}
	r.RSS, err = p.peak()
	r.Speed = float64(orders-counted) / took
	r.CPU = (after - before) * 1e6 / float64(orders-counted)
	return r, err
}
