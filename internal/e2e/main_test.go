//go:build unix

package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// windowed is the program under test, built once per test run.
var windowed string

// full says that the long form of the tests was asked for.
var full = os.Getenv("WINDOWED_FULL") == "1"

// atOnce is how many tests run at the same time unless -parallel says otherwise: most of
// their time they wait for a clock inside the program (idleness, housekeeping), not for a
// processor.
const atOnce = "6"

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "windowed-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	windowed = filepath.Join(dir, "windowed")
	if os.Getenv(outVariable) == "" { // a simulated seed runs no other process
		build := exec.Command("go", "build", "-o", windowed, "windowed/cmd/windowed")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build windowed: %v\n%s", err, out)
			return 1
		}
	}
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		_ = flag.Set("test.parallel", atOnce)
	}
	code := m.Run()
	if err := figures.write(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}
