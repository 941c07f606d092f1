package state

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"windowed/window"
)

// machine drives a State and its model through transactions, checkpoints and crashes.
// It keeps what was committed, as the changelog does, and replays it from the position
// that a reopened store says.
type machine struct {
	fs       *vfs.MemFS
	st       *State
	model    *model
	log      []transaction
	next     [testPartitions]int64
	capacity int
}

// transaction is what one Apply took.
type transaction struct {
	p        int32
	position int64
	changes  []Change
}

var machineDrinks = []string{"latte", "mocha", "tea", "chai:all", "a", "b", "ä"}

func (m *machine) open(t *rapid.T) {
	opts := testOptions(m.fs)
	opts.RankCapacity = m.capacity
	m.st = mustOpen(t, opts)
	m.st.cells.maxClean = 25
	l := m.st.counts
	l.maxUsed, l.maxDrinks, l.loadAfter = 30, 4, 2
}

func (m *machine) close(t *rapid.T) {
	if err := m.st.Abandon(); err != nil {
		t.Fatalf("abandon: %v", err)
	}
}

func (m *machine) apply(t *rapid.T, p int32, changes []Change) {
	m.next[p] += int64(len(changes)) + 1
	mustApply(t, m.st, p, m.next[p], changes...)
	m.model.apply(p, changes)
	m.log = append(m.log, transaction{p: p, position: m.next[p], changes: changes})
}

// replay applies what the store lacks. What it does hold must be what was committed
// before its positions: never a part of a transaction, and never one without those
// before it.
func (m *machine) replay(t *rapid.T) {
	cut := newModel()
	for _, tx := range m.log {
		if tx.position <= m.st.Position(tx.p) {
			cut.apply(tx.p, tx.changes)
		}
	}
	cut.check(t, m.st)
	cut.checkStore(t, m.st)
	for _, tx := range m.log {
		if tx.position > m.st.Position(tx.p) {
			mustApply(t, m.st, tx.p, tx.position, tx.changes...)
		}
	}
}

func drawStart(t *rapid.T) int64 { return 10 * rapid.Int64Range(-2, 3).Draw(t, "window") }

func drawPartition(t *rapid.T) int32 {
	return rapid.Int32Range(0, testPartitions-1).Draw(t, "partition")
}

// grow is a transaction of orders: absolute counts, numbers and the meta.
func (m *machine) grow(t *rapid.T) {
	p, start := drawPartition(t), drawStart(t)
	mine, ok := m.model.metas[p]
	if !ok {
		mine = NewMeta(0)
	}
	var changes []Change
	drinks := slices.Compact(slices.Sorted(slices.Values(rapid.SliceOfN(rapid.SampledFrom(machineDrinks), 0, 5).Draw(t, "drinks"))))
	n := m.model.numbers[p][start]
	for _, drink := range drinks {
		portions := rapid.Uint64Range(1, 4).Draw(t, "portions")
		n.Records++
		n.Portions += portions
		mine.Counters.Portions += portions
		changes = append(changes,
			count(start, drink, m.model.counts[p][window.At(start)][drink]+portions),
			total(drink, m.model.counts[p][window.AllTime][drink]+portions))
	}
	if rapid.IntRange(0, 3).Draw(t, "late") == 0 {
		n.LateRecords++
		mine.Counters.Late++
	}
	mine.Next++
	mine.Counters.Records++
	mine.Counters.Invalid[3]++
	mine.Time.CloseThrough = max(mine.Time.CloseThrough, start)
	changes = append(changes, Change{Kind: NumbersKind, Scope: window.At(start), Numbers: &n})
	if seed := rapid.Uint64Range(0, 9).Draw(t, "order"); seed > 0 {
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
	} else {
		slices.SortStableFunc(changes, func(a, b Change) int { return int(a.Scope.Start - b.Scope.Start) })
	}
	m.apply(t, p, append(changes, meta(mine)))
}

// final emits a window that has records, as its counts are or a little behind them.
func (m *machine) final(t *rapid.T) {
	ws := m.model.windows(-1000, 1000)
	if len(ws) == 0 {
		t.Skip("no window")
	}
	w := rapid.SampledFrom(ws).Draw(t, "window")
	behind := rapid.Uint64Range(0, min(1, w.Portions)).Draw(t, "behind")
	m.apply(t, 0, []Change{
		emitted(w.Start, w.Emitted.Revision+1, w.Portions-behind),
		global(Global{CloseThrough: w.Start, Partitions: testPartitions}),
	})
}

// expire removes the keys of a window of a partition, or the first few of them.
func (m *machine) expire(t *rapid.T) {
	p, start := drawPartition(t), drawStart(t)
	drinks := slices.Sorted(maps.Keys(m.model.counts[p][window.At(start)]))
	few := rapid.IntRange(0, len(drinks)).Draw(t, "drinks")
	var changes []Change
	for _, drink := range drinks[:few] {
		changes = append(changes, gone(start, drink))
	}
	if few == len(drinks) {
		changes = append(changes, numbersGone(start), gone(start, "never there"))
	}
	m.apply(t, p, changes)
}

// forget removes the record of an emitted window, but never of the newest.
func (m *machine) forget(t *rapid.T) {
	starts := slices.Sorted(maps.Keys(m.model.emitted))
	if len(starts) < 2 {
		t.Skip("no window to forget")
	}
	start := rapid.SampledFrom(starts[:len(starts)-1]).Draw(t, "window")
	m.apply(t, 0, []Change{emittedGone(start)})
}

// fall sets a count below what it was: a partition's state was replaced.
func (m *machine) fall(t *rapid.T) {
	p, scope := drawPartition(t), window.AllTime
	if rapid.Bool().Draw(t, "in a window") {
		scope = window.At(drawStart(t))
	}
	drinks := slices.Sorted(maps.Keys(m.model.counts[p][scope]))
	if len(drinks) == 0 {
		t.Skip("no counts")
	}
	drink := rapid.SampledFrom(drinks).Draw(t, "drink")
	n := rapid.Uint64Range(1, m.model.counts[p][scope][drink]).Draw(t, "count")
	m.apply(t, p, []Change{{Kind: CountKind, Scope: scope, Drink: drink, Count: n}})
}

func (m *machine) reopen(t *rapid.T) {
	if err := m.st.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	m.capacity = rapid.SampledFrom([]int{3, 3, 5}).Draw(t, "capacity")
	m.open(t)
	m.model.check(t, m.st)
}

// crash cuts the power: all, some or nothing of what was not synced is on the disk.
func (m *machine) crash(t *rapid.T) {
	clone := m.fs.CrashClone(vfs.CrashCloneCfg{
		UnsyncedDataPercent: rapid.SampledFrom([]int{0, 10, 50, 90, 100}).Draw(t, "unsynced data"),
		RNG:                 rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)),
	})
	m.close(t)
	m.fs = clone
	m.open(t)
	m.replay(t)
}

// TestStateAgainstModel runs any sequence of what can happen to a state. What a checkpoint
// says it has is what it has (KAFKA-16017, KAFKA-20685, goka, littlehorse#1081).
func TestStateAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{fs: vfs.NewCrashableMem(), model: newModel(), capacity: 3}
		m.open(t)
		defer func() { m.close(t) }()
		t.Repeat(map[string]func(*rapid.T){
			"grow": m.grow, "grow more": m.grow, "grow again": m.grow, "final": m.final,
			"expire": m.expire, "forget": m.forget, "fall": m.fall, "reopen": m.reopen, "crash": m.crash,
			"checkpoint": func(t *rapid.T) {
				if err := m.st.Checkpoint(rapid.Bool().Draw(t, "sync")); err != nil {
					t.Fatalf("checkpoint: %v", err)
				}
			},
			"check":       func(t *rapid.T) { m.model.check(t, m.st) },
			"check store": func(t *rapid.T) { m.model.checkStore(t, m.st) },
			"": func(t *rapid.T) {
				m.model.checkRankings(t, m.st)
			},
		})
		m.model.check(t, m.st)
		m.model.checkStore(t, m.st)
	})
}
