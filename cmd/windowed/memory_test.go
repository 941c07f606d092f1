package main

import (
	"runtime/debug"
	"testing"
)

func TestCollectSooner(t *testing.T) {
	const before = 123
	defer debug.SetGCPercent(debug.SetGCPercent(before))
	for _, c := range []struct {
		name, value string
		want        int
	}{
		{"GOGC", "", gcPercent},
		{"GOGC", "100", before}, // what the user says stays as it is
		{"GOMEMLIMIT", "1GiB", before},
	} {
		t.Setenv("GOGC", "")
		t.Setenv("GOMEMLIMIT", "")
		t.Setenv(c.name, c.value)
		debug.SetGCPercent(before)
		collectSooner()
		if got := debug.SetGCPercent(before); got != c.want {
			t.Errorf("with %s=%s garbage is collected at %d %%, want %d %%", c.name, c.value, got, c.want)
		}
	}
}
