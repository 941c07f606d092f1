package engine

import (
	"slices"
	"testing"
	"time"

	"windowed/state"
	"windowed/watermark"
)

// holds is a Transport that only takes note of Hold.
type holds struct {
	Transport
	held []int32
}

func (h *holds) Hold(partitions []int32, held bool) {
	for _, p := range partitions {
		h.held = slices.DeleteFunc(h.held, func(q int32) bool { return q == p })
		if held {
			h.held = append(h.held, p)
		}
	}
	slices.Sort(h.held)
}

func TestSkewHoldsThePartitionsAhead(t *testing.T) {
	now := time.Now()
	transport := new(holds)
	l := NewLoop(LoopOptions{Config: Config{Window: 1000, MaxSkew: 100}, Transport: transport, Status: new(Status)})
	part := func(id int32, w int64, heard time.Time) *activePartition {
		p := &activePartition{Partition: &Partition{ID: id}, resumed: true, heard: heard}
		p.meta = state.Meta{Time: watermark.Partition{Watermark: w}}
		l.parts[id] = p
		return p
	}
	slow, near, far := part(0, 1000, now), part(1, 1100, now), part(2, 1101, now)
	steps := []struct {
		name string
		do   func()
		want []int32
	}{
		{"only what is more than 100 ms ahead is held", func() {}, []int32{2}},
		{"the slow one catches up a little", func() { slow.meta.Time.Watermark = 1001 }, nil},
		{"the others run ahead", func() { near.meta.Time.Watermark, far.meta.Time.Watermark = 1500, 1900 }, []int32{1, 2}},
		{"the slow one has nothing more to read: nobody waits for it", func() { slow.heard = now.Add(-2 * skewPatience) }, nil},
		{"so the next slowest decides", func() {}, []int32{2}},
		{"a partition without a watermark yet holds nobody", func() { slow.heard, slow.meta.Time.Watermark = now, watermark.None }, nil},
	}
	for _, s := range steps {
		s.do()
		l.level(now)
		if !slices.Equal(transport.held, s.want) {
			t.Errorf("%s: held %v, want %v", s.name, transport.held, s.want)
		}
	}
}
