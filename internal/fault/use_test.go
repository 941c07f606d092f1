package fault

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every point is passed at one place of the code, and every fault planted at some; both
// are in the lists, which tests go by.
func TestEveryNameIsUsed(t *testing.T) {
	code := source(t)
	points := names(t, "points.go")
	if len(points) != len(Points) || len(points) < 20 {
		t.Errorf("%d points are named, %d are in the list", len(points), len(Points))
	}
	for name, value := range points {
		if n := strings.Count(code, "fault.Point(fault."+name+")"); n != 1 || !slices.Contains(Points, value) {
			t.Errorf("point %s is passed at %d places; in the list: %v", name, n, slices.Contains(Points, value))
		}
	}
	faults := names(t, "faults.go")
	if len(faults) != len(Faults) || len(faults) < 14 {
		t.Errorf("%d faults are named, %d are in the list", len(faults), len(Faults))
	}
	for name, value := range faults {
		if !strings.Contains(code, "fault.Planted(fault."+name+")") || !slices.Contains(Faults, Fault(value)) {
			t.Errorf("fault %s is not planted, or not in the list", name)
		}
	}
}

// names are the constants of a file, with their values.
func names(t *testing.T, file string) map[string]string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, m := range regexp.MustCompile(`(?m)^\t(\w+) +(?:Fault )?= "([^"]+)"`).FindAllStringSubmatch(string(b), -1) {
		all[m[1]] = m[2]
	}
	return all
}

// source is all code of the module but tests and this package.
func source(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	module := os.DirFS("../..")
	err := fs.WalkDir(module, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "internal/fault/") {
			return err
		}
		b, err := fs.ReadFile(module, path)
		all.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
