package main

import (
	"runtime/debug"
	"testing"
)

func TestCollectGarbage(t *testing.T) {
	const before = 123
	defer debug.SetGCPercent(debug.SetGCPercent(before))
	for _, c := range []struct {
		name, value string
		restoring   bool
		want        int
	}{
		{"GOGC", "", false, gcPercent},
		{"GOGC", "", true, gcPercentRestoring},
		{"GOGC", "100", false, before}, // what the user says stays as it is
		{"GOGC", "100", true, before},
		{"GOMEMLIMIT", "1GiB", false, before},
	} {
		t.Setenv("GOGC", "")
		t.Setenv("GOMEMLIMIT", "")
		t.Setenv(c.name, c.value)
		debug.SetGCPercent(before)
		collectGarbage(c.restoring)
		if got := debug.SetGCPercent(before); got != c.want {
			t.Errorf("with %s=%s, restoring: %t, garbage is collected at %d %%, want %d %%", c.name, c.value, c.restoring, got, c.want)
		}
	}
}
