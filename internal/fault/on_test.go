//go:build planted

package fault

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// child is what a child of TestPoint is told by.
const child = "WINDOWED_FAULT_CHILD"

// The process dies at the n-th passing of the point, by a signal it cannot catch.
func TestPoint(t *testing.T) {
	if os.Getenv(child) != "" {
		for i := range 5 {
			Point(Begun)
			Point(Polled)
			fmt.Println("passed", i)
		}
		return
	}
	for value, passings := range map[string]int{Polled + ":3": 2, Begun + ":1": 0, Polled + ":6": 5} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestPoint$")
		cmd.Env = append(os.Environ(), child+"=1", pointVariable+"="+value)
		out, err := cmd.Output()
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if killed := status.Signaled() && status.Signal() == syscall.SIGKILL; killed != (passings < 5) || strings.Count(string(out), "passed") != passings {
			t.Errorf("%s: killed %v (%v) after\n%s", value, killed, err, out)
		}
	}
}

// A name that is not there would test nothing, so it is refused.
func TestUnknownNamesAreRefused(t *testing.T) {
	for _, text := range []string{"nowhere:1", Polled, Polled + ":0", Polled + ":x"} {
		if !panics(func() { readPoint(text) }) {
			t.Errorf("failpoint %q is taken", text)
		}
	}
	if !panics(func() { readFault("nothing") }) || panics(func() { readFault("") }) {
		t.Error("an unknown fault is taken, or none is refused")
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}
