package engine

import (
	"math"

	"windowed/internal/fault"
	"windowed/state"
	"windowed/watermark"
	"windowed/window"
)

// Emitter is the part of the step that only the owner of input partition 0 runs: it
// commits the close-through of all partitions and emits snapshots and finals, all from
// committed state.
type Emitter struct {
	cfg         *Config
	fingerprint state.Fingerprint // of cfg

	lastSnapshot int64 // wall clock, ms
	lastChange   uint64
	revised      map[int64]int64 // window start -> wall clock of its last revision
}

// NewEmitter returns an emitter that has emitted nothing in this process.
func NewEmitter(cfg *Config) *Emitter {
	return &Emitter{cfg: cfg, fingerprint: cfg.Fingerprint(), lastSnapshot: math.MinInt64, revised: make(map[int64]int64)}
}

// Emission is what the owner of partition 0 adds to a transaction.
type Emission struct {
	Changes []state.Change
	Outputs []Output
	Due     bool // it is reason enough to begin a transaction

	snapshot bool
	change   uint64
}

// Plan decides what to emit. inputs is the number of input partitions that also exist
// in the changelog, now the wall clock in ms. Nothing is remembered until Committed.
func (e *Emitter) Plan(st *state.State, inputs int32, now int64) (Emission, error) {
	var em Emission
	g, ok := st.Global()
	switch {
	case !ok:
		g = state.Global{CloseThrough: window.None, Partitions: inputs, Fingerprint: e.fingerprint}
		em.Due = true
	case inputs > g.Partitions:
		// A new partition starts at the C of this record, so C stays as it is here.
		g.Partitions = inputs
		em.Due = true
	default:
		if g.Fingerprint != e.fingerprint {
			g.Fingerprint, em.Due = e.fingerprint, true // --reconfigure, checked at the start
		}
		if err := e.close(st, &g, &em, now); err != nil {
			return em, err
		}
		e.date(&em, now)
		if err := e.snapshots(st, &em, now); err != nil {
			return em, err
		}
	}
	if old, ok := st.Global(); !ok || old != g {
		em.Changes = append(em.Changes, state.Change{Kind: state.GlobalKind, Global: &g})
	}
	return em, nil
}

// close raises g's close-through to the minimum over all partitions and adds the finals
// of the windows this closes, a chunk at a time.
func (e *Emitter) close(st *state.State, g *state.Global, em *Emission, now int64) error {
	committed := g.CloseThrough
	through := max(committed, watermark.CloseThrough(st.Times()))
	if through == window.None {
		return nil
	}
	whole, err := e.revise(st, em, committed, through, now)
	if err != nil {
		return err
	}
	if !whole {
		through = committed // else those left over would expire before their turn
	}
	lifecycle := e.cfg.Lifecycle()
	newest, closed := st.NewestClosed(), 0
	for _, start := range st.Unfinished(nil, through, math.MaxInt) {
		end := lifecycle.Size.End(start)
		if end <= committed && !lifecycle.Retained(end, committed) {
			continue // an amendment that came while the window expired
		}
		if closed == e.cfg.windowsAtOnce() {
			if !fault.Planted(fault.ExpireUnfinished) {
				through = max(committed, lifecycle.Size.End(newest))
			}
			break
		}
		if err := e.final(st, em, start, 0); err != nil {
			return err
		}
		newest, closed = max(newest, start), closed+1
	}
	g.CloseThrough = through
	expires := lifecycle.ExpiredThrough(through, newest)
	if expires > lifecycle.ExpiredThrough(committed, st.NewestClosed()) && st.EmittedThrough(expires) {
		em.Due = true
	}
	return e.forget(st, em)
}

// date says in the records of the finals when they were emitted. Replay has no clock.
func (e *Emitter) date(em *Emission, now int64) {
	for i := range em.Changes {
		if c := &em.Changes[i]; c.Kind == state.EmittedKind && !c.Deleted && !e.cfg.NoClock {
			c.Emitted.At = now
		}
	}
}

// final adds the final of a window, and the record that it was emitted.
func (e *Emitter) final(st *state.State, em *Emission, start int64, revision uint32) error {
	w, top, _, err := st.TopOfWindow(start, e.cfg.Top)
	if err != nil {
		return err
	}
	em.Outputs = append(em.Outputs, Output{
		Type: Final, Scope: window.At(start), End: e.cfg.Window.End(start), Revision: revision,
		Records: w.Records, Total: w.Portions, Top: top,
	})
	em.Changes = append(em.Changes, state.Change{
		Kind: state.EmittedKind, Scope: window.At(start), Emitted: &state.Emitted{Revision: revision, Total: w.Portions},
	})
	em.Due = true
	fault.Point(fault.FinalPlanned)
	return nil
}

// revise adds a new final of every retained window that was amended since its last one,
// at most one per window and flush interval, except that a window whose retention ends
// with through has no other chance. whole says that no window had to be left out because
// there are too many for one transaction.
func (e *Emitter) revise(st *state.State, em *Emission, committed, through, now int64) (whole bool, err error) {
	lifecycle := e.cfg.Lifecycle()
	revised := 0
	for _, start := range st.Grown(nil, math.MaxInt) {
		end := lifecycle.Size.End(start)
		if !lifecycle.Retained(end, committed) {
			continue
		}
		last, ok := e.revised[start]
		if ok && !e.flushDue(last, now) && lifecycle.Retained(end, through) {
			continue
		}
		if revised == e.cfg.windowsAtOnce() {
			return false, nil
		}
		f, _, err := st.Emitted(start)
		if err != nil {
			return false, err
		}
		if err := e.final(st, em, start, f.Revision+1); err != nil {
			return false, err
		}
		revised++
	}
	return true, nil
}

// flushDue says whether the flush interval that began at last is over. A clock that went
// back is no reason to be silent until it is where it was.
func (e *Emitter) flushDue(last, now int64) bool {
	return now < last || now-last >= e.cfg.Flush
}

// forget adds the tombstones of emitted windows that every partition has expired.
func (e *Emitter) forget(st *state.State, em *Emission) error {
	gone, err := st.Forgettable(e.cfg.windowsAtOnce())
	if len(gone) > 0 {
		em.Changes = append(em.Changes, gone...)
		em.Due = true
	}
	return err
}

// snapshots adds the top of all time and of the newest open window, if the flush
// interval is over and something was read or closed since.
func (e *Emitter) snapshots(st *state.State, em *Emission, now int64) error {
	if e.cfg.NoClock || e.lastSnapshot != math.MinInt64 && !e.flushDue(e.lastSnapshot, now) {
		return nil
	}
	totals := st.Totals()
	em.change = totals.Records
	if em.change == e.lastChange {
		return nil
	}
	em.snapshot, em.Due = true, true
	top, err := st.Top(window.AllTime, e.cfg.Top)
	if err != nil {
		return err
	}
	em.Outputs = append(em.Outputs, Output{
		Type: Snapshot, Scope: window.AllTime, Records: totals.AllTimeRecords(), Total: totals.Portions, Top: top,
	})
	start, ok := st.NewestOpen()
	if !ok {
		return nil
	}
	w, top, _, err := st.TopOfWindow(start, e.cfg.Top)
	if err != nil {
		return err
	}
	em.Outputs = append(em.Outputs, Output{
		Type: Snapshot, Scope: window.At(start), End: e.cfg.Window.End(start),
		Records: w.Records, Total: w.Portions, Top: top,
	})
	return nil
}

// Committed takes note that the transaction with em was committed at now.
func (e *Emitter) Committed(em *Emission, now int64) {
	if em.snapshot {
		e.lastSnapshot, e.lastChange = now, em.change
	}
	for i := range em.Outputs {
		if o := &em.Outputs[i]; o.Type == Final && o.Revision > 0 {
			e.revised[o.Scope.Start] = now
		}
	}
	for start, at := range e.revised {
		if e.flushDue(at, now) {
			delete(e.revised, start)
		}
	}
}
