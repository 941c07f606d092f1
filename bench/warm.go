package main

import (
	"context"
	"errors"
	"time"
)

// warmOrders are the orders of one run that warms the broker.
const warmOrders = 1_000_000

// warm lets the broker work before anything is measured. Its JVM compiles what it runs for
// about a minute, with up to half of a core; those measured first would pay for that, while
// a broker in use has it behind it.
func (b *bench) warm(ctx context.Context) error {
	if b.Warm == 0 {
		return nil
	}
	w := b.workload()
	w.Orders = warmOrders
	begin := time.Now()
	g, err := b.prepare(ctx, "warm-up", w)
	if err != nil {
		return err
	}
	all := []contestant{b.exactly(), b.atLeast()}
	for i := 0; time.Since(begin) < b.Warm; i++ {
		r, err := g.race(ctx, all[i%len(all)], nil)
		if err = errors.Join(err, r.Err); err != nil {
			return err
		}
	}
	return g.drop(ctx)
}
