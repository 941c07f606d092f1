package engine

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

var modelSeed = flag.Int64("model.seed", -1, "run this one seed of the model")

// modelSeeds is how many seeds a run of the model takes: WINDOWED_SEEDS, or normal.
func modelSeeds(t *testing.T, normal int) int {
	text := os.Getenv("WINDOWED_SEEDS")
	if text == "" {
		return normal
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("WINDOWED_SEEDS: %v", err)
	}
	return n
}

// eachSeed calls run for the seeds 0 to n-1 on all processors, until it says stop.
func eachSeed(n int, run func(seed uint64) (stop bool)) {
	var next atomic.Uint64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				seed := next.Add(1) - 1
				if seed >= uint64(n) || run(seed) {
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestModel runs the engine's step and state on several instances through lagging
// followers, takeovers, growth, time jumps, idleness, crashes, aborts, amendments and
// expiry in chunks, and compares all of it with the rules, written a second time. A partition
// is idle only where it has read all there is (FLINK-5479, numaflow#2943, beam#40176).
func TestModel(t *testing.T) {
	if *modelSeed >= 0 {
		seen, err := runModel(uint64(*modelSeed), asDesigned)
		if err != nil {
			t.Fatalf("seed %d: %v", *modelSeed, err)
		}
		t.Logf("seed %d: %v", *modelSeed, seen)
		return
	}
	var mu sync.Mutex
	all, failed := map[string]int{}, 0
	seeds := modelSeeds(t, 150)
	eachSeed(seeds, func(seed uint64) bool {
		seen, err := safely(seed, asDesigned)
		mu.Lock()
		defer mu.Unlock()
		for what, n := range seen {
			all[what] += n
		}
		if err == nil {
			return false
		}
		t.Errorf("seed %d: %v\nagain: go test ./internal/engine -run TestModel -model.seed=%d", seed, err, seed)
		failed++
		return failed >= 5
	})
	t.Logf("%d seeds: %v", seeds, all)
	if failed > 0 || seeds < 100 {
		return
	}
	for _, what := range modelMustSee {
		if all[what] == 0 {
			t.Errorf("%d seeds without this: %s", seeds, what)
		}
	}
}

// modelMustSee is what has to happen in a run of the model, else it proves nothing.
var modelMustSee = []string{
	"abort", "amended", "amended too late for a revision", "crash", "crash after a commit", "final", "final forgotten",
	"future", "growth", "invalid", "lag", "late", "late by idleness", "opened by an amendment", "prefetch", "raise",
	"restore of a compacted log", "revision", "revision held back", "snapshot", "takeover", "unknown outcome",
}

// safely makes a panic of one seed an error that names it.
func safely(seed uint64, variant string) (seen map[string]int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return runModel(seed, variant)
}
