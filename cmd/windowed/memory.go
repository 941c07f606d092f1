package main

import (
	"os"
	"runtime/debug"
)

// gcPercent is how much garbage there may be for what is alive, in percent. Orders make
// next to none, so that it is collected every few seconds all the same; with the default of
// 100 the peak of a short run and of a long one differ, and a state of many drinks takes a
// sixth more, for 2 % less CPU (docs/performance.md).
const gcPercent = 50

// collectSooner makes the heap smaller, unless GOGC or GOMEMLIMIT say how to collect
// garbage.
func collectSooner() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
