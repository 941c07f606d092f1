package state

import (
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"
)

// record is one record of a changelog partition.
type record struct {
	offset     int64
	key, value []byte // no value: a tombstone
}

// changelog is a partition as it was written, record by record.
func (m *machine) changelog(p int32) (log []record) {
	for _, tx := range m.log {
		if tx.p != p {
			continue
		}
		for i := range tx.changes {
			c := &tx.changes[i]
			r := record{offset: int64(len(log)), key: c.AppendKey(nil)}
			if !c.Deleted {
				r.value = c.AppendValue(nil)
			}
			log = append(log, r)
		}
	}
	return log
}

// compact keeps the last record of every key, in the order of offsets, and of tombstones
// only some: compaction drops the old ones.
func compact(log []record, keepTombstone func() bool) (kept []record) {
	last := make(map[string]int64)
	for _, r := range log {
		last[string(r.key)] = r.offset
	}
	for _, r := range log {
		if last[string(r.key)] == r.offset && (r.value != nil || keepTombstone()) {
			kept = append(kept, r)
		}
	}
	return kept
}

// run makes a machine and lets some time pass on it.
func run(t *rapid.T, actions int) *machine {
	m := &machine{fs: vfs.NewMem(), model: newModel(), capacity: 3}
	m.open(t)
	steps := []func(*rapid.T){m.grow, m.grow, m.grow, m.grow, m.expire}
	for range actions {
		rapid.SampledFrom(steps).Draw(t, "action")(t)
		if len(m.model.windows(-1000, 1000)) > 0 && rapid.IntRange(0, 3).Draw(t, "a final") == 0 {
			m.final(t)
		}
	}
	m.close(t)
	return m
}

// TestRestore gives an empty state the changelog as a restore sees it: compacted or not,
// in pieces of any size, partition by partition or in turns, through a Tail or not, with
// a restart anywhere. After every piece all answers are those of what was read so far.
func TestRestore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := run(t, rapid.IntRange(1, 25).Draw(t, "actions"))
		var logs [testPartitions][]record
		for p := range logs {
			if logs[p] = m.changelog(int32(p)); rapid.Bool().Draw(t, "compacted") {
				logs[p] = compact(logs[p], func() bool { return rapid.Bool().Draw(t, "keep a tombstone") })
			}
		}
		opts := testOptions(vfs.NewMem())
		st, seen := mustOpen(t, opts), newModel()
		defer func() { _ = st.Abandon() }()
		var tails [testPartitions]Tail
		for slices.ContainsFunc(logs[:], func(l []record) bool { return len(l) > 0 }) {
			p := rapid.IntRange(0, testPartitions-1).Draw(t, "p")
			piece := logs[p][:rapid.IntRange(0, len(logs[p])).Draw(t, "piece")]
			if len(piece) == 0 {
				continue
			}
			logs[p] = logs[p][len(piece):]
			position := piece[len(piece)-1].offset + 1
			changes := decodeAll(t, piece)
			seen.apply(int32(p), changes)
			if rapid.Bool().Draw(t, "through a tail") {
				for _, r := range piece {
					tails[p].Add(r.key, r.value)
				}
				if err := tails[p].Apply(st, int32(p), position); err != nil {
					t.Fatalf("tail: %v", err)
				}
			} else {
				mustApply(t, st, int32(p), position, changes...)
			}
			if st.Position(int32(p)) != position {
				t.Fatalf("position %d, want %d", st.Position(int32(p)), position)
			}
			if rapid.IntRange(0, 4).Draw(t, "restart") == 0 {
				if err := st.Close(); err != nil {
					t.Fatalf("close: %v", err)
				}
				st = mustOpen(t, opts)
			}
			if rapid.Bool().Draw(t, "look") {
				seen.check(t, st)
			}
		}
		m.model.check(t, st)
		m.model.checkStore(t, st)
	})
}

func decodeAll(t *rapid.T, records []record) (changes []Change) {
	for _, r := range records {
		c, err := DecodeChange(r.key, r.value)
		if err != nil {
			t.Fatalf("decode %x: %v", r.key, err)
		}
		changes = append(changes, c)
	}
	return changes
}
