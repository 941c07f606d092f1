package watermark

import "testing"

// The public cases that other stream processors were caught by. Windows are of size 1
// and nothing is in grace unless a case says so; a clock of 0 is too early to matter.

func expect(t *testing.T, what string, got, want int64) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d, want %d", what, got, want)
	}
}

// T14, of Jet's coalescer: the minimum over all partitions.
func TestT14MinimumOfAll(t *testing.T) {
	j := newJob(2, 1, 0)
	expect(t, "W0 = 1", j.add(0, 1), None)
	expect(t, "W1 = 2", j.add(1, 2), 1)
	expect(t, "W0 = 3", j.add(0, 3), 2)
	expect(t, "W1 = 4", j.add(1, 4), 3)
}

// T15, of Jet: a partition that is back from idleness holds the others again, and what
// was closed stays closed.
func TestT15BackFromIdleness(t *testing.T) {
	j := newJob(2, 1, 0)
	j.idle(0, 0)
	expect(t, "W1 = 10", j.add(1, 10), None)
	expect(t, "W1 = 11, 0 idle", j.add(1, 11), None)
	expect(t, "0 follows", j.idle(0, 0), 11)
	late := j.late
	expect(t, "an old order on 0", j.add(0, 5), 11)
	if j.late != late+1 || j.parts[0].Idle {
		t.Errorf("late %d, idle %v; want one late order to end the idleness", j.late-late, j.parts[0].Idle)
	}
	expect(t, "W1 = 12, 0 active again", j.add(1, 12), 11)
	expect(t, "W0 = 13", j.add(0, 13), 12)
}

// T16, of Jet and FLINK-38454: all idle closes through the highest, in either order.
func TestT16AllIdle(t *testing.T) {
	j := newJob(2, 1, 0)
	j.add(0, 10)
	expect(t, "10 and 11", j.add(1, 11), 10)
	expect(t, "1 idle", j.idle(1, 0), 10)
	expect(t, "0 idle", j.idle(0, 0), 11)
	for _, first := range []int{0, 1} {
		j := newJob(2, 1, 0)
		j.add(0, 5)
		expect(t, "5 and 4", j.add(1, 4), 4)
		j.idle(first, 0)
		j.idle(1-first, 0)
		expect(t, "5 and 4, both idle", j.idle(first, 0), 5)
	}
}

// T17, of Jet: a partition that has seen nothing is unknown: it holds the others until
// it is idle, and cannot raise an idle one.
func TestT17Unknown(t *testing.T) {
	j := newJob(2, 1, 0)
	expect(t, "1 unknown", j.add(0, 99), None)
	expect(t, "1 unknown still", j.add(0, 100), None)
	expect(t, "1 idle", j.idle(1, 0), 100)

	j = newJob(2, 1, 0)
	j.open[5] = true
	expect(t, "0 unknown, 1 idle", j.idle(1, 1<<40), None)
}

// T18, of Bytewax: within the grace the time neither goes back nor moves on the wall.
func TestT18GraceAndWallClock(t *testing.T) {
	p := NewPartition()
	for i, step := range []struct{ ts, want int64 }{{7, 2}, {3, 2}, {8, 3}} {
		p.Accept(step.ts, 5)
		if p.CloseThrough != step.want {
			t.Errorf("step %d: closed through %d, want %d", i, p.CloseThrough, step.want)
		}
	}
}

// T19, of Arroyo and numaflow 3424: a fetch that begins with an older order does not
// pull time back, and no window closes twice.
func TestT19OlderOrderInALaterFetch(t *testing.T) {
	j := newJob(1, 10, 0)
	expect(t, "100", j.add(0, 100), 100)
	expect(t, "95 is late", j.add(0, 95), 100)
	expect(t, "102", j.add(0, 102), 102)
	if j.late != 1 || len(j.open) != 1 {
		t.Errorf("late %d, open %v; want 1 and the window of 100 only", j.late, j.open)
	}
}

// T20, FLINK-26018: a backlog is read partition after partition, and nothing is late.
func TestT20BacklogOfTwoPartitions(t *testing.T) {
	j := newJob(2, 10, 0)
	for _, ts := range []int64{100, 110, 120} {
		j.add(0, ts)
	}
	for _, ts := range []int64{10, 20, 30} {
		j.add(1, ts)
	}
	if j.counted != 6 || j.late != 0 {
		t.Errorf("counted %d, late %d; want 6 and 0", j.counted, j.late)
	}
	expect(t, "closed", j.through, 30)
}

// T21, Beam 40176 and numaflow 3006: a partition that never had an order is idle, and
// its first order is late if its window is closed by then.
func TestT21FirstOrderAfterIdleness(t *testing.T) {
	j := newJob(2, 10_000, 0)
	expect(t, "0 reads on", j.add(0, 990_000), None)
	expect(t, "0 reads on", j.add(0, 1_000_000), None)
	expect(t, "1 idle", j.idle(1, 0), 1_000_000)
	expect(t, "first order of 1", j.add(1, 500_000), 1_000_000)
	if j.late != 1 || j.parts[1].Watermark != None {
		t.Errorf("late %d, watermark %d; want 1 and none", j.late, j.parts[1].Watermark)
	}
	if !j.parts[1].LateByIdleness(510_000, 0) {
		t.Error("the order is late by idleness only")
	}
}

// FLINK-8001: no partitions have no time.
func TestNoPartitions(t *testing.T) {
	expect(t, "no partitions", CloseThrough(nil), None)
	expect(t, "a partition without time", CloseThrough([]Partition{{CloseThrough: 7}, NewPartition()}), None)
	expect(t, "idle ones hold too", CloseThrough([]Partition{{CloseThrough: 7}, {CloseThrough: -3, Idle: true}}), -3)
}
