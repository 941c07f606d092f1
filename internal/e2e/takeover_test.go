//go:build unix

package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"
)

// twice runs f on kfake and on a real Kafka.
func twice(t *testing.T, k killed, f func(t *testing.T, f *fleet, o *outside)) {
	k.own = true
	for _, real := range []int{0, 1} {
		name := "kfake"
		if real > 0 {
			name = "kafka"
		}
		t.Run(name, func(t *testing.T) {
			k.real = real
			fl := k.begin(t)
			f(t, fl, look(t, fl.seed()))
		})
	}
}

// busy is how much longer than its limit a time may be: a test machine does other work.
const busy = 4 * time.Second

// manyOrders is the rate of the takeover tests, orders a second.
const manyOrders = 20_000

// TestTakeover kills one of two instances under load: the other one's answers are
// complete again, up to what was written when the first one died, within the session
// timeout and two seconds.
func TestTakeover(t *testing.T) {
	twice(t, killed{instances: 2}, func(t *testing.T, f *fleet, o *outside) {
		f.start()
		l := newLoad(t, f.seed, killPartitions, 1)
		l.rate = manyOrders
		defer l.end()
		l.begin()
		f.running[0].passes(o.ends(names.Orders))
		time.Sleep(time.Second) // not a wait: some load
		f.running[0].kill()
		f.happened("kill -9")
		died, ends := time.Now(), o.ends(names.Orders)
		f.running[1].passes(ends)
		took := time.Since(died)
		t.Logf("complete answers %v after kill -9 of the other instance, session timeout %v, %d orders/s", took.Round(time.Millisecond), sessionTimeout, manyOrders)
		if limit := sessionTimeout + 2*time.Second; took > limit+busy {
			t.Errorf("that is more than %v", limit)
		}
	})
}

// TestRestart kills an instance with static membership and starts it again.
func TestRestart(t *testing.T) {
	twice(t, killed{instances: 1, flags: []string{"--instance-id=a"}}, func(t *testing.T, f *fleet, o *outside) {
		f.start()
		l := newLoad(t, f.seed, killPartitions, 1)
		l.rate = manyOrders
		defer l.end()
		l.begin()
		time.Sleep(time.Second) // not a wait: some load
		f.running[0].kill()
		f.happened("kill -9")
		died, ends := time.Now(), o.ends(names.Orders)
		f.running[0] = nil
		f.start()
		f.running[0].passes(ends)
		took := time.Since(died)
		t.Logf("complete answers %v after kill -9 and a restart of the same instance", took.Round(time.Millisecond))
		if limit := 3 * time.Second; took > limit+busy {
			t.Errorf("that is more than %v", limit)
		}
	})
}

// TestRolling restarts three instances one after the other under load, the next one when
// /readyz of the last one says so. No partition stands still as long as a session
// timeout, and nothing is lost or counted twice.
func TestRolling(t *testing.T) {
	k := killed{instances: 3}
	twice(t, k, func(t *testing.T, f *fleet, o *outside) {
		f.start()
		l := newLoad(t, f.seed, killPartitions, 2)
		defer l.end()
		l.begin()
		pauses := watchPauses(o)
		for i, p := range f.places {
			f.running[i].stop()
			f.running[i] = p.start()
			f.running[i].ready()
			f.happened("restart of an instance, one after the other")
		}
		time.Sleep(time.Second) // not a wait: the last one counts, too
		longest := pauses()
		t.Logf("the longest pause of a partition was %v, session timeout %v", longest.Round(time.Millisecond), sessionTimeout)
		if longest > sessionTimeout+busy {
			t.Error("that is more than the session timeout")
		}
		killed{instances: 3, own: true}.settle(t, f, l)
	})
}

// ready waits until /readyz says 200.
func (g *program) ready() {
	g.t.Helper()
	eventually(g.t, "/readyz", func() error {
		g.alive()
		resp, err := client.Get("http://" + g.address() + "/readyz")
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("/readyz says %s", resp.Status)
		}
		return nil
	})
}

// watchPauses watches the group's committed offsets until the function it returns is
// called, which says how long a partition did not move at most.
func watchPauses(o *outside) func() time.Duration {
	var wg sync.WaitGroup
	stop := make(chan struct{})
	longest := time.Duration(0)
	wg.Go(func() {
		last, moved := make(map[int32]int64), make(map[int32]time.Time)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			ctx, cancel := bounded()
			offsets, err := o.adm.FetchOffsetsForTopics(ctx, group, names.Orders)
			cancel()
			if err != nil {
				continue
			}
			now := time.Now()
			for _, at := range offsets[names.Orders] {
				if p := at.Partition; at.At != last[p] || moved[p].IsZero() {
					last[p], moved[p] = at.At, now
				}
				longest = max(longest, now.Sub(moved[at.Partition]))
			}
		}
	})
	return func() time.Duration {
		close(stop)
		wg.Wait()
		return longest
	}
}
