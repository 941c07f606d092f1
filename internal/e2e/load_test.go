//go:build unix

package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// load sends random orders at a steady rate, whether the broker is there or not, and
// again what it was not told to be written. What is written twice stays twice: the
// expected counts come from the input topic.
type load struct {
	t          *testing.T
	seed       func() string // the broker's address
	topic      string
	partitions int32
	rate       int // orders a second
	rnd        *rand.Rand
	values     [][]byte // the bad ones, in a fixed order
	base       time.Time
	began      time.Time

	mu     sync.Mutex
	again  []*kgo.Record // failed
	acked  int
	at     string // the broker it sends to
	cancel context.CancelFunc
	done   chan struct{}
}

// The load: 1,500 orders a second of 50 drinks, which six series at once can take on two
// cores, event time passing a hundred times as fast as the clock.
const (
	loadRate   = 1500
	loadEvery  = 10 * time.Millisecond
	loadDrinks = 50
	loadSpeed  = 100
	loadJitter = 4 * time.Second
)

func newLoad(t *testing.T, seed func() string, partitions int32, salt uint64) *load {
	l := &load{
		t: t, seed: seed, topic: names.Orders, partitions: partitions, rate: loadRate, rnd: rand.New(rand.NewPCG(salt, 1)),
		base: time.Now().Add(-30 * day).Truncate(time.Hour), began: time.Now(),
	}
	for value := range bad {
		l.values = append(l.values, []byte(value))
	}
	slices.SortFunc(l.values, slices.Compare)
	return l
}

// order is a random order: one in 50 is bad, one in 200 dated in the far future, one in
// 30 late by many windows.
func (l *load) order() []byte {
	if l.rnd.IntN(50) == 0 {
		return l.values[l.rnd.IntN(len(l.values))]
	}
	at := l.base.Add(time.Since(l.began) * loadSpeed).Add(-time.Duration(l.rnd.Int64N(int64(loadJitter))))
	switch {
	case l.rnd.IntN(200) == 0:
		at = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	case l.rnd.IntN(30) == 0:
		at = at.Add(-time.Duration(1+l.rnd.IntN(20)) * 10 * time.Second)
	}
	items := make([]item, 1+l.rnd.IntN(3))
	for i := range items {
		items[i] = item{Drink: fmt.Sprintf("drink:%d", l.rnd.IntN(loadDrinks)), Quantity: 1 + l.rnd.Uint64N(5)}
	}
	return orderAt(at.UnixMilli(), items...)
}

// begin sends to the broker, from now on at the address it has now.
func (l *load) begin() {
	seed := l.seed()
	if l.cancel != nil && seed == l.at {
		return
	}
	l.end()
	var ctx context.Context
	ctx, l.cancel = context.WithCancel(context.Background())
	l.at, l.done = seed, make(chan struct{})
	go func() {
		defer close(l.done)
		l.send(ctx, seed)
	}()
}

// end stops sending; what is not written is kept for the next begin.
func (l *load) end() {
	if l.cancel != nil {
		l.cancel()
		<-l.done
		l.cancel = nil
	}
}

// finish writes the rest of what failed and stops; the broker must be there.
func (l *load) finish() {
	l.t.Helper()
	l.end()
	eventually(l.t, "all orders to be written", func() error {
		l.mu.Lock()
		rest := l.again
		l.again = nil
		l.mu.Unlock()
		if len(rest) == 0 {
			return nil
		}
		look(l.t, l.seed()).send(rest...)
		l.mu.Lock()
		l.acked += len(rest)
		l.mu.Unlock()
		return nil
	})
}

func (l *load) send(ctx context.Context, seed string) {
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(seed, ",")...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.DisableIdempotentWrite(), kgo.MaxBufferedRecords(max(3000, l.rate)), kgo.ProducerLinger(0),
		kgo.RetryBackoffFn(func(int) time.Duration { return 10 * time.Millisecond }), kgo.MetadataMinAge(20*time.Millisecond),
	)
	if err != nil {
		l.t.Error(err)
		return
	}
	defer cl.Close()
	tick := time.NewTicker(loadEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			for _, r := range l.next() {
				cl.TryProduce(ctx, r, l.written)
			}
		}
	}
}

// next are the orders of one tick: first those that failed.
func (l *load) next() []*kgo.Record {
	l.mu.Lock()
	records := l.again
	l.again = nil
	l.mu.Unlock()
	for range l.rate * int(loadEvery) / int(time.Second) {
		records = append(records, l.record(l.rnd.Int32N(l.partitions), l.order()))
	}
	return records
}

func (l *load) written(r *kgo.Record, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.acked++
		return
	}
	l.again = append(l.again, l.record(r.Partition, r.Value))
}

func (l *load) record(p int32, value []byte) *kgo.Record {
	return &kgo.Record{Topic: l.topic, Partition: p, Value: value}
}
