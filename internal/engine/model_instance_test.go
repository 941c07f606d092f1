package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/state"
	"windowed/watermark"
)

// kv is a changelog record; a nil value is a tombstone.
type kv struct{ key, value []byte }

func encode(changes []state.Change) []kv {
	records := make([]kv, len(changes))
	for i := range changes {
		records[i].key = changes[i].AppendKey(nil)
		if !changes[i].Deleted {
			records[i].value = changes[i].AppendValue(nil)
		}
	}
	return records
}

func decode(records []kv) ([]state.Change, error) {
	changes := make([]state.Change, len(records))
	for i, r := range records {
		c, err := state.DecodeChange(r.key, r.value)
		if err != nil {
			return nil, err
		}
		changes[i] = c
	}
	return changes, nil
}

// instance is one process: a state that follows all changelogs, and uncommitted work on
// the input partitions it owns.
type instance struct {
	id      int
	fs      *vfs.MemFS
	st      *state.State
	shadow  *shadow
	read    map[int32]int // transactions of each changelog it has applied
	parts   map[int32]*Partition
	emitter *Emitter
	filling map[int32]*flight // batches that still take records
	begun   *txn              // sealed and on its way
	known   int32             // partitions its metadata shows
}

// flight is a batch and what went into it.
type flight struct {
	b       *Batch
	base    watermark.Partition
	c       int64 // the close-through it goes by
	newest  int64
	intakes []intake
}

// txn is a begun transaction.
type txn struct {
	flights map[int32]*flight
	changes map[int32][]state.Change
	em      Emission
	at      int64 // wall clock when it was planned
}

// quietLog drops the store's log lines.
type quietLog struct{}

func (quietLog) Infof(string, ...any)  {}
func (quietLog) Errorf(string, ...any) {}
func (quietLog) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

func (w *world) open(in *instance) error {
	st, err := state.Open("state", state.Options{
		FS: in.fs, Window: w.cfg.Lifecycle(), RankCapacity: w.rankCapacity, RankWindows: w.rankWindows, Logger: quietLog{},
	})
	if err != nil {
		return err
	}
	in.st, in.shadow, in.read = st, newShadow(), map[int32]int{}
	in.parts, in.filling, in.begun = map[int32]*Partition{}, map[int32]*flight{}, nil
	in.emitter = NewEmitter(&w.cfg)
	for p, n := range st.Positions() {
		in.read[p] = int(n)
		for _, records := range w.inputs[p].log[:n] {
			changes, err := decode(records)
			if err != nil {
				return err
			}
			in.shadow.apply(p, changes)
		}
	}
	return w.compareOpened(in)
}

// compareOpened compares a store that was just opened or restored with the logs. It may
// hold one thing more: records of finals whose tombstones it never saw because they were
// compacted away. They stay until this instance is the emitter and forgets them again.
func (w *world) compareOpened(in *instance) error {
	for start := range w.finals {
		f, ok, err := in.st.Emitted(start)
		if err != nil {
			return err
		}
		if _, current := w.emitted[start]; ok && !current {
			in.shadow.emitted[start] = f
		}
	}
	return in.shadow.compare(&w.cfg, in.st)
}

func (w *world) step(in *instance, p int32) (*Partition, error) {
	if in.parts[p] == nil {
		part, err := NewPartition(p, &w.cfg)
		if err != nil {
			return nil, err
		}
		in.parts[p] = part
	}
	return in.parts[p], nil
}

// follow applies up to n more transactions of changelog partition p.
func (w *world) follow(in *instance, p int32, n int) error {
	log := w.inputs[p].log
	n = min(n, len(log)-in.read[p])
	if n == 0 {
		return nil
	}
	if n < len(log)-in.read[p] {
		w.seen["lag"]++
	}
	var tail state.Tail
	var all []state.Change
	for _, records := range log[in.read[p]:][:n] {
		for _, r := range records {
			tail.Add(r.key, r.value)
		}
		changes, err := decode(records)
		if err != nil {
			return err
		}
		all = append(all, changes...)
		in.shadow.apply(p, changes)
	}
	in.read[p] += n
	if w.r.IntN(2) == 0 {
		return tail.Apply(in.st, p, int64(in.read[p]))
	}
	return in.st.Apply(p, all, int64(in.read[p]))
}

// catchUp reads all changelogs to their end.
func (w *world) catchUp(in *instance) error {
	for _, p := range w.r.Perm(len(w.inputs)) {
		for in.read[int32(p)] < len(w.inputs[p].log) {
			if err := w.follow(in, int32(p), 1+w.r.IntN(20)); err != nil {
				return err
			}
		}
	}
	return nil
}

// drop forgets uncommitted work.
func (in *instance) drop() {
	if in.begun != nil {
		for _, f := range in.begun.flights {
			f.b.Done()
		}
		in.begun = nil
	}
	for p, f := range in.filling {
		f.b.Done()
		delete(in.filling, p)
	}
}

// crash ends an instance without a word. Its disk keeps everything, or what was
// written by the last checkpoint, or what was synced, or nothing; then it restores.
func (w *world) crash(in *instance) error {
	w.seen["crash"]++
	if in.begun != nil && w.r.IntN(2) == 0 {
		w.seen["crash after a commit"]++
		// The brokers committed; nobody heard the answer.
		if err := w.append(in.begun); err != nil {
			return err
		}
	}
	if w.r.IntN(3) == 0 {
		if err := in.st.Checkpoint(w.r.IntN(2) == 0); err != nil {
			return err
		}
	}
	lost := in.fs
	switch w.r.IntN(4) {
	case 0:
		in.fs = vfs.NewCrashableMem()
	case 1:
		in.fs = lost.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rand.New(rand.NewPCG(w.r.Uint64(), 1))})
	}
	if err := in.st.Abandon(); err != nil {
		return err
	}
	if err := w.open(in); err != nil {
		return err
	}
	if w.r.IntN(2) == 0 {
		if err := w.restoreCompacted(in); err != nil {
			return err
		}
	}
	if err := w.catchUp(in); err != nil {
		return err
	}
	// Every restore ends so: the crash may have taken what an earlier sweep removed, but
	// not the position behind the tombstones.
	return in.st.Sweep()
}

// restoreCompacted brings an instance up to the end of changelogs that were compacted
// while it was away: only the last record per key is left, and tombstones of what has
// expired may be gone, so the store has to be swept.
func (w *world) restoreCompacted(in *instance) error {
	w.seen["restore of a compacted log"]++
	for i, input := range w.inputs {
		p := int32(i)
		expired := input.truth.meta.ExpiredThrough
		var tail []kv
		last := map[string]int{}
		for _, records := range input.log[in.read[p]:] {
			for _, r := range records {
				last[string(r.key)] = len(tail)
				tail = append(tail, r)
			}
		}
		var kept []state.Change
		for i, r := range tail {
			c, err := state.DecodeChange(r.key, r.value)
			if err != nil {
				return err
			}
			gone := c.Deleted && (c.Kind == state.EmittedKind || w.cfg.Window.End(c.Scope.Start) <= expired)
			if last[string(r.key)] == i && !gone {
				kept = append(kept, c)
			}
		}
		in.read[p] = len(input.log)
		for len(kept) > 0 {
			n := min(len(kept), 1+w.r.IntN(40))
			if err := in.st.Apply(p, kept[:n], int64(in.read[p])); err != nil {
				return err
			}
			kept = kept[n:]
		}
	}
	in.shadow = newShadow()
	for p, input := range w.inputs {
		for _, records := range input.log {
			changes, err := decode(records)
			if err != nil {
				return err
			}
			in.shadow.apply(int32(p), changes)
		}
	}
	if err := in.st.Sweep(); err != nil {
		return err
	}
	return w.compareOpened(in)
}

func (w *world) owned(in *instance) []int32 {
	var own []int32
	for p, input := range w.inputs {
		if input.owner == in.id {
			own = append(own, int32(p))
		}
	}
	return own
}

// participates are the partitions an owner may process: those the committed global
// record counts, as far as this instance has read it.
func (w *world) participates(in *instance) int32 {
	if w.variant == localCount {
		return min(in.known, int32(len(w.inputs)))
	}
	return in.shadow.partitions()
}

func (w *world) owns(in *instance, p int32) bool { return slices.Contains(w.owned(in), p) }
