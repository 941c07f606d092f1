package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Memory the process may take before it collects garbage. Most of what it allocates is
// what was fetched, for a moment each; by the live heap alone, which is small, garbage
// would be collected ten times a second, and memory would follow what happens to be in
// flight: a backlog made it go from 60 to 110 MB. Now it is flat, with less CPU.
const (
	memoryFloor  = 80 << 20
	memoryBeside = 32 << 20 // what is not the Go heap's: stacks, the collector, fragments
	memoryEvery  = time.Second
)

// memoryLimit is the soft limit for a live heap: twice of it, as Go does by itself, but
// never below the floor.
func memoryLimit(live uint64) int64 { return max(memoryFloor, 2*int64(live)+memoryBeside) }

// keepMemory sets the soft limit by the live heap until ctx ends, unless GOGC or
// GOMEMLIMIT say what to do.
func keepMemory(ctx context.Context) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(memoryFloor)
	debug.SetGCPercent(-1)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	go func() {
		tick := time.NewTicker(memoryEvery)
		defer tick.Stop()
		for last := int64(memoryFloor); ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			metrics.Read(live)
			if limit := memoryLimit(live[0].Value.Uint64()); limit != last {
				debug.SetMemoryLimit(limit)
				last = limit
			}
		}
	}()
}
