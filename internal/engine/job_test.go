package engine

import (
	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/state"
	"windowed/watermark"
	"windowed/window"
)

// job drives the step in the plainest way: one instance owns all partitions, every call
// commits, and everything that is due happens at once. For tests of results; the ways
// to get there are the model's business.
type job struct {
	t       failer
	cfg     Config
	fs      *vfs.MemFS
	st      *state.State
	parts   []*Partition
	emitter *Emitter
	logs    [][][]kv // by partition and transaction
	now     int64    // wall clock, ms
	next    []int64  // input offset of the next record that feed makes
	outputs []Output
	dead    []DeadLetter
}

// failer is what testing.T and rapid.T have in common.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func newJob(t failer, cfg Config, partitions int) *job {
	j := &job{t: t, cfg: cfg, fs: vfs.NewMem(), logs: make([][][]kv, partitions), next: make([]int64, partitions)}
	j.open()
	j.settle()
	return j
}

func (j *job) close() { j.must(j.st.Abandon()) }

func (j *job) must(err error) {
	if err != nil {
		j.t.Helper()
		j.t.Fatal(err)
	}
}

func (j *job) open() {
	st, err := state.Open("state", state.Options{FS: j.fs, Window: j.cfg.Lifecycle(), Logger: quietLog{}})
	j.must(err)
	j.st, j.emitter, j.parts = st, NewEmitter(&j.cfg), nil
	for p := range j.logs {
		part, err := NewPartition(int32(p), &j.cfg)
		j.must(err)
		j.parts = append(j.parts, part)
	}
}

// reopen starts again on the same disk, with what the last checkpoint wrote, and reads
// the rest from the changelogs.
func (j *job) reopen() {
	j.must(j.st.Abandon())
	j.open()
	j.restore()
}

// rebuild starts again on an empty disk.
func (j *job) rebuild() {
	j.must(j.st.Abandon())
	j.fs = vfs.NewMem()
	j.open()
	j.restore()
}

func (j *job) restore() {
	for p, log := range j.logs {
		for at := j.st.Position(int32(p)); int(at) < len(log); at++ {
			changes, err := decode(log[at])
			j.must(err)
			j.must(j.st.Apply(int32(p), changes, at+1))
		}
	}
	j.must(j.st.Sweep())
}

// begin is a batch of partition p on top of what is committed.
func (j *job) begin(p int) *Batch {
	meta, ok := j.st.Meta(int32(p))
	if !ok {
		meta = state.NewMeta(0)
	}
	g, _ := j.st.Global()
	return j.parts[p].Begin(meta, g.CloseThrough, j.st.NewestClosed())
}

// read is a batch of records of partition p, not committed.
func (j *job) read(p int, records ...Record) *Batch {
	b := j.begin(p)
	for i := range records {
		b.Add(&records[i], j.now)
	}
	return b
}

// feed commits a batch of records of partition p.
func (j *job) feed(p int, records ...Record) {
	j.commit(map[int]*Batch{p: j.read(p, records...)}, &Emission{})
	j.settle()
}

// idle finds partition p silent at its end.
func (j *job) idle(p int) {
	b := j.begin(p)
	b.Idle(j.st, j.now)
	j.commit(map[int]*Batch{p: b}, &Emission{})
	j.settle()
}

// finish closes all windows: there is no more input.
func (j *job) finish() {
	newest, ok := j.st.NewestOpen()
	for p := range j.parts {
		b := j.begin(p)
		if ok {
			b.CloseAll(j.cfg.Window.End(newest))
		}
		j.commit(map[int]*Batch{p: b}, &Emission{})
	}
	j.settle()
}

// settle commits until nothing is due.
func (j *job) settle() {
	for range 10_000 {
		em, err := j.emitter.Plan(j.st, int32(len(j.parts)), j.now)
		j.must(err)
		batches, due := map[int]*Batch{}, em.Due
		for p := range j.parts {
			batches[p] = j.begin(p)
			due = batches[p].Expire(j.st) || due
		}
		if !due {
			return
		}
		j.commit(batches, &em)
	}
	j.t.Fatal("there is no end to what is due")
}

// commit commits batches, those that are due, and an emission in one transaction.
func (j *job) commit(batches map[int]*Batch, em *Emission) {
	for p := range j.parts {
		b := batches[p]
		if b == nil || !b.Due() && (p != 0 || len(em.Changes) == 0) {
			continue
		}
		changes, err := b.Seal(j.st)
		j.must(err)
		if p == 0 {
			changes = append(changes, em.Changes...)
		}
		j.logs[p] = append(j.logs[p], encode(changes))
		j.must(j.st.Apply(int32(p), changes, int64(len(j.logs[p]))))
		j.dead = append(j.dead, b.Dead...)
		b.Done()
	}
	j.emitter.Committed(em, j.now)
	for _, o := range em.Outputs {
		if o.Type == Final {
			j.outputs = append(j.outputs, o)
		}
	}
}

// lowest is the minimum of L_p over all partitions.
func (j *job) lowest() int64 { return watermark.CloseThrough(j.st.Times()) }

// finals are the values of all finals, in window order and by revision.
func (j *job) finals() []string {
	byStart := map[int64][]Output{}
	for _, o := range j.outputs {
		byStart[o.Scope.Start] = append(byStart[o.Scope.Start], o)
	}
	var values []string
	for _, start := range sortedKeys(byStart) {
		for i := range byStart[start] {
			o := &byStart[start][i]
			if o.Revision != uint32(i) {
				j.t.Fatalf("final %d of the window of %d has revision %d", i, start, o.Revision)
			}
			value, err := o.Value()
			j.must(err)
			values = append(values, string(o.Key())+" "+string(value))
		}
	}
	return values
}

// allTime is the whole all-time ranking.
func (j *job) allTime() []state.Entry {
	top, err := j.st.Top(window.AllTime, 1<<20)
	j.must(err)
	return top
}
