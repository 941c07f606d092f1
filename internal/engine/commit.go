package engine

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"windowed/internal/fault"
	"windowed/state"
)

// markersAfter is how long after the last record a position is committed that only
// transaction markers have moved: an aborted transaction would show as lag for ever, but
// the marker of every single order is not worth a commit.
const markersAfter = time.Second

// plan seals what is due into one transaction; nil if nothing is.
func (l *Loop) plan() (*Transaction, map[int32]*Batch, *Emission, error) {
	l.emptied() // whatever was counted is due
	now, wall := time.Now(), l.opts.Wall().UnixMilli()
	g, _ := l.st.Global()
	newestClosed := l.st.NewestClosed()
	due := false
	for _, p := range l.parts {
		b := l.batch(p)
		b.Rebase(g.CloseThrough, newestClosed)
		if p.moved && p.resumed && !p.committed {
			b.Commit()
		}
		if b.Meta.Next > p.meta.Next && now.Sub(p.heard) >= markersAfter {
			b.Commit()
		}
		b.Expire(l.st)
		l.idle(p, b, now, wall)
		due = due || b.Due()
	}
	em := new(Emission)
	if _, owner := l.parts[0]; owner && l.inputs > 0 {
		var err error
		if *em, err = l.emitter.Plan(l.st, l.inputs, wall); err != nil {
			return nil, nil, nil, err
		}
		due = due || em.Due
	}
	if !due {
		return nil, nil, nil, nil
	}
	t := &Transaction{Outputs: em.Outputs, CloseThrough: g.CloseThrough, Positions: l.positions(), Now: wall}
	sealed, err := l.seal(t, em)
	fault.Point(fault.Sealed)
	return t, sealed, em, err
}

// seal moves the due batches into t; new ones fill on top of them.
func (l *Loop) seal(t *Transaction, em *Emission) (map[int32]*Batch, error) {
	sealed := make(map[int32]*Batch)
	for _, id := range l.ids() {
		p := l.parts[id]
		emits := id == 0 && len(em.Changes)+len(em.Outputs) > 0
		if !p.batch.Due() && !emits {
			continue
		}
		p.batch.Meta.Writer, p.batch.Meta.TopicID = l.opts.Writer, l.topicID
		changes, err := p.batch.Seal(l.st)
		if err != nil {
			return nil, err
		}
		if emits {
			meta := changes[len(changes)-1]
			changes = append(append(changes[:len(changes)-1], em.Changes...), meta)
		}
		t.Partitions = append(t.Partitions, PartitionChanges{Partition: id, Changes: changes, Next: p.batch.Meta.Next})
		t.Dead = append(t.Dead, p.batch.Dead...)
		sealed[id] = p.batch
		p.meta, p.batch = p.batch.Meta, nil
		l.batch(p) // while no hand is busy
	}
	return sealed, nil
}

// positions are the input positions of all metas.
func (l *Loop) positions() map[int32]int64 {
	at := make(map[int32]int64, l.inputs)
	for p := range l.inputs {
		if m, ok := l.st.Meta(p); ok {
			at[p] = m.Next
		}
	}
	return at
}

// commit commits t. What is fetched meanwhile is counted on top of the sealed batches; if
// the transaction aborts, all of it is dropped.
func (l *Loop) commit(ctx context.Context, t *Transaction, sealed map[int32]*Batch, em *Emission) error {
	started := time.Now()
	ending := ctx
	ctx, release := outlast(ctx)
	defer release()
	if fault.Planted(fault.ApplyFirst) {
		for i := range t.Partitions {
			_ = l.st.Apply(t.Partitions[i].Partition, t.Partitions[i].Changes, 0)
		}
	}
	var outcome Outcome
	err := l.meanwhile(ending, func() { outcome = l.opts.Transport.Commit(ctx, t, l.generation) })
	l.opts.Status.pace.took(t.changes(), time.Since(started))
	switch {
	case outcome.Err != nil:
		return outcome.Err
	case !outcome.Committed:
		l.opts.Status.aborted(time.Since(started), em.snapshot)
		if !fault.Planted(fault.KeepAfterAbort) {
			l.rewind()
		}
		return err
	}
	return cmp.Or(l.committed(ctx, t, sealed, em, outcome, started), err)
}

// meanwhile runs f in the background, and counts what can be read until f returns or what
// may be in a transaction is there.
func (l *Loop) meanwhile(ctx context.Context, f func()) error {
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer stop()
		defer close(done)
		f()
	}()
	defer func() { <-done }()
	for ctx.Err() == nil && !l.full() {
		fetched, err := l.read(ctx, time.Second)
		if err != nil {
			return err
		}
		l.add(fetched)
	}
	return nil
}

// committed takes what was committed into the state.
func (l *Loop) committed(ctx context.Context, t *Transaction, sealed map[int32]*Batch, em *Emission, outcome Outcome, started time.Time) error {
	fault.Point(fault.BeforeApply)
	l.account(t, sealed, em)
	if err := l.apply(ctx, t, outcome.Positions); err != nil {
		return err
	}
	for i := range t.Partitions {
		l.parts[t.Partitions[i].Partition].committed = true
	}
	fault.Point(fault.Applied)
	for _, b := range sealed {
		l.opts.Status.read(b.Read, b.Skipped)
		b.Done()
	}
	l.emitter.Committed(em, t.Now)
	l.opts.Status.committed(time.Since(started))
	return l.opts.Transport.Applied(ctx, t)
}

// manyChanges is from how many changelog records on the loop reads while they are applied.
const manyChanges = 20_000

// apply applies what was committed; positions are the changelog offsets behind it.
func (l *Loop) apply(ctx context.Context, t *Transaction, positions map[int32]int64) error {
	var err error
	all := func() {
		for i := range t.Partitions {
			if i > 0 {
				fault.Point(fault.BetweenApply)
			}
			c := &t.Partitions[i]
			next, ok := positions[c.Partition]
			if !ok {
				err = fmt.Errorf("%w: changelog partition %d was committed without an offset", ErrFatal, c.Partition)
				return
			}
			if err = l.st.Apply(c.Partition, c.Changes, next); err != nil {
				return
			}
		}
	}
	if t.changes() < manyChanges {
		all()
		return err
	}
	read := l.meanwhile(ctx, all)
	return cmp.Or(err, read)
}

// stopPatience is how long a transaction that is under way may take to end once the
// process is told to stop.
const stopPatience = 5 * time.Second

// outlast is a context that ends stopPatience after ctx does, so that a stop does not
// leave a transaction open.
func outlast(ctx context.Context) (context.Context, func()) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-lasting.Done():
		case <-time.After(stopPatience):
			cancel()
		}
	})
	return lasting, func() {
		stop()
		cancel()
	}
}

// rewind drops all uncommitted work and reads again from what the state has.
func (l *Loop) rewind() {
	l.await()
	l.emptied()
	l.waiting = nil
	next := make(map[int32]int64)
	for id, p := range l.parts {
		p.batch = nil
		p.meta = p.first // until something is committed; it may differ from the state by consent
		if meta, ok := l.st.Meta(id); ok && p.committed {
			p.meta = meta
		}
		if p.resumed {
			p.held = false
			next[id] = p.meta.Next
		}
	}
	if len(next) > 0 {
		l.opts.Transport.Resume(next)
	}
}

// keepEvery is how often the embedded broker's topics are looked after.
const keepEvery = 10 * time.Second

func (l *Loop) keepHouse(ctx context.Context) error {
	if l.opts.Keeper == nil || time.Since(l.kept) < keepEvery {
		return nil
	}
	l.kept = time.Now()
	next := make(map[int32]int64)
	for id := range l.parts {
		if m, ok := l.st.Meta(id); ok {
			next[id] = m.Next
		}
		due, err := l.opts.Keeper.Rewrite(id, l.st.Position(id), func() (int, error) {
			return l.st.Live(id, func(_, _ []byte) error { return nil })
		})
		if err == nil && due {
			err = l.rewrite(ctx, id)
		}
		if err != nil {
			return err
		}
	}
	return l.opts.Keeper.Trim(ctx, next)
}

// rewrite commits all live records of a changelog partition again, in one transaction.
func (l *Loop) rewrite(ctx context.Context, p int32) error {
	meta, ok := l.st.Meta(p)
	if !ok {
		return nil
	}
	c := PartitionChanges{Partition: p, Next: meta.Next}
	if _, err := l.st.Live(p, func(key, value []byte) error {
		change, err := state.DecodeChange(key, value)
		c.Changes = append(c.Changes, change)
		return err
	}); err != nil {
		return err
	}
	outcome := l.opts.Transport.Commit(ctx, &Transaction{Partitions: []PartitionChanges{c}}, l.generation)
	if outcome.Err != nil || !outcome.Committed {
		if outcome.Err == nil {
			l.rewind()
		}
		return outcome.Err
	}
	if err := l.st.Apply(p, nil, outcome.Positions[p]); err != nil {
		return err
	}
	// The store must not need what is about to be deleted.
	if err := l.st.Checkpoint(true); err != nil {
		return err
	}
	return l.opts.Keeper.Rewritten(ctx, p, outcome.First[p])
}
