package engine

import (
	"errors"
	"fmt"
	"math"

	"windowed/state"
	"windowed/watermark"
	"windowed/window"
)

// flight is the batch of p that in fills, on top of a sealed one if there is one.
func (w *world) flight(in *instance, p int32) (*flight, error) {
	if f := in.filling[p]; f != nil {
		return f, nil
	}
	part, err := w.step(in, p)
	if err != nil {
		return nil, err
	}
	meta, ok := in.st.Meta(p)
	if !ok {
		meta = state.NewMeta(w.inputs[p].start)
		if w.variant != localCount {
			// A new partition begins at the C that is committed.
			meta.Time.CloseThrough = in.shadow.closeThrough()
		}
	}
	if in.begun != nil && in.begun.flights[p] != nil {
		meta = in.begun.flights[p].b.Meta
	}
	f := &flight{}
	f.c, f.newest = w.closedFor(in)
	if w.variant == activeMinimum {
		// The variant at its best: what is closed by its C is late.
		meta.Time.CloseThrough = max(meta.Time.CloseThrough, f.c)
	}
	f.base = meta.Time
	f.b = part.Begin(meta, f.c, f.newest)
	in.filling[p] = f
	return f, nil
}

// closedFor is what a batch of in goes by: C and the newest closed window.
func (w *world) closedFor(in *instance) (c, newest int64) {
	if w.variant == localExpiry {
		c = watermark.CloseThrough(in.st.Times())
		if c == math.MinInt64 {
			return c, c
		}
		return c, w.cfg.Window.Start(c - int64(w.cfg.Window))
	}
	return in.shadow.closeThrough(), in.shadow.newestClosed()
}

// poll adds up to n records to the filling batch of p.
func (w *world) poll(in *instance, p int32, n int) error {
	if p >= w.participates(in) {
		return nil
	}
	f, err := w.flight(in, p)
	if err != nil {
		return err
	}
	input := w.inputs[p]
	if next := f.b.Meta.Next; next > input.start && w.r.IntN(10) == 0 {
		// Fetched once more after a rewind: it must not count.
		skipped := f.b.Skipped
		f.b.Add(&input.samples[next-1-input.start].rec, w.now)
		if f.b.Skipped != skipped+1 || f.b.Meta.Next != next {
			return fmt.Errorf("record %d of %d was not skipped", next-1, p)
		}
	}
	if in.begun != nil && in.begun.flights[p] != nil {
		w.seen["prefetch"]++
	}
	for range n {
		i := f.b.Meta.Next - input.start
		if i == int64(len(input.samples)) {
			break
		}
		f.b.Add(&input.samples[i].rec, w.now)
		f.intakes = append(f.intakes, intake{s: input.samples[i], now: w.now})
	}
	return nil
}

// idle flags p, if it was silent for long enough.
func (w *world) idle(in *instance, p int32) error {
	input := w.inputs[p]
	if w.cfg.IdleTimeout == 0 || p >= w.participates(in) || w.now-input.heard < w.cfg.IdleTimeout {
		return nil
	}
	f, err := w.flight(in, p)
	if err != nil || f.b.Read > 0 || f.b.Meta.Next < input.end() {
		return err
	}
	before := f.b.Meta.Time
	raised := in.shadow.raise(&w.cfg, p, w.participates(in), w.now)
	if w.variant == activeMinimum && !in.shadow.allIdle(p, w.participates(in)) {
		raised = before.CloseThrough // an idle partition is left out, not raised
	}
	if w.replaces() {
		f.b.changed = f.b.changed || !before.Idle || raised > before.CloseThrough
		f.b.Meta.Time.Idle, f.b.Meta.Time.CloseThrough = true, max(before.CloseThrough, raised)
		return nil
	}
	f.b.Idle(in.st, w.now)
	if want := max(before.CloseThrough, raised); f.b.Meta.Time.CloseThrough != want || !f.b.Meta.Time.Idle {
		return fmt.Errorf("idle partition %d is at %+v, want %d", p, f.b.Meta.Time, want)
	}
	if f.b.Meta.Time != before && !f.b.Due() {
		return fmt.Errorf("idle partition %d changed from %+v to %+v, and is not due", p, before, f.b.Meta.Time)
	}
	if raised > before.CloseThrough {
		w.seen["raise"]++
	}
	f.intakes = append(f.intakes, intake{raised: raised})
	return nil
}

// begin seals what is due on in into a transaction; percent of the batches are looked
// at.
func (w *world) begin(in *instance, percent int) error {
	if in.begun != nil {
		return nil
	}
	t := &txn{flights: map[int32]*flight{}, changes: map[int32][]state.Change{}, at: w.now}
	if w.owns(in, 0) {
		var err error
		if t.em, err = w.plan(in); err != nil {
			return err
		}
	}
	for _, p := range w.owned(in) {
		emits := p == 0 && t.em.Due
		if !emits && (p >= w.participates(in) || w.r.IntN(100) >= percent) {
			continue
		}
		if err := w.seal(in, t, p, emits); err != nil {
			return err
		}
	}
	if len(t.flights) > 0 {
		in.begun = t
	}
	return nil
}

func (w *world) seal(in *instance, t *txn, p int32, emits bool) error {
	f, err := w.flight(in, p)
	if err != nil {
		return err
	}
	if f.b.Read == 0 {
		f.c, f.newest = w.closedFor(in)
	}
	c, newest := w.closedFor(in)
	f.b.Rebase(c, newest)
	f.b.Expire(in.st)
	if !f.b.Due() && !emits {
		return nil
	}
	changes, err := f.b.Seal(in.st)
	if err != nil {
		return err
	}
	if p == 0 {
		// The meta stays the last.
		meta := changes[len(changes)-1]
		changes = append(append(changes[:len(changes)-1], t.em.Changes...), meta)
	}
	t.flights[p], t.changes[p] = f, changes
	delete(in.filling, p)
	return nil
}

// plan is what the emitter adds, checked against what the instance has read.
func (w *world) plan(in *instance) (Emission, error) {
	if w.replaces() {
		return w.plantedPlan(in)
	}
	em, err := in.emitter.Plan(in.st, in.known, w.now)
	if err != nil || w.variant != asDesigned {
		return em, err
	}
	return em, w.checkPlan(in, &em)
}

// end lets the begun transaction of in commit, abort, or fail without an answer.
func (w *world) end(in *instance) error {
	switch k := w.r.IntN(100); {
	case in.begun == nil:
		return nil
	case k < 80:
		return w.commit(in)
	case k < 90:
		w.seen["abort"]++
		in.drop()
		return nil
	}
	w.seen["unknown outcome"]++
	// The session is dropped and restored: whatever was committed comes from the logs.
	if w.r.IntN(2) == 0 {
		if err := w.append(in.begun); err != nil {
			return err
		}
	}
	in.drop()
	in.emitter = NewEmitter(&w.cfg)
	return w.catchUp(in)
}

// commit commits the begun transaction, and applies it to the state of its owner.
func (w *world) commit(in *instance) error {
	t := in.begun
	if t == nil {
		return nil
	}
	if err := w.append(t); err != nil {
		return err
	}
	for p := range int32(len(w.inputs)) {
		f := t.flights[p]
		if f == nil {
			continue
		}
		in.read[p]++
		if in.read[p] != len(w.inputs[p].log) {
			return errors.New("model: an owner lags behind its own changelog")
		}
		if err := in.st.Apply(p, t.changes[p], int64(in.read[p])); err != nil {
			return err
		}
		in.shadow.apply(p, t.changes[p])
		f.b.Done()
	}
	in.begun = nil
	in.emitter.Committed(&t.em, t.at)
	return nil
}

// append puts a transaction into the changelogs, and compares it with the truth.
func (w *world) append(t *txn) error {
	for p := range int32(len(w.inputs)) {
		f := t.flights[p]
		if f == nil {
			continue
		}
		input := w.inputs[p]
		expirable := w.expirable()
		input.log = append(input.log, encode(t.changes[p]))
		if w.variant != asDesigned {
			// What a variant takes for late is its own affair; its finals count.
			input.truth.meta.Time = f.base
			input.truth.take(&w.cfg, f.intakes, f.c, w.ever)
			continue
		}
		if meta := &input.truth.meta; len(input.log) == 1 {
			meta.Time.CloseThrough = w.global.CloseThrough
		}
		want := input.truth.take(&w.cfg, f.intakes, f.c, w.ever)
		if err := input.truth.check(&w.cfg, t.changes[p], f.b.Dead, want, expirable); err != nil {
			return fmt.Errorf("partition %d: %w", p, err)
		}
		if err := input.checkLetters(p, f.b.Dead); err != nil {
			return err
		}
	}
	if t.flights[0] == nil {
		return nil
	}
	return w.emit(t)
}

// expirable is up to which end the windows may expire by what is committed.
func (w *world) expirable() int64 {
	newest := w.newestFinal()
	if newest == math.MinInt64 {
		return newest
	}
	return min(w.global.CloseThrough-w.cfg.Retention, window.Size(w.cfg.Window).End(newest)-1)
}

func (w *world) newestFinal() int64 {
	newest := int64(math.MinInt64)
	for start := range w.emitted {
		newest = max(newest, start)
	}
	return newest
}
