package kafka_test

import (
	"testing"
	"time"

	"windowed/internal/engine"
)

// running waits until all that the run owns is read, and returns how long that took.
func (r *run) running() time.Duration {
	r.h.t.Helper()
	begin := time.Now()
	for r.h.status.Now().Phase != engine.Running {
		if time.Since(begin) > time.Minute {
			r.h.t.Fatalf("%s after a minute", r.h.status.Now().Phase)
		}
		time.Sleep(time.Millisecond)
	}
	return time.Since(begin)
}

// What a start waits for does not wait for a transaction to be due. It waited for three of
// them: 9.3 s where one is due every three seconds, and 6 s on a kept state directory.
func TestVirtualStartIsPrompt(t *testing.T) {
	virtual(t, 2, func(h *harness) {
		h.interval = 10 * time.Second
		const prompt = time.Second
		h.produce(0, one("latte", time.Now()))
		h.produce(1, one("mocha", time.Now()))
		r := h.start()
		if took := r.running(); took > prompt {
			t.Errorf("the first start took %v", took)
		}
		begin := time.Now()
		r.counted(2)
		if took := time.Since(begin); took > h.interval+prompt {
			t.Errorf("the first orders are counted %v later, one interval is %v", took, h.interval)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		h.status = new(engine.Status)
		r = h.start()
		if took := r.running(); took > prompt {
			t.Errorf("a start on a kept directory took %v", took)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// A member that joins waits neither for its own transactions nor for those of the others.
func TestJoinIsPrompt(t *testing.T) {
	live(t, 2, func(h *harness) {
		h.interval = 30 * time.Second
		h.produce(0, one("latte", time.Now()))
		h.produce(1, one("mocha", time.Now()))
		a := h.instance("a")
		a.running()
		begin := time.Now()
		b := h.instance("b")
		for len(b.h.status.Now().Owned) != 1 || len(a.h.status.Now().Owned) != 1 {
			if time.Since(begin) > time.Minute {
				t.Fatalf("a owns %v, b %v", a.h.status.Now().Owned, b.h.status.Now().Owned)
			}
			time.Sleep(10 * time.Millisecond)
		}
		b.running()
		if took := time.Since(begin); took > h.interval/2 {
			t.Errorf("it took %v, where a transaction is due every %v", took, h.interval)
		}
		for _, i := range []*instance{a, b} {
			if err := i.stop(); err != nil {
				t.Error(err)
			}
		}
	})
}
