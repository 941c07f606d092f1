package kafka_test

import (
	"context"
	"runtime"
	"syscall"
	"testing"
	"time"

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
		// 5,000 windows, of which most have expired in the end.
		{name: "exactly-once-5000-windows", drinks: 50, step: 50 * time.Millisecond, job: engine.Config{Window: 10_000, Grace: 2000, Retention: 60_000}},
	} {
		b.Run(c.name, c.run)
	}
}

type loopBench struct {
	name        string
	atLeastOnce bool
	drinks      int
	step        time.Duration // of event time from order to order
	job         engine.Config
}

func (c loopBench) run(b *testing.B) {
	const partitions, orders = 12, 1_000_000
	h := newHarness(b, partitions, nil)
	defer h.cluster.Close()
	h.cfg.AtLeastOnce = c.atLeastOnce
	h.job.Window, h.job.Grace, h.job.Retention = c.job.Window, c.job.Grace, c.job.Retention
	want := h.load(orders, partitions, c.drinks, c.step)
	st := h.openState()
	defer st.Close()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	cpu, wall := cpuTime(), time.Now()
	b.ResetTimer()
	ctx, cancel := context.WithCancel(context.Background())
	opts, closeSession, err := h.connect(ctx, st)
	if err != nil {
		b.Fatal(err)
	}
	opts.State = st
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
	b.StopTimer()
	cpu, took := cpuTime()-cpu, time.Since(wall)
	runtime.ReadMemStats(&after)
	cancel()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
	closeSession()
	changelog := int64(0)
	for _, position := range st.Positions() {
		changelog += position
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(orders/took.Seconds(), "orders/s")
	b.ReportMetric(float64(cpu.Nanoseconds())/orders, "cpu-ns/order")
	b.ReportMetric(1e9*orders/float64(cpu.Nanoseconds()), "orders/s/core")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/orders, "allocs/order")
	b.ReportMetric(float64(changelog)/orders, "changelog/order")
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
