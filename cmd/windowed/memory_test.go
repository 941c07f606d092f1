package main

import (
	"os"
	"runtime/debug"
	"testing"
	"time"
)

func TestMemoryLimit(t *testing.T) {
	for live, want := range map[uint64]int64{0: memoryFloor, 20 << 20: memoryFloor, 24 << 20: memoryFloor, 100 << 20: 232 << 20, 4 << 30: 8<<30 + 32<<20} {
		if got := memoryLimit(live); got != want {
			t.Errorf("%d live bytes: limit %d, want %d", live, got, want)
		}
	}
}

// What the user says of memory stays as it is.
func TestMemoryByTheUser(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Setenv(name, "100")
		keepMemory(t.Context())
		if got := debug.SetMemoryLimit(-1); got != before {
			t.Errorf("with %s the limit goes from %d to %d", name, before, got)
		}
		os.Unsetenv(name)
	}
}

// A heap that grows has its limit raised: the limit alone would have it collected without
// end.
func TestMemoryFollowsTheHeap(t *testing.T) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		t.Skip("the environment says what to do")
	}
	before := debug.SetMemoryLimit(-1)
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	defer debug.SetMemoryLimit(before)
	keepMemory(t.Context())
	heap := make([]byte, 200<<20)
	for i := 0; i < len(heap); i += 4096 {
		heap[i] = 1
	}
	for deadline := time.Now().Add(20 * time.Second); debug.SetMemoryLimit(-1) < memoryLimit(uint64(len(heap))); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the limit is %d with %d live bytes", debug.SetMemoryLimit(-1), len(heap))
		}
		debug.FreeOSMemory() // collects
	}
	if heap[4096] != 1 {
		t.Error("the heap must live until here")
	}
}
