//go:build unix

package e2e

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"windowed/internal/report"
)

// chaosVariable is how long the chaos goes on, a minute for a change, hours for a night.
const chaosVariable = "WINDOWED_CHAOS"

// chaos is one run of everything that can befall the program, and its figures.
type chaos struct {
	began   time.Time
	until   time.Time // no new cycle begins
	program string    // with failpoints

	mu                 sync.Mutex
	faults             map[string]int // by kind
	cycles             int
	records            uint64
	counters           int
	more, fewer, wrong int // counters that say more than was ordered, or less
	notes              []string
}

// TestChaos kills the program at every named point under load, cuts and slows its
// network, fills its disk, for as long as WINDOWED_CHAOS says. At the end every count,
// answer, final and dead letter must be right, and the figures are printed.
func TestChaos(t *testing.T) {
	text := os.Getenv(chaosVariable)
	if text == "" {
		t.Skip("make chaos runs it")
	}
	limit, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", chaosVariable, err)
	}
	c := &chaos{program: filepath.Join(t.TempDir(), "windowed"), faults: make(map[string]int)}
	build := exec.Command("go", "build", "-tags=planted", "-o", c.program, "windowed/cmd/windowed")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build windowed with failpoints: %v\n%s", err, out)
	}
	// What is under way at the end takes some 20 s to settle and to be compared.
	c.began = time.Now()
	c.until = c.began.Add(max(limit/2, limit-25*time.Second))
	t.Run("all", func(t *testing.T) {
		for name, run := range map[string]func(*testing.T, *rand.Rand){
			"failpoints":                c.points,
			"failpoints, at least once": c.pointsAtLeastOnce,
			"two instances and network": c.network,
			"disk full":                 c.fullDisk,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				seed := uint64(time.Now().UnixNano())
				t.Logf("seed %d", seed)
				run(t, rand.New(rand.NewPCG(seed, 0)))
			})
		}
	})
	c.print(t)
}

// env hands a planted fault on to the programs: chaos that notices none proves nothing.
func (c *chaos) env() []string {
	const planted = "WINDOWED_PLANTED"
	if f := os.Getenv(planted); f != "" {
		return []string{planted + "=" + f}
	}
	return nil
}

// happened notes a fault.
func (c *chaos) happened(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults[kind]++
	c.cycles++
}

func (c *chaos) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// settle lets a series come to rest and compares all that came out.
func (c *chaos) settle(t *testing.T, k killed, f *fleet, l *load) {
	t.Helper()
	e, counters, wrong := k.settle(t, f, l)
	more, fewer := e.differences(look(t, f.seed()))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records += e.allTime.orders + refused(e)
	c.counters += counters
	c.more, c.fewer, c.wrong = c.more+more, c.fewer+fewer, c.wrong+wrong
}

// differences are how many counters of the changelog say more than was ordered, and how
// many less.
func (e *expectation) differences(o *outside) (more, fewer int) {
	for p, records := range o.committed(names.Changelog) {
		have, want := lastValues(records), e.partitions[p].counts
		for key := range have {
			more += bit(have[key] > want[key])
		}
		for key := range want {
			fewer += bit(have[key] < want[key])
		}
	}
	return more, fewer
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c *chaos) print(t *testing.T) {
	t.Helper()
	var kinds []string
	for _, kind := range slices.SortedFunc(maps.Keys(c.faults), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.faults[b], c.faults[a]), cmp.Compare(a, b))
	}) {
		kinds = append(kinds, fmt.Sprintf("%s %d", kind, c.faults[kind]))
	}
	text := fmt.Sprintf("chaos of %v: %d cycles, %d records\n", time.Since(c.began).Round(time.Second), c.cycles, c.records)
	text += fmt.Sprintf("counters compared: %d, counted twice: %d, lost: %d, wrong: %d\n", c.counters, c.more, c.fewer, c.wrong)
	for _, note := range append(kinds, c.notes...) {
		text += "  " + note + "\n"
	}
	if t.Failed() {
		fmt.Print(text) // and not where figures of a run without faults are kept
	} else if err := report.Write("chaos", text); err != nil {
		t.Error(err)
	}
	if c.more+c.fewer+c.wrong > 0 {
		t.Errorf("%d counters say too much, %d too little, %d are wrong", c.more, c.fewer, c.wrong)
	}
}
