package kafka

import (
	"context"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
)

// ownership follows the group's assignments. Partitions are paused as they come: they
// are read only once their state is known to be complete.
type ownership struct {
	topic string

	mu         sync.Mutex
	generation uint64
	owned      map[int32]uint64 // partition -> generation that brought it
	revoked    bool             // a revoke or loss since the last reset
	// assigned is the member's whole last assignment (classic protocol). A transact
	// session swallows every revoke after the first in one transaction, so callbacks
	// alone would miss partitions that are gone.
	assigned map[int32]bool
}

func newOwnership(topic string) *ownership {
	return &ownership{topic: topic, owned: make(map[int32]uint64)}
}

func (o *ownership) options(serverBalancer bool) []kgo.Opt {
	opts := []kgo.Opt{
		kgo.OnPartitionsAssigned(o.onAssigned),
		kgo.OnPartitionsRevoked(o.onRevoked),
		kgo.OnPartitionsLost(o.onRevoked),
	}
	if serverBalancer {
		return append(opts, kgo.ServerSideBalancer(), kgo.Balancers(kgo.StickyBalancer()))
	}
	return append(opts, kgo.Balancers(&spyBalancer{GroupBalancer: kgo.CooperativeStickyBalancer(), spy: o.onSync}))
}

func (o *ownership) onAssigned(_ context.Context, cl *kgo.Client, added map[string][]int32) {
	if len(added[o.topic]) > 0 {
		cl.PauseFetchPartitions(map[string][]int32{o.topic: added[o.topic]})
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.generation++
	for _, p := range added[o.topic] {
		o.owned[p] = o.generation
	}
}

func (o *ownership) onRevoked(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
	if len(gone[o.topic]) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.generation++
	o.revoked = true
	for _, p := range gone[o.topic] {
		delete(o.owned, p)
	}
}

func (o *ownership) onSync(assignment map[string][]int32) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.assigned = make(map[int32]bool)
	for _, p := range assignment[o.topic] {
		o.assigned[p] = true
	}
	o.generation++
}

func (o *ownership) get() engine.Ownership {
	o.mu.Lock()
	defer o.mu.Unlock()
	have := engine.Ownership{Generation: o.generation, Partitions: make(map[int32]uint64, len(o.owned))}
	for p, since := range o.owned {
		if o.assigned == nil || o.assigned[p] {
			have.Partitions[p] = since
		}
	}
	return have
}

// takeRevoked says whether partitions went since it was last called.
func (o *ownership) takeRevoked() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	was := o.revoked
	o.revoked = false
	return was
}

// spyBalancer tells of every assignment the member gets.
type spyBalancer struct {
	kgo.GroupBalancer
	spy func(map[string][]int32)
}

func (b *spyBalancer) ParseSyncAssignment(assignment []byte) (map[string][]int32, error) {
	all, err := b.GroupBalancer.ParseSyncAssignment(assignment)
	if err == nil {
		b.spy(all)
	}
	return all, err
}
