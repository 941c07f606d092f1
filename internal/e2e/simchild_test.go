//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The variables of a simulated seed: which one, and the file for what happened in it.
const (
	seedVariable = "WINDOWED_SIM_SEED"
	outVariable  = "WINDOWED_SIM_OUT"
)

// stoodStill is the kind of a seed that had to be given up: the client waits for a mutex
// that it holds itself while it ends a transaction, and virtual time waits for the mutex.
const stoodStill = "seeds given up, since virtual time stood still"

// inChild simulates a seed in a process of its own: one whose time stands still can only
// be ended with its process. It is tried once more then: that it does is a matter of
// moments.
func inChild(t *testing.T, seed uint64, sum *simFigures) {
	figures := child(t, seed)
	if figures.n[stoodStill] > 0 {
		figures = child(t, seed)
	}
	sum.addAll(figures)
}

func child(t *testing.T, seed uint64) *simFigures {
	t.Helper()
	out := filepath.Join(t.TempDir(), "figures.json")
	cmd := exec.Command(os.Args[0], "-test.run=^TestSimulation$", "-test.timeout=10m")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", seedVariable, seed), outVariable+"="+out)
	said, err := cmd.CombinedOutput()
	if err != nil {
		fmt.Printf("%s", said)
		t.Fatalf("seed %d: %v", seed, err)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	figures := new(simFigures)
	if err := json.Unmarshal(b, &figures.n); err != nil {
		t.Fatal(err)
	}
	return figures
}

// hand hands the figures on to the process that asked for the seed.
func (c *simFigures) hand() error {
	out := os.Getenv(outVariable)
	if out == "" {
		return nil
	}
	b, err := json.Marshal(c.n)
	if err == nil {
		err = os.WriteFile(out, b, 0o600)
	}
	return err
}

// standstill is how long nobody sends anything, by the real clock, until it is looked why.
const standstill = 20 * time.Second

// watchTime ends the process if virtual time stands still because a goroutine of the
// client waits for a mutex: synctest takes that for work that is going on. Anything else
// that stands still is a fault, and the test's own time limit shows it.
func watchTime() {
	last, since := int64(-1), time.Now()
	for range time.Tick(time.Second) {
		if n := beats.Load(); n != last {
			last, since = n, time.Now()
		}
		if time.Since(since) < standstill || !waitsForMutex() {
			continue
		}
		if err := (&simFigures{n: map[string]int{stoodStill: 1}}).hand(); err != nil {
			panic(err)
		}
		fmt.Println("virtual time stands still: the client waits for a mutex")
		os.Exit(0)
	}
}

// waitsForMutex says whether a goroutine in virtual time waits for a mutex of the client.
func waitsForMutex() bool {
	b := make([]byte, 16<<20)
	for g := range strings.SplitSeq(string(b[:runtime.Stack(b, true)]), "\n\n") {
		head, _, _ := strings.Cut(g, "\n")
		if strings.Contains(head, "sync.Mutex.Lock") && strings.Contains(head, "synctest bubble") && strings.Contains(g, "pkg/kgo.") {
			return true
		}
	}
	return false
}
