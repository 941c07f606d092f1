//go:build planted

package mutants

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"windowed/internal/fault"
	"windowed/internal/report"
)

// limit is how long one run of a test may take. No fault of the table hangs.
const limit = 3 * time.Minute

// environment has the seeds of the model: enough for every fault, too few for the model to
// ask for everything that can happen; those of the simulation, of which one in ten notices
// the fault that is the hardest to notice; and nowhere for their figures to go.
var environment = []string{"WINDOWED_SEEDS=99", "WINDOWED_SIM=40", "WINDOWED_PAGE=", "WINDOWED_FIGURES="}

// TestMutants runs the chosen tests without a fault, and must see them pass, then each of
// them with its fault, and must see it fail as it should.
func TestMutants(t *testing.T) {
	checkTable(t)
	dir := t.TempDir()
	for _, pkg := range []string{engine, kafka, e2e} {
		build(t, dir, pkg)
		if out, err := run(dir, pkg, testsOf(pkg), ""); err != nil {
			t.Fatalf("%s without a fault: %v\n%s", pkg, err, out)
		}
	}
	about := descriptions(t)
	began := time.Now()
	table := "| planted fault | caught by | it says |\n|---|---|---|\n"
	for _, m := range mutants {
		out, err := run(dir, m.pkg, m.test, m.fault)
		how, caught := m.verdict(out, err)
		if !caught {
			t.Errorf("%s survives %s of %s, which must say %q: %v\n%s", m.fault, m.test, m.pkg, m.says, err, out)
		}
		table += fmt.Sprintf("| %s | `%s` (%s) | %s |\n", about[m.fault], m.test, m.pkg, strings.ReplaceAll(how, "|", "/"))
	}
	if t.Failed() {
		fmt.Print(table)
		return
	}
	table += fmt.Sprintf("\n%d of %d noticed, in %v.\n", len(mutants), len(fault.Faults), time.Since(began).Round(time.Second))
	if err := report.Write("mutants", table); err != nil {
		t.Error(err)
	}
}

// descriptions are what the comments say of the faults.
func descriptions(t *testing.T) map[fault.Fault]string {
	t.Helper()
	b, err := os.ReadFile("../fault/faults.go")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[fault.Fault]string)
	for _, m := range regexp.MustCompile(`Fault = "([^"]+)" +// (.+)`).FindAllStringSubmatch(string(b), -1) {
		all[fault.Fault(m[1])] = m[2]
	}
	if len(all) != len(fault.Faults) {
		t.Fatalf("%d faults are described, not %d", len(all), len(fault.Faults))
	}
	return all
}

// checkTable: every fault is in the table, once.
func checkTable(t *testing.T) {
	t.Helper()
	for _, f := range fault.Faults {
		n := 0
		for _, m := range mutants {
			if m.fault == f {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s is in the table %d times", f, n)
		}
	}
}

// testsOf is a pattern for all tests that are chosen in a package.
func testsOf(pkg string) string {
	var names []string
	for _, m := range mutants {
		if m.pkg == pkg && !slices.Contains(names, m.test) {
			names = append(names, m.test)
		}
	}
	return strings.Join(names, "|")
}

func build(t *testing.T, dir, pkg string) {
	t.Helper()
	out, err := exec.Command("go", "test", "-c", "-tags=planted", "-o", filepath.Join(dir, pkg), "windowed/internal/"+pkg).CombinedOutput()
	if err != nil {
		t.Fatalf("build the tests of %s: %v\n%s", pkg, err, out)
	}
}

// run runs tests of a package with a fault.
func run(dir, pkg, tests string, f fault.Fault) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, pkg), "-test.failfast", "-test.timeout="+limit.String(), "-test.run=^("+tests+")$")
	cmd.Dir = filepath.Join("..", pkg)
	cmd.Env = append(append(os.Environ(), environment...), "WINDOWED_PLANTED="+string(f))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// verdict is the line that says how a fault was caught. A panic or a timeout is no
// verdict: the test has to notice what is wrong.
func (m *mutant) verdict(out string, err error) (how string, caught bool) {
	if err == nil {
		return "it survives", false
	}
	if strings.Contains(out, "panic: ") {
		return "a panic or a timeout", false
	}
	for line := range strings.Lines(out) {
		if _, says, ok := strings.Cut(line, "_test.go:"); ok && how == "" {
			how = shorten(says)
		}
		for _, text := range strings.Split(m.says, "|") {
			caught = caught || strings.Contains(line, text)
		}
	}
	return how, caught
}

// shorten is the text of a failure without its line number, in one column.
func shorten(says string) string {
	_, says, _ = strings.Cut(strings.TrimSpace(says), ": ")
	if r := []rune(says); len(r) > 110 {
		return string(r[:107]) + "..."
	}
	return says
}
