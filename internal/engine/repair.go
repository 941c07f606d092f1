package engine

import (
	"context"
	"fmt"

	"windowed/state"
)

// repair writes the keys of a commit that a crash has cut again, as the state has them.
// Only at least once can leave such a commit: counts without the meta that says what
// they count. They are not in the state; from the changelog they would be counted twice
// by the next restore.
func (l *Loop) repair(ctx context.Context, p int32, cut []state.Change, generation uint64) error {
	meta := l.parts[p].meta
	meta.Writer, meta.TopicID = l.opts.Writer, l.topicID
	changes, err := l.st.Current(p, cut)
	if err != nil {
		return err
	}
	c := PartitionChanges{
		Partition: p, Next: meta.Next,
		Changes: append(changes, state.Change{Kind: state.MetaKind, Meta: &meta}),
	}
	t := &Transaction{Partitions: []PartitionChanges{c}}
	outcome := l.opts.Transport.Commit(ctx, t, generation)
	if outcome.Err != nil {
		return outcome.Err
	}
	if !outcome.Committed {
		return fmt.Errorf("repair changelog partition %d: the group has moved it", p)
	}
	if err := l.st.Apply(p, c.Changes, outcome.Positions[p]); err != nil {
		return err
	}
	l.parts[p].committed = true
	if l.opts.Log != nil {
		l.opts.Log.Info("a commit that was cut is repaired", "changelog_partition", p, "keys", len(cut))
	}
	return l.opts.Transport.Applied(ctx, t)
}
