package engine

import (
	"context"
	"fmt"
	"time"

	"windowed/internal/exit"
	"windowed/internal/fault"
	"windowed/state"
	"windowed/window"
)

// adopt takes over partitions that the group gave to this process, and lets go of those
// it took away. A partition is read only after the whole changelog up to now is in the
// state (lovoo/goka#207); changelogs of partitions that others own are followed.
func (l *Loop) adopt(ctx context.Context) error {
	own := l.opts.Transport.Ownership()
	if own.Generation == l.generation && l.inputs == l.known {
		return nil
	}
	l.await()
	l.opts.Transport.Settle()
	lost := l.drop(own)
	if l.opts.Sole && len(lost) > 0 {
		return exit.With(exit.Usage, fmt.Errorf("%w: a second member has joined the group; --guarantee=at-least-once is for one instance: two writers of absolute counts would lose counts", ErrFatal))
	}
	if err := l.take(ctx, own); err != nil {
		return err
	}
	l.generation, l.known = own.Generation, l.inputs
	l.opts.Status.own(l.ids())
	l.nextTick = time.Now() // what is here now need not wait to be read
	return nil
}

// drop lets go of the partitions that are gone, or that went and came back.
func (l *Loop) drop(own Ownership) (lost []int32) {
	for id, p := range l.parts {
		if since, ok := own.Partitions[id]; !ok || since != p.since {
			delete(l.parts, id)
			lost = append(lost, id)
		}
	}
	if len(lost) > 0 {
		l.rewind()
		l.opts.Restorer.Follow(lost)
	}
	return lost
}

// take restores the state and makes the partitions that are new here ready to be
// resumed. One whose changelog does not exist yet has to wait.
func (l *Loop) take(ctx context.Context, own Ownership) error {
	counts, err := l.opts.Inputs.Partitions(ctx)
	if err != nil {
		return err
	}
	l.inputs, l.topicID = max(l.inputs, min(counts.Orders, counts.Changelog)), counts.ID
	var fresh, others []int32
	for p := range l.inputs {
		if l.parts[p] != nil {
			continue
		}
		others = append(others, p)
		if _, ok := own.Partitions[p]; ok {
			fresh = append(fresh, p)
		}
	}
	if len(fresh) > 0 || !l.restored {
		l.opts.Status.set(Restoring)
	}
	offsets, cut, err := l.restore(ctx, fresh, others)
	if err != nil {
		return err
	}
	for _, p := range fresh {
		if err := l.activate(ctx, p, own.Partitions[p], offsets[p]); err != nil {
			return err
		}
		if len(cut[p]) > 0 {
			if err := l.repair(ctx, p, cut[p], own.Generation); err != nil {
				return err
			}
		}
	}
	return nil
}

// restore catches up with the changelog and lets go of the fresh partitions in it. It
// returns their input offsets, and the records of commits that a crash has cut.
//
// What belongs together is asked for in this order, since a partition may have a new owner
// already, who commits, before this process hears of it: the group's offsets, then the
// changelog, which has what moved them, then the ends of the input, behind all of it.
func (l *Loop) restore(ctx context.Context, fresh, others []int32) (map[int32]InputOffsets, map[int32][]state.Change, error) {
	group, err := l.opts.Inputs.Committed(ctx, fresh)
	if err != nil {
		return nil, nil, err
	}
	if err := l.opts.Restorer.CatchUp(ctx, others); err != nil {
		return nil, nil, err
	}
	if fault.Planted(fault.OffsetsAfterState) {
		group, _ = l.opts.Inputs.Committed(ctx, fresh)
	}
	fault.Point(fault.Restored)
	l.restored = true
	if len(fresh) == 0 {
		return nil, nil, nil
	}
	cut, err := l.opts.Restorer.Release(fresh)
	if err != nil {
		return nil, nil, err
	}
	fault.Point(fault.Released)
	offsets, err := l.opts.Inputs.Offsets(ctx, fresh)
	if err != nil {
		return nil, nil, err
	}
	for p, in := range offsets {
		in.Group = -1
		if at, ok := group[p]; ok {
			in.Group = at
		}
		offsets[p] = in
	}
	return offsets, cut, nil
}

func (l *Loop) activate(ctx context.Context, p int32, since uint64, in InputOffsets) error {
	part, err := NewPartition(p, l.cfg)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	part.names = &l.hand(p).names
	meta, moved, err := l.resume(ctx, p, in)
	if err != nil {
		return err
	}
	l.parts[p] = &activePartition{Partition: part, since: since, meta: meta, first: meta, moved: moved}
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
