package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// prefix begins the names of all topics that are made here.
const prefix = "bench-"

// ground is a topic of orders with its truth, on which fields are laid out.
type ground struct {
	b        *bench
	scenario string
	topic    string
	workload *Workload
	truth    *Truth
	fields   int
}

// prepare makes the orders of w and loads them.
func (b *bench) prepare(ctx context.Context, scenario string, w *Workload) (*ground, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	g := &ground{b: b, scenario: scenario, topic: fmt.Sprintf("%s%s-orders-%d", prefix, scenario, w.Orders), workload: w}
	begin := time.Now()
	g.truth = truthOf(w)
	counted := time.Now()
	if err := load(ctx, b.Brokers, g.topic, w); err != nil {
		return nil, err
	}
	b.progress("%s: %s orders (%s items, %s late, %.0f bytes each) counted in %.1f s, loaded in %.1f s", scenario,
		thousands(g.truth.Orders), thousands(g.truth.Items), thousands(g.truth.Late),
		float64(g.truth.Bytes)/float64(g.truth.Orders), counted.Sub(begin).Seconds(), time.Since(counted).Seconds())
	return g, nil
}

// field lays out a field for one run.
func (g *ground) field() (*field, error) {
	g.fields++
	name := fmt.Sprintf("%s%s-%d-%d", prefix, g.scenario, g.workload.Orders, g.fields)
	dir := filepath.Join(g.b.Dir, "work", name)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return nil, err
	}
	writeBack()
	return &field{
		brokers: g.b.Brokers, topic: g.topic, workload: g.workload, truth: g.truth, dir: dir, name: name, commit: g.b.Commit,
	}, nil
}

// clear removes what a run has left, but for the log of one that failed.
func (g *ground) clear(ctx context.Context, f *field, r *Run) error {
	if r.Err != nil {
		os.RemoveAll(filepath.Join(f.dir, "state"))
		return deleteTopics(ctx, f.brokers, f.name)
	}
	return errors.Join(os.RemoveAll(f.dir), deleteTopics(ctx, f.brokers, f.name))
}

// drop deletes the orders.
func (g *ground) drop(ctx context.Context) error { return deleteTopics(ctx, g.b.Brokers, g.topic) }

// race runs a contestant once on a field of its own.
func (g *ground) race(ctx context.Context, c contestant, with func(*field, entrant) error) (Run, error) {
	f, err := g.field()
	if err != nil {
		return Run{}, err
	}
	r := race(ctx, c, f, g.b.Limit, func(e entrant) error {
		if with == nil {
			return nil
		}
		return with(f, e)
	})
	if err := ctx.Err(); err != nil { // interrupted: no run has failed
		return r, err
	}
	g.b.note(g.scenario+": "+c.name(), r)
	return r, g.clear(ctx, f, &r)
}
