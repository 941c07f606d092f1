package kafka_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/internal/kafka"
)

// What is followed moves on while the brokers say where a changelog ends. That is no sign
// of a changelog that was made anew: instances ended for it during rebalances. A restore
// ends at the first offset at or behind its end (streamiz#463, #468).
func TestCatchUpWhileTheChangelogGrows(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		cut := &cutter{dial: h.network.DialContext, key: int16(kmsg.ListOffsets), delay: 2 * time.Second}
		r := h.start()
		h.feed(0, 20, time.Now())
		r.counted(20)
		mine := *h
		mine.fs, mine.cfg.Dialer = newMem(), cut.Dial
		st := mine.openState()
		defer st.Close()
		var told []bool
		restoring := func(active bool) { told = append(told, active) }
		f, err := kafka.NewFollower(&mine.cfg, st, kafka.FollowOptions{Wait: time.Minute, Restoring: restoring})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		ctx := context.Background()
		if err := f.CatchUp(ctx, []int32{0}); err != nil {
			t.Fatal(err)
		}
		cut.left.Store(2)
		var fed sync.WaitGroup
		fed.Go(func() { h.feed(0, 100, time.Now()) })
		before := st.Position(0)
		if err := f.CatchUp(ctx, []int32{0}); err != nil {
			t.Error(err)
		}
		if cut.lost.Load() != 2 || st.Position(0) < before+20 {
			t.Errorf("%d answers came late while %d offsets were followed: the test tests nothing", cut.lost.Load(), st.Position(0)-before)
		}
		if p := f.Progress(); p.Active || p.Done > p.Restored || p.Restored < before {
			t.Errorf("both restores together: %+v", p)
		}
		if !slices.Equal(told, []bool{true, false, true, false}) {
			t.Errorf("two restores were told as %v", told)
		}
		fed.Wait()
		r.counted(120)
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// A changelog that ends before what the state has read is refused, whatever follows: once,
// with the way out (KAFKA-10664, kafka-flow#849).
func TestCatchUpRefusesAnEndBeforeTheState(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		st := h.openState()
		defer st.Close()
		if err := st.Apply(0, nil, 7); err != nil {
			t.Fatal(err)
		}
		cl := h.client()
		defer cl.Close()
		r := &kgo.Record{Topic: testTopics.Changelog, Key: []byte("latte:all"), Value: make([]byte, 8)}
		if err := cl.ProduceSync(context.Background(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
		f, err := kafka.NewFollower(&h.cfg, st, kafka.FollowOptions{Wait: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.CatchUp(context.Background(), []int32{0}); err == nil {
			t.Error("a changelog that ends at 1 fits a state that has read up to 7")
		}
	})
}
