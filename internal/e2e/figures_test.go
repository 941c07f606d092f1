//go:build unix

package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"windowed/internal/report"
)

// figures sums up the tests on a real Kafka. Safe for concurrent use.
var figures tallies

type tallies struct {
	mu                   sync.Mutex
	tests, started       int
	faults               map[string]int
	records, lost, twice uint64
}

// test takes note of a test that has begun, brokers of n that were started.
func (f *tallies) test() { f.mu.Lock(); f.tests++; f.mu.Unlock() }

func (f *tallies) brokers(n int) { f.mu.Lock(); f.started += n; f.mu.Unlock() }

// fault takes note of n faults of a kind.
func (f *tallies) fault(kind string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.faults == nil {
		f.faults = make(map[string]int)
	}
	f.faults[kind] += n
}

// compared takes note of what a job has counted of its input.
func (f *tallies) compared(e *expectation, have statusAnswer) {
	f.sums(e.allTime.orders+refused(e), have.Records)
}

func (f *tallies) sums(want, have uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.records += want
	if have < want {
		f.lost += want - have
	} else {
		f.twice += have - want
	}
}

// write writes them down if there are any.
func (f *tallies) write() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tests == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "real Kafka: %d tests of the program, %d brokers started, %d records, %d duplicates, %d lost\n", f.tests, f.started, f.records, f.twice, f.lost)
	for _, kind := range slices.Sorted(maps.Keys(f.faults)) {
		fmt.Fprintf(&b, "  %4d  %s\n", f.faults[kind], kind)
	}
	return report.Write("kafka", b.String())
}
