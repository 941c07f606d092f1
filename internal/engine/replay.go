package engine

import (
	"maps"
	"slices"

	"windowed/internal/event"
	"windowed/state"
	"windowed/window"
)

// replayBatch is how many records a replay reads between two commits to its state. The
// finals do not depend on it.
const replayBatch = 16 << 10

// Replay drives the step over records that are all there, as one input partition: no
// broker, no clock. Not safe for concurrent use.
type Replay struct {
	cfg     Config
	st      *state.State
	part    *Partition
	batch   *Batch
	emitter *Emitter
	emit    func(*Output) error

	next int64            // offset of the next record
	turn int64            // commits so far; stands for the changelog position and the time
	held map[int64]Output // finals that may still be amended, by window start

	Clocks Clocks // of the orders counted so far
	// Examples are the first record that was refused for each reason, and why.
	Examples map[event.Reason]Example
}

// Example is a record that was refused.
type Example struct {
	Record int64 // 1 is the first of the input
	Detail string
}

// NewReplay replays into st, which must be empty. emit gets the last final of every
// window that accepted a record, in window order.
func NewReplay(cfg Config, st *state.State, emit func(*Output) error) (*Replay, error) {
	cfg.NoClock = true
	r := &Replay{cfg: cfg, st: st, emit: emit, held: make(map[int64]Output), Examples: make(map[event.Reason]Example)}
	part, err := NewPartition(0, &r.cfg)
	if err != nil {
		return nil, err
	}
	r.part, r.emitter = part, NewEmitter(&r.cfg)
	r.batch = part.Begin(state.NewMeta(0), window.None, window.None)
	return r, r.settle()
}

// noTimestamp is the timestamp of a replayed record, which has none of its own: an order
// without a time is refused as no_timestamp.
const noTimestamp = -1

// add counts a record that was decoded. Its dead letter is for nobody.
func (r *Replay) add(d *decoded, items []portion) error {
	r.batch.addDecoded(&Record{Record: event.Record{Timestamp: noTimestamp}, Offset: r.next}, d, items)
	r.batch.Dead = r.batch.Dead[:0]
	r.example(d, r.next)
	r.next++
	return r.settleFull()
}

// example keeps the first refused record of every reason.
func (r *Replay) example(d *decoded, offset int64) {
	if d.refused == nil {
		return
	}
	if _, ok := r.Examples[d.refused.Reason]; !ok {
		r.Examples[d.refused.Reason] = Example{Record: offset + 1, Detail: d.refused.Error()}
	}
}

// settleFull settles when the batch is full.
func (r *Replay) settleFull() error {
	if r.batch.Read < replayBatch {
		return nil
	}
	return r.settle()
}

// Finish closes all windows: there is no more input. The totals are in the state.
func (r *Replay) Finish() error {
	if err := r.settle(); err != nil {
		return err
	}
	if start, ok := r.st.NewestOpen(); ok {
		r.batch.CloseAll(r.cfg.Window.End(start))
		if err := r.settle(); err != nil {
			return err
		}
	}
	return r.release(func(int64) bool { return true })
}

// settle commits the batch, and then closes and expires windows until nothing is due.
func (r *Replay) settle() error {
	for {
		em, err := r.emitter.Plan(r.st, 1, r.now())
		if err != nil {
			return err
		}
		r.batch.Expire(r.st)
		if !r.batch.Due() && !em.Due {
			return nil
		}
		if err := r.commit(&em); err != nil {
			return err
		}
	}
}

func (r *Replay) now() int64 { return r.turn * max(r.cfg.Flush, 1) }

func (r *Replay) commit(em *Emission) error {
	changes, err := r.batch.Seal(r.st)
	if err != nil {
		return err
	}
	r.turn++
	if err := r.st.Apply(0, append(changes, em.Changes...), r.turn); err != nil {
		return err
	}
	r.emitter.Committed(em, r.now())
	meta := r.batch.Meta
	r.Clocks.plus(r.batch.Clocks)
	r.batch.Done()
	g, _ := r.st.Global()
	r.batch = r.part.Begin(meta, g.CloseThrough, r.st.NewestClosed())
	if r.st.Dirty() >= checkpointKeys {
		if err := r.st.Checkpoint(false); err != nil {
			return err
		}
	}
	for i := range em.Outputs {
		if err := r.output(&em.Outputs[i]); err != nil {
			return err
		}
	}
	lifecycle := r.cfg.Lifecycle()
	return r.release(func(start int64) bool {
		return !lifecycle.Retained(lifecycle.Size.End(start), g.CloseThrough)
	})
}

// output passes a final on at once, or holds it while it may still be amended.
func (r *Replay) output(o *Output) error {
	if r.cfg.Late == AmendLate {
		r.held[o.Scope.Start] = *o
		return nil
	}
	return r.emit(o)
}

func (r *Replay) release(due func(start int64) bool) error {
	if len(r.held) == 0 {
		return nil
	}
	for _, start := range slices.Sorted(maps.Keys(r.held)) {
		if !due(start) {
			return nil
		}
		o := r.held[start]
		if err := r.emit(&o); err != nil {
			return err
		}
		delete(r.held, start)
	}
	return nil
}
