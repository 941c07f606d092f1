package engine

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"windowed/internal/event"
	"windowed/state"
	"windowed/window"
)

// wrongFinal is what all of this is about: a window with a missing, second or wrong
// final.
type wrongFinal struct {
	start int64
	took  everWindow
	got   []Output
}

func (e *wrongFinal) Error() string {
	return fmt.Sprintf("window of %d took %+v, finals %+v", e.start, e.took, e.got)
}

// checkFinals compares the finals of the whole run with what the windows took.
func (w *world) checkFinals() error {
	for start, took := range w.ever {
		got := w.finals[start]
		if start+int64(w.cfg.Window) > w.global.CloseThrough && w.cfg.IdleTimeout == 0 {
			// Without idleness the last window of a partition waits for more.
			if len(got) > 0 {
				return &wrongFinal{start, *took, got}
			}
			continue
		}
		if took.accepted == 0 {
			w.seen["opened by an amendment"]++
			continue // opened by amendments; checkPlan follows those
		}
		if len(got) == 0 || len(got) > 1 && w.cfg.Late != AmendLate {
			return &wrongFinal{start, *took, got}
		}
		for i := range got {
			if got[i].Revision != uint32(i) {
				return &wrongFinal{start, *took, got}
			}
		}
		last := got[len(got)-1]
		top := ranked(took.drinks)
		top = top[:min(len(top), w.cfg.Top)]
		right := last.Total == took.portions && last.Records == took.records && reflect.DeepEqual(last.Top, top)
		if w.cfg.Late == AmendLate && !w.retained(start, w.global.CloseThrough) {
			right = last.Total <= took.portions // checkPlan has seen the rest
			if last.Total < took.portions {
				w.seen["amended too late for a revision"]++
			}
		}
		if !right {
			return &wrongFinal{start, *took, got}
		}
	}
	for start, got := range w.finals {
		if w.ever[start] == nil {
			return &wrongFinal{start: start, got: got}
		}
	}
	return nil
}

// verify is what must hold at the end of a run.
func (w *world) verify() error {
	if err := w.checkFinals(); err != nil || w.variant != asDesigned {
		return err
	}
	var k state.Counters
	var sum uint64
	for p, in := range w.inputs {
		if in.truth.meta.Next != in.end() {
			return fmt.Errorf("partition %d was read to %d of %d", p, in.truth.meta.Next, in.end())
		}
		k = addCounters(k, in.truth.meta.Counters)
	}
	for _, took := range w.ever {
		sum += took.portions
	}
	w.seen["late"] += int(k.Late)
	w.seen["late by idleness"] += int(k.LateIdle)
	w.seen["amended"] += int(k.Amended)
	w.seen["future"] += int(k.Invalid[event.Future])
	w.seen["invalid"] += int(k.InvalidRecords())
	if sum+k.LatePortions != k.Portions {
		return fmt.Errorf("windows %d + late %d portions, all-time %d", sum, k.LatePortions, k.Portions)
	}
	if err := w.checkLogs(); err != nil {
		return err
	}
	low := int64(math.MaxInt64)
	for p := range w.global.Partitions {
		low = min(low, w.inputs[p].truth.meta.Time.CloseThrough)
	}
	for start := range w.emitted {
		if end := start + int64(w.cfg.Window); low != math.MinInt64 && end+w.cfg.Retention <= low && start < w.newestFinal() {
			return fmt.Errorf("C stays at %d, but all partitions are at %d, and the window of %d could expire", w.global.CloseThrough, low, start)
		}
	}
	for _, in := range w.instances {
		if err := w.checkInstance(in, k); err != nil {
			return fmt.Errorf("instance %d: %w", in.id, err)
		}
	}
	return nil
}

// checkLogs looks for keys of expired windows in what compaction leaves of the logs.
func (w *world) checkLogs() error {
	expirable := w.expirable()
	for p, in := range w.inputs {
		sh := newShadow()
		time := newTruth(0).meta.Time
		for _, records := range in.log {
			changes, err := decode(records)
			if err != nil {
				return err
			}
			sh.apply(int32(p), changes)
			now := sh.metas[int32(p)].Time
			if now.Watermark < time.Watermark || now.CloseThrough < time.CloseThrough {
				return fmt.Errorf("partition %d: time goes from %+v to %+v", p, time, now)
			}
			time = now
		}
		for start := range sh.windows() {
			if start+int64(w.cfg.Window) <= expirable {
				return fmt.Errorf("changelog %d still has numbers of the expired window of %d", p, start)
			}
		}
		for k := range sh.counts {
			if !k.scope.AllTime && k.scope.Start+int64(w.cfg.Window) <= expirable {
				return fmt.Errorf("changelog %d still has %q of the expired window of %d", p, k.drink, k.scope.Start)
			}
		}
		for start := range sh.emitted {
			if start+int64(w.cfg.Window) <= expirable {
				for q, i := range w.inputs {
					fmt.Println("DBG", q, i.truth.meta.ExpiredThrough, i.owner)
				}
				fmt.Printf("DBG %+v %d  %+v\n", w.global, expirable, w.cfg)
				return fmt.Errorf("the changelog still has the final of the expired window of %d", start)
			}
		}
	}
	return nil
}

// checkInstance compares an instance with the truth, and then its store key by key.
func (w *world) checkInstance(in *instance, want state.Counters) error {
	if err := in.shadow.compare(&w.cfg, in.st); err != nil {
		return err
	}
	if got := in.st.Totals(); got != want {
		return fmt.Errorf("totals are %+v, want %+v", got, want)
	}
	sums := map[string]uint64{}
	for _, input := range w.inputs {
		for drink, n := range input.truth.counts[window.AllTime] {
			sums[drink] += n
		}
	}
	if got, err := in.st.Top(window.AllTime, math.MaxInt32); err != nil || !slices.Equal(got, ranked(sums)) {
		return fmt.Errorf("all-time is %v (%v), want %v", got, err, ranked(sums))
	}
	if err := in.st.Close(); err != nil {
		return err
	}
	in.st = nil
	return w.checkStore(in)
}
