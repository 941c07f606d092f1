package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/internal/engine"
	"windowed/window"
)

// gate is the network of one instance; shut, the instance is dead or cut off.
type gate struct {
	dial func(ctx context.Context, network, host string) (net.Conn, error)

	mu    sync.Mutex
	shut  bool
	conns []net.Conn
}

func (g *gate) Dial(ctx context.Context, network, host string) (net.Conn, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return nil, errors.New("this instance is cut off by the test")
	}
	conn, err := g.dial(ctx, network, host)
	if err == nil {
		g.conns = append(g.conns, conn)
	}
	return conn, err
}

// set shuts the gate or opens it again.
func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut = shut; shut {
		for _, c := range g.conns {
			_ = c.Close()
		}
		g.conns = nil
	}
}

// instance is one of several runs in a group, with a state and a network of its own.
type instance struct {
	*run
	gate *gate
}

// live runs f with a broker in real time: kgo holds a lock while a member joins, and in a
// synctest bubble time would stand still for the others.
func live(t *testing.T, partitions int32, f func(*harness)) {
	t.Helper()
	t.Parallel()
	h := newHarness(t, partitions, nil)
	h.cfg.SessionTimeout, h.cfg.MetadataMaxAge = 1500*time.Millisecond, time.Second
	// A member that dies while it joins has no session timeout in kfake.
	h.cfg.RebalanceTimeout = 5 * time.Second
	h.job.Window, h.job.Grace, h.job.IdleTimeout = 60_000, 30_000, 2000
	f(h)
	h.cluster.Close()
}

// instance starts another instance of the job.
func (h *harness) instance(name string) *instance {
	mine := *h
	mine.cfg.Instance, mine.fs, mine.status = name, newMem(), new(engine.Status)
	g := &gate{dial: new(net.Dialer).DialContext}
	mine.cfg.Dialer = g.Dial
	return &instance{run: mine.start(), gate: g}
}

// kill ends an instance as kill -9 does: nothing more reaches the broker.
func (i *instance) kill() {
	i.gate.set(true)
	i.cancel()
	<-i.done
	_ = i.st.Close()
}

// caughtUp waits until the instance has counted n records, its own or followed.
func (i *instance) caughtUp(n uint64) { i.h.t.Helper(); i.counted(n) }

// traffic sends n orders over all partitions, in event-time order with some disorder,
// and returns the counts by drink.
func (h *harness) traffic(rnd *rand.Rand, partitions int32, n int, base *time.Time) map[string]uint64 {
	h.t.Helper()
	cl := h.client()
	defer cl.Close()
	counts := make(map[string]uint64)
	for range n {
		*base = base.Add(time.Duration(rnd.IntN(3000)) * time.Millisecond)
		drink := fmt.Sprintf("drink-%d", rnd.IntN(5))
		counts[drink]++
		at := base.Add(-time.Duration(rnd.IntN(20)) * time.Second)
		r := &kgo.Record{Topic: testTopics.Orders, Partition: rnd.Int32N(partitions), Value: []byte(one(drink, at))}
		if err := cl.ProduceSync(context.Background(), r).FirstErr(); err != nil {
			h.t.Fatal(err)
		}
		time.Sleep(time.Duration(rnd.IntN(4)) * time.Millisecond)
	}
	return counts
}

// idle waits until every window has closed for want of orders.
func (i *instance) idle() {
	i.h.t.Helper()
	for range 1000 {
		if _, open := i.st.NewestOpen(); !open {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	start, _ := i.st.NewestOpen()
	i.h.t.Errorf("instance %s: window %s is still open; partitions %+v", i.h.cfg.Instance, window.FormatTime(start), i.st.Times())
}

// complete compares the all-time counts of an instance with what was sent.
func (i *instance) complete(sent map[string]uint64) {
	i.h.t.Helper()
	top, err := i.st.Top(window.AllTime, 100)
	if err != nil {
		i.h.t.Fatal(err)
	}
	got := make(map[string]uint64)
	for _, e := range top {
		got[e.Drink] = e.Count
	}
	for drink, n := range sent {
		if got[drink] != n {
			i.h.t.Errorf("instance %s: %s was counted %d times, want %d", i.h.cfg.Instance, drink, got[drink], n)
		}
	}
}

// onceEach checks that no window has two finals.
func onceEach(t *testing.T, finals []string) {
	t.Helper()
	var keys []string
	for _, f := range finals {
		key := f[:20]
		if !strings.HasPrefix(f[20:], " r0 ") {
			t.Errorf("a final of window %s is a revision: %s", key, f)
		}
		if slices.Contains(keys, key) {
			t.Errorf("two finals of window %s", key)
		}
		keys = append(keys, key)
	}
}

func add(sum, more map[string]uint64) {
	for k, v := range more {
		sum[k] += v
	}
}

// KAFKA-7192, KAFKA-14172, KAFKA-9891, kafka-flow#732, goka#207: instances join, one is killed, one is cut off
// for longer than the session timeout and comes back; nothing is lost or counted twice.
func TestInstancesJoinDieAndReturn(t *testing.T) {
	seeds := uint64(1)
	if os.Getenv("WINDOWED_FULL") != "" {
		seeds = 5
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			live(t, 4, func(h *harness) {
				rnd := rand.New(rand.NewPCG(seed, 7))
				base, sent, n := time.Now().Add(-time.Hour), map[string]uint64{}, 0
				more := func(count int) {
					add(sent, h.traffic(rnd, 4, count, &base))
					n += count
				}
				a := h.instance("a")
				more(100)
				b := h.instance("b")
				more(100)
				c := h.instance("c")
				more(100)
				a.kill()
				more(200)
				b.gate.set(true)
				more(300) // b's session is not over
				time.Sleep(3 * time.Second)
				more(100)
				b.gate.set(false) // a zombie wakes up
				more(200)
				for _, i := range []*instance{b, c} {
					i.caughtUp(uint64(n))
					i.complete(sent)
				}
				a = h.instance("a")
				more(50)
				a.idle()
				for _, i := range []*instance{a, b, c} {
					i.caughtUp(uint64(n))
					i.complete(sent)
				}
				finals := h.outputs("final")
				onceEach(t, finals)
				for _, i := range []*instance{a, b, c} {
					if err := i.stop(); err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}

// An instance that its group could not hear for longer than the session timeout is fenced by
// those that take over. That twice within a minute is no second process with its instance
// id: it goes on.
func TestFencedUnheard(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply func(kmsg.Request) (kmsg.Response, error)
	}{
		{"no answer", func(kmsg.Request) (kmsg.Response, error) {
			return nil, errors.New("the group's coordinator does not answer")
		}},
		{"answers of a broker that is not the coordinator", notCoordinator},
	} {
		t.Run(c.name, func(t *testing.T) { fencedUnheard(t, c.reply) })
	}
}

// notCoordinator answers what a broker does from which the coordinator of the group has
// moved, or to which it moves.
func notCoordinator(req kmsg.Request) (kmsg.Response, error) {
	switch resp := req.ResponseKind().(type) {
	case *kmsg.HeartbeatResponse:
		resp.ErrorCode = kerr.NotCoordinator.Code
		return resp, nil
	case *kmsg.JoinGroupResponse:
		resp.ErrorCode = kerr.CoordinatorLoadInProgress.Code
		return resp, nil
	}
	return nil, fmt.Errorf("no answer to %T", req)
}

func fencedUnheard(t *testing.T, reply func(kmsg.Request) (kmsg.Response, error)) {
	live(t, 1, func(h *harness) {
		a := h.instance("a")
		var unheard atomic.Bool
		for _, key := range []kmsg.Key{kmsg.Heartbeat, kmsg.JoinGroup} {
			h.cluster.ControlKey(key.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
				h.cluster.KeepControl()
				if !unheard.Load() {
					return nil, nil, false
				}
				resp, err := reply(req)
				return resp, err, true
			})
		}
		for n := range uint64(3) {
			h.produce(0, one("latte", time.Now()))
			a.caughtUp(n + 1)
			unheard.Store(true)
			time.Sleep(h.cfg.SessionTimeout + 100*time.Millisecond)
			taker := h.client(kgo.TransactionalID(h.cfg.TransactionalID()))
			if _, _, err := taker.ProducerID(context.Background()); err != nil {
				t.Fatal(err)
			}
			unheard.Store(false)
		}
		h.produce(0, one("latte", time.Now()))
		a.caughtUp(4)
		a.complete(map[string]uint64{"latte": 4})
		if now := a.h.status.Now(); now.Rebuilds < 2 {
			t.Errorf("%d sessions were fenced, want 2", now.Rebuilds)
		}
		if err := a.stop(); err != nil {
			t.Error(err)
		}
	})
}

// Takeover: an instance dies with a transaction open; the other one ends it and answers
// completely within the session timeout and two seconds.
func TestTakeoverTime(t *testing.T) {
	live(t, 4, func(h *harness) {
		rnd := rand.New(rand.NewPCG(1, 7))
		base, sent := time.Now(), map[string]uint64{}
		a, b := h.instance("a"), h.instance("b")
		time.Sleep(2 * time.Second)
		add(sent, h.traffic(rnd, 4, 100, &base))
		// What a's next transaction would have left behind.
		open := h.client(kgo.TransactionalID("g-a"), kgo.TransactionTimeout(time.Minute))
		a.kill()
		if err := open.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		for p := range int32(4) {
			r := &kgo.Record{Topic: testTopics.Changelog, Partition: p, Key: []byte("drink-1:all"), Value: []byte{0, 0, 0, 0, 0, 0, 9, 9}}
			if err := open.ProduceSync(context.Background(), r).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		died := time.Now()
		add(sent, h.traffic(rnd, 4, 100, &base))
		b.caughtUp(200)
		if took := time.Since(died); took > h.cfg.SessionTimeout+5*time.Second {
			t.Errorf("takeover took %v", took)
		}
		b.complete(sent)
		open.Close()
		if err := b.stop(); err != nil {
			t.Error(err)
		}
	})
}

// Partitions are added to the orders while two instances run: the changelog follows,
// and totals stay exact.
func TestPartitionsAddedWhileRunning(t *testing.T) {
	live(t, 2, func(h *harness) {
		rnd := rand.New(rand.NewPCG(2, 7))
		base, sent := time.Now().Add(-time.Hour), map[string]uint64{}
		a, b := h.instance("a"), h.instance("b")
		add(sent, h.traffic(rnd, 2, 100, &base))
		cl := h.client()
		if _, err := kadm.NewClient(cl).UpdatePartitions(context.Background(), 4, testTopics.Orders); err != nil {
			t.Fatal(err)
		}
		cl.Close()
		add(sent, h.traffic(rnd, 4, 200, &base))
		time.Sleep(4 * time.Second)
		add(sent, h.traffic(rnd, 4, 100, &base))
		a.idle()
		for _, i := range []*instance{a, b} {
			i.caughtUp(400)
			i.complete(sent)
			if g, _ := i.st.Global(); g.Partitions != 4 {
				t.Errorf("instance %s: P is %d, want 4", i.h.cfg.Instance, g.Partitions)
			}
		}
		onceEach(t, h.outputs("final"))
		for _, i := range []*instance{a, b} {
			if err := i.stop(); err != nil {
				t.Error(err)
			}
		}
	})
}
