package engine

import (
	"context"
	"errors"
	"testing"

	"windowed/internal/exit"
	"windowed/state"
)

// rival is another owner of partition 0, who commits whenever somebody asks for
// something: this process believes that it owns the partition, but does not any more.
type rival struct {
	Transport
	l        *Loop
	next     int64 // input offset that the rival has committed
	position int64 // and the changelog offset behind it
	lost     int64 // how far the changelog is behind the group's offset: counts are lost
}

func (r *rival) commits() {
	r.next += 10
	r.position += 2
}

func (r *rival) Ownership() Ownership {
	return Ownership{Generation: 1, Partitions: map[int32]uint64{0: 1}}
}
func (r *rival) Settle() {}

func (r *rival) Offsets(context.Context, []int32) (map[int32]InputOffsets, error) {
	defer r.commits()
	return map[int32]InputOffsets{0: {End: r.next + 5}}, nil
}

func (r *rival) Committed(context.Context, []int32) (map[int32]int64, error) {
	defer r.commits()
	return map[int32]int64{0: r.next}, nil
}

func (r *rival) Partitions(context.Context) (PartitionCounts, error) {
	defer r.commits()
	return PartitionCounts{Orders: 1, Changelog: 1}, nil
}

func (r *rival) CatchUp(context.Context, []int32) error {
	defer r.commits()
	meta := state.NewMeta(r.next - r.lost)
	return r.l.st.Apply(0, []state.Change{{Kind: state.MetaKind, Meta: &meta}}, r.position)
}

func (r *rival) Release([]int32) (map[int32][]state.Change, error) {
	r.commits()
	return nil, nil
}

func (r *rival) Stable(context.Context) (Ends, error) { return Ends{}, nil }
func (r *rival) Grow(context.Context) error           { return nil }
func (r *rival) Follow([]int32)                       {}
func (r *rival) Err() error                           { return nil }
func (r *rival) Batch(context.Context, int32, int64) (first, next int64, err error) {
	return 0, 0, errors.New("not here")
}

// A process that has lost a partition and does not know it yet must not end because the
// new owner is ahead of what it has restored: that is no lost count. It ended so, with
// "the group has committed offset", when it came back from a long sleep.
func TestTakeWhileAnotherOwnerCommits(t *testing.T) {
	l := accounting(t)
	r := &rival{l: l, next: 100, position: 7}
	l.opts.Transport, l.opts.Inputs, l.opts.Restorer = r, r, r
	if err := l.adopt(context.Background()); err != nil {
		t.Error(err)
	}
}

// Counts that are lost are refused all the same.
func TestTakeRefusesLostCounts(t *testing.T) {
	l := accounting(t)
	r := &rival{l: l, next: 100, position: 7, lost: 50}
	l.opts.Transport, l.opts.Inputs, l.opts.Restorer = r, r, r
	if err := l.adopt(context.Background()); exit.Code(err) != exit.Usage {
		t.Errorf("error %v, want a refusal", err)
	}
}
