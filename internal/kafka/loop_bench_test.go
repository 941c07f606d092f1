package kafka_test

import (
	"context"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/internal/engine"
)

// BenchmarkLoop counts orders that wait in an embedded broker up to committed state. Its
// figures are for the whole process, broker included: orders/s, CPU ns per order,
// allocations per order, changelog records per order.
func BenchmarkLoop(b *testing.B) {
	hour := engine.Config{Window: 3_600_000, Grace: 60_000, Retention: 24 * 3_600_000}
	for _, c := range []loopBench{
		{name: "exactly-once", drinks: 200, step: 2 * time.Millisecond, job: hour},
		{name: "at-least-once", atLeastOnce: true, drinks: 200, step: 2 * time.Millisecond, job: hour},
		{name: "exactly-once-10000-drinks", drinks: 10_000, step: 2 * time.Millisecond, job: hour},
		// As many drinks as there are, each as often as the others; the broker is another process.
		{name: "exactly-once-100000-drinks", drinks: 100_000, uniform: true, apart: true, step: 2 * time.Millisecond, job: hour},
		// 5,000 windows, of which most have expired in the end.
		{name: "exactly-once-5000-windows", drinks: 50, step: 50 * time.Millisecond, job: engine.Config{Window: 10_000, Grace: 2000, Retention: 60_000}},
	} {
		b.Run(c.name, c.run)
	}
}

type loopBench struct {
	name        string
	atLeastOnce bool
	apart       bool // the broker is a process of its own
	drinks      int
	uniform     bool
	step        time.Duration // of event time from order to order
	job         engine.Config
}

// loopFigures are of the whole process.
type loopFigures struct {
	wall, cpu          time.Duration
	mallocs, changelog float64
}

func (c loopBench) run(b *testing.B) {
	const orders = 1_000_000
	f := c.measure(b, orders)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(orders/f.wall.Seconds(), "orders/s")
	b.ReportMetric(float64(f.cpu.Nanoseconds())/orders, "cpu-ns/order")
	b.ReportMetric(1e9*orders/float64(f.cpu.Nanoseconds()), "orders/s/core")
	b.ReportMetric(f.mallocs/orders, "allocs/order")
	b.ReportMetric(f.changelog/orders, "changelog/order")
}

// measure counts orders that wait in a broker.
func (c loopBench) measure(tb testing.TB, orders int) (f loopFigures) {
	const partitions = 12
	var h *harness
	if c.apart {
		addr, end := brokerApart(tb)
		defer end()
		h = newHarnessOn(tb, []string{addr}, partitions)
		h.fs, h.dir = vfs.Default, filepath.Join(tb.TempDir(), "state")
	} else {
		h = newHarness(tb, partitions, nil)
		defer h.cluster.Close()
	}
	h.cfg.AtLeastOnce = c.atLeastOnce
	h.job.Window, h.job.Grace, h.job.Retention = c.job.Window, c.job.Grace, c.job.Retention
	want := h.load(orders, partitions, c.drinks, c.uniform, c.step)
	st := h.openState()
	defer st.Close()
	ctx, cancel := context.WithCancel(context.Background())
	opts, closeSession, err := h.connect(ctx, st)
	if err != nil {
		tb.Fatal(err)
	}
	defer closeSession()
	opts.State = st
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	cpu, began := cpuTime(), time.Now()
	done := make(chan error, 1)
	go func() { done <- engine.NewLoop(opts).Run(ctx) }()
	for p, n := range want {
		for {
			if m, ok := st.Meta(p); ok && m.Next >= n {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
	f.cpu, f.wall = cpuTime()-cpu, time.Since(began)
	runtime.ReadMemStats(&after)
	cancel()
	if err := <-done; err != nil {
		tb.Fatal(err)
	}
	f.mallocs = float64(after.Mallocs - before.Mallocs)
	for _, position := range st.Positions() {
		f.changelog += float64(position)
	}
	return f
}

// TestLoopCosts guards what an order costs in allocations and in changelog records, the
// broker in the process included.
func TestLoopCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector has allocations of its own")
	}
	const orders = 400_000
	c := loopBench{drinks: 200, step: 5 * time.Millisecond, job: engine.Config{Window: 3_600_000, Grace: 60_000, Retention: 24 * 3_600_000}}
	f := c.measure(t, orders)
	allocations, changelog := f.mallocs/orders, f.changelog/orders
	if allocations > 0.2 || changelog > 0.1 {
		t.Errorf("an order costs %.2f allocations and %.3f changelog records; want less than 0.2 and 0.1", allocations, changelog)
	}
	t.Logf("an order costs %.2f allocations and %.3f changelog records", allocations, changelog)
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
