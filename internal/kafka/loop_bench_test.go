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
	for _, c := range []struct {
		name        string
		atLeastOnce bool
		drinks      int
	}{{"exactly-once", false, 200}, {"at-least-once", true, 200}, {"exactly-once-10000-drinks", false, 10_000}} {
		b.Run(c.name, func(b *testing.B) { benchmarkLoop(b, c.atLeastOnce, c.drinks) })
	}
}

func benchmarkLoop(b *testing.B, atLeastOnce bool, drinks int) {
	const partitions, orders = 12, 1_000_000
	h := newHarness(b, partitions, nil)
	defer h.cluster.Close()
	h.cfg.AtLeastOnce = atLeastOnce
	want := h.load(orders, partitions, drinks, 2*time.Millisecond)
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
