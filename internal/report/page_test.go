package report

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReports holds the list of public reports to its word: every test that it names is
// there, and one of them names the report.
func TestReports(t *testing.T) {
	b, err := os.ReadFile("../../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := strings.Cut(string(b), "| report | fault | test |\n|---|---|---|\n")
	if !ok {
		t.Fatal("docs/reliability.md has no list of reports")
	}
	all := tests(t)
	rows := 0
	for row := range strings.Lines(list) {
		cells := strings.Split(row, "|")
		if len(cells) != 5 {
			break
		}
		rows++
		for _, name := range regexp.MustCompile("`(Test[A-Za-z]+)`").FindAllStringSubmatch(cells[3], -1) {
			if !strings.Contains(all, "func "+name[1]+"(") {
				t.Errorf("there is no %s, which is to be about%s", name[1], cells[1])
			}
		}
		if strings.HasPrefix(strings.TrimSpace(cells[3]), "none") {
			continue
		}
		for _, id := range regexp.MustCompile(`[A-Za-z-]+[-#]\d+`).FindAllString(cells[1], -1) {
			_, number, _ := strings.Cut(id, "#")
			if !strings.Contains(all, id) && (number == "" || !strings.Contains(all, "#"+number)) {
				t.Errorf("no test names %s", id)
			}
		}
	}
	if rows < 30 {
		t.Errorf("%d reports only", rows)
	}
}

// tests are all test files of the module but those of this package.
func tests(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	module := os.DirFS("../..")
	err := fs.WalkDir(module, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "internal/report/") {
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
