package engine

import (
	"context"
	"fmt"

	"windowed/internal/exit"
	"windowed/state"
	"windowed/window"
)

// adopt takes over partitions that the group gave to this process, and lets go of those
// it took away. A partition is read only after the whole changelog up to now is in the
// state (lovoo/goka#207).
func (l *Loop) adopt(ctx context.Context) error {
	own := l.opts.Transport.Ownership()
	if own.Generation == l.generation {
		return nil
	}
	l.opts.Transport.Settle()
	lost := false
	for id, p := range l.parts {
		if since, ok := own.Partitions[id]; !ok || since != p.since {
			delete(l.parts, id)
			lost = true
		}
	}
	if lost {
		l.rewind()
	}
	var fresh []int32
	for id := range own.Partitions {
		if l.parts[id] == nil {
			fresh = append(fresh, id)
		}
	}
	if len(fresh) > 0 {
		if err := l.take(ctx, fresh, own); err != nil {
			return err
		}
	}
	if l.opts.Sole && lost {
		return exit.With(exit.Usage, fmt.Errorf("%w: a second member has joined the group; --guarantee=at-least-once is for one instance: two writers of absolute counts would lose counts", ErrFatal))
	}
	l.generation = own.Generation
	l.opts.Status.own(l.ids())
	return nil
}

// take restores the state and makes the partitions ready to be resumed.
func (l *Loop) take(ctx context.Context, fresh []int32, own Ownership) error {
	l.opts.Status.set(Restoring)
	inputs, id, err := l.opts.Inputs.Partitions(ctx)
	if err != nil {
		return err
	}
	l.inputs, l.topicID = max(l.inputs, inputs), id
	all := make([]int32, l.inputs)
	for p := range all {
		all[p] = int32(p)
	}
	if err := l.opts.Restorer.CatchUp(ctx, all); err != nil {
		return err
	}
	if err := CheckFingerprint(l.st, l.cfg, l.opts.Reconfigure); err != nil {
		return err
	}
	offsets, err := l.opts.Inputs.Offsets(ctx, fresh)
	if err != nil {
		return err
	}
	for _, p := range fresh {
		part, err := NewPartition(p, l.cfg)
		if err != nil {
			return exit.With(exit.Usage, err)
		}
		meta, moved, err := l.resume(ctx, p, offsets[p])
		if err != nil {
			return err
		}
		l.parts[p] = &activePartition{Partition: part, since: own.Partitions[p], meta: meta, first: meta, moved: moved}
	}
	l.opts.Status.set(Joining)
	return nil
}

// resume is the meta a partition goes on from; moved says that it is not the state's.
func (l *Loop) resume(ctx context.Context, p int32, in InputOffsets) (meta state.Meta, moved bool, err error) {
	var known *state.Meta
	if m, ok := l.st.Meta(p); ok {
		known = &m
	}
	c := window.None
	if g, ok := l.st.Global(); ok && known == nil {
		c = g.CloseThrough
	}
	if meta, err = Resume(l.opts.Topic, p, known, in, l.topicID, c, l.opts.Consent); err != nil {
		return meta, false, err
	}
	if err := l.skip(ctx, p, &meta); err != nil {
		return meta, false, err
	}
	return meta, known != nil && known.Next != meta.Next, nil
}

// skip passes the batch that --skip-batch names, if it is the next one to read.
func (l *Loop) skip(ctx context.Context, p int32, meta *state.Meta) error {
	at, ok := l.opts.SkipBatches[p]
	if !ok || at < meta.Next {
		return nil // passed already
	}
	first, next, err := l.opts.Inputs.Batch(ctx, p, at)
	if err != nil {
		return err
	}
	if meta.Next < first {
		return exit.Errorf(exit.Usage, "--skip-batch=%d:%d: the batch begins at offset %d, and %s partition %d is counted up to %d only; run without the flag until it stops there",
			p, at, first, l.opts.Topic, p, meta.Next)
	}
	meta.Next = next
	meta.Counters.SkippedBatches++
	return nil
}
