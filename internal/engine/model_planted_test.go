package engine

import (
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"windowed/state"
	"windowed/watermark"
)

// TestTemptingRules shows that the model can tell: three rules that look as good as the
// design's give wrong, second or missing finals; the design planted by the same means
// gives none.
func TestTemptingRules(t *testing.T) {
	for variant, seeds := range map[string]int{activeMinimum: 500, localExpiry: 500, localCount: 500, planted: 60} {
		t.Run(variant, func(t *testing.T) {
			var wrong atomic.Int32
			eachSeed(seeds, func(seed uint64) bool {
				_, err := safely(seed, variant)
				if final := new(wrongFinal); errors.As(err, &final) {
					wrong.Add(1)
					return variant != planted
				} else if err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				return false
			})
			n := wrong.Load()
			t.Logf("%d wrong seeds", n)
			if (variant == planted) != (n == 0) {
				t.Errorf("%d of %d seeds have a wrong final", n, seeds)
			}
		})
	}
}

// replaces says whether the variant has its own emitter and idle rule.
func (w *world) replaces() bool {
	return w.variant == activeMinimum || w.variant == localCount || w.variant == planted
}

// plantedPlan closes by another minimum than the design's.
func (w *world) plantedPlan(in *instance) (em Emission, err error) {
	g, ok := in.st.Global()
	if !ok || w.variant != localCount && in.known > g.Partitions {
		return in.emitter.Plan(in.st, in.known, w.now)
	}
	var all, active []watermark.Partition
	for p := range w.participates(in) {
		m, ok := in.st.Meta(p)
		if !ok {
			m = state.NewMeta(0)
		}
		all = append(all, m.Time)
		if !m.Time.Idle {
			active = append(active, m.Time)
		}
	}
	c := watermark.CloseThrough(all)
	if w.variant == activeMinimum && len(active) > 0 {
		c = watermark.CloseThrough(active)
	}
	if c <= g.CloseThrough {
		return em, nil
	}
	g.CloseThrough = c
	for _, start := range in.st.Unfinished(nil, c, math.MaxInt) {
		if err := in.emitter.final(in.st, &em, start, 0); err != nil {
			return em, err
		}
	}
	em.Due = true
	em.Changes = append(em.Changes, state.Change{Kind: state.GlobalKind, Global: &g})
	return em, nil
}
