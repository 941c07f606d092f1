package engine

import (
	"bytes"
	"fmt"
	"math"
	"reflect"

	"windowed/state"
	"windowed/window"
)

// checkPlan compares an emission with what the emitter's instance has read, before
// anything is committed.
func (w *world) checkPlan(in *instance, em *Emission) error {
	sh := in.shadow
	old, c := sh.closeThrough(), sh.closeThrough()
	finals, records := map[int64]*Output{}, map[int64]state.Emitted{}
	for i := range em.Changes {
		switch ch := &em.Changes[i]; ch.Kind {
		case state.GlobalKind:
			c = ch.Global.CloseThrough
		case state.EmittedKind:
			if !ch.Deleted {
				records[ch.Scope.Start] = *ch.Emitted
			}
		}
	}
	if low := sh.lowest(sh.partitions()); c < old || c > max(old, low) {
		return fmt.Errorf("emitter: C goes from %d to %d, the lowest partition is at %d", old, c, low)
	}
	for i := range em.Outputs {
		o := &em.Outputs[i]
		if err := w.checkOutput(sh, o, old, c); err != nil {
			return err
		}
		if o.Type == Final {
			if finals[o.Scope.Start] != nil {
				return fmt.Errorf("two finals of %v in one transaction", o.Scope)
			}
			if f := records[o.Scope.Start]; f.Revision != o.Revision || f.Total != o.Total {
				return fmt.Errorf("final %+v, but the record says %+v", o, records[o.Scope.Start])
			}
			finals[o.Scope.Start] = o
		}
	}
	if len(records) != len(finals) || len(em.Outputs) > 0 && !em.Due {
		return fmt.Errorf("%d finals, %d records of them, due %v", len(finals), len(records), em.Due)
	}
	return w.checkComplete(sh, finals, old, c)
}

// retained says whether an amendment of a window still leads to a revision under c.
func (w *world) retained(start, c int64) bool {
	return c == math.MinInt64 || start+int64(w.cfg.Window)+w.cfg.Retention > c
}

// checkOutput compares an output with brute force over what was read.
func (w *world) checkOutput(sh *shadow, o *Output, old, c int64) error {
	n := sh.windows()[o.Scope.Start]
	if o.Scope.AllTime {
		var k state.Counters
		for _, m := range sh.metas {
			k = addCounters(k, m.Counters)
		}
		n = window.Numbers{Records: k.Counted + k.Late + k.Amended, Portions: k.Portions}
	}
	top := sh.top(o.Scope)
	top = top[:min(len(top), w.cfg.Top)]
	if o.Records != n.Records || o.Total != n.Portions || !reflect.DeepEqual(o.Top, top) {
		return fmt.Errorf("output %+v, want %+v, top %v", o, n, top)
	}
	f, emitted := sh.emitted[o.Scope.Start]
	switch {
	case o.Type == Snapshot:
		return nil
	case o.End != o.Scope.Start+int64(w.cfg.Window) || o.End > c:
		return fmt.Errorf("final %+v before its C, %d", o, c)
	case !w.retained(o.Scope.Start, old) && o.End <= old:
		return fmt.Errorf("final %+v after its retention, C was %d", o, old)
	case emitted && (w.cfg.Late != AmendLate || o.Revision != f.Revision+1 || o.Total <= f.Total):
		return fmt.Errorf("final %+v after %+v", o, f)
	case !emitted && o.Revision != 0:
		return fmt.Errorf("first final %+v", o)
	}
	return nil
}

// checkComplete looks for what the emission should have had.
func (w *world) checkComplete(sh *shadow, finals map[int64]*Output, old, c int64) error {
	for start, n := range sh.windows() {
		f, emitted := sh.emitted[start]
		end := start + int64(w.cfg.Window)
		if finals[start] != nil || n.Records == 0 || end > c || end <= old && !w.retained(start, old) {
			continue
		}
		if !emitted && end > old {
			return fmt.Errorf("C goes to %d, and the window of %d has no final", c, start)
		}
		if n.Portions > f.Total && w.retained(start, c) {
			w.seen["revision held back"]++
		}
		if n.Portions > f.Total && !w.retained(start, c) {
			return fmt.Errorf("C goes to %d, and the last final of %d says %d of %d portions for ever", c, start, f.Total, n.Portions)
		}
	}
	return nil
}

// emit notes what the emitter committed.
func (w *world) emit(t *txn) error {
	for i := range t.changes[0] {
		ch := &t.changes[0][i]
		switch ch.Kind {
		case state.GlobalKind:
			if err := w.commitGlobal(ch.Global); err != nil {
				return err
			}
		case state.EmittedKind:
			if !ch.Deleted {
				w.emitted[ch.Scope.Start] = *ch.Emitted
				continue
			}
			if err := w.forget(ch.Scope.Start); err != nil {
				return err
			}
		}
	}
	for _, o := range t.em.Outputs {
		w.seen[o.Type.String()]++
		if o.Revision > 0 {
			w.seen["revision"]++
		}
		if o.Type == Final {
			w.finals[o.Scope.Start] = append(w.finals[o.Scope.Start], o)
		}
	}
	return nil
}

func (w *world) commitGlobal(g *state.Global) error {
	if w.variant == asDesigned {
		if g.CloseThrough < w.global.CloseThrough || g.Partitions < w.global.Partitions || int(g.Partitions) > len(w.inputs) {
			return fmt.Errorf("global record goes from %+v to %+v", w.global, *g)
		}
		for p := range w.global.Partitions {
			if l := w.inputs[p].truth.meta.Time.CloseThrough; g.CloseThrough > max(l, w.global.CloseThrough) {
				return fmt.Errorf("C is %d, and partition %d is closed through %d only", g.CloseThrough, p, l)
			}
		}
		if g.Partitions > w.global.Partitions && g.CloseThrough != w.global.CloseThrough {
			return fmt.Errorf("C moves with P: from %+v to %+v", w.global, *g)
		}
	}
	w.global = *g
	return nil
}

func (w *world) forget(start int64) error {
	for p := range w.global.Partitions {
		if m := &w.inputs[p].truth.meta; w.variant == asDesigned && m.ExpiredThrough < start+int64(w.cfg.Window) {
			return fmt.Errorf("the record of the final of %d goes, but partition %d has expired through %d only", start, p, m.ExpiredThrough)
		}
	}
	w.seen["final forgotten"]++
	delete(w.emitted, start)
	return nil
}

// checkLetters compares dead letters with the records they are of.
func (in *input) checkLetters(p int32, dead []DeadLetter) error {
	for i := range dead {
		d, r := &dead[i], &in.samples[dead[i].Offset-in.start].rec
		if d.Partition != p || d.Timestamp != r.Timestamp || !bytes.Equal(d.Key, r.Key) || !bytes.Equal(d.Value, r.Value) || d.Detail == "" {
			return fmt.Errorf("dead letter %+v of record %+v", d, r)
		}
	}
	return nil
}
