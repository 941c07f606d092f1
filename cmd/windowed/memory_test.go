package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// heapGoal is the size of the heap at which garbage is collected next.
func heapGoal() uint64 {
	runtime.GC()
	goal := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(goal)
	return goal[0].Value.Uint64()
}

func TestKeepMemory(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	defer func() { ballast = nil }()
	before := heapGoal()
	keepMemory()
	if got := heapGoal(); got < before+ballastSize {
		t.Errorf("garbage is collected at %d bytes, and at %d without ballast", got, before)
	}
}

// What the user says of memory stays as it is.
func TestMemoryByTheUser(t *testing.T) {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Setenv(name, "100")
		if keepMemory(); ballast != nil {
			t.Errorf("ballast is taken with %s", name)
		}
		os.Unsetenv(name)
	}
}
