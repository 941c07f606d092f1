package main

import (
	"os"
	"runtime/debug"
)

// How much garbage there may be for what is alive, in percent. Orders make next to none, so
// that it is collected every few seconds all the same; with the default of 100 the peak of a
// short run and of a long one differ, and a state of many drinks takes a sixth more, for 2 %
// less CPU. A restore makes garbage, and is over soon: with gcPercent it takes a fifth longer
// (docs/performance.md).
const (
	gcPercent          = 50
	gcPercentRestoring = 100
)

// collectGarbage says how garbage is collected, by whether changelogs are being restored,
// unless GOGC or GOMEMLIMIT say it.
func collectGarbage(restoring bool) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	percent := gcPercent
	if restoring {
		percent = gcPercentRestoring
	}
	debug.SetGCPercent(percent)
}
