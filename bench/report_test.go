package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReportReplacesItsSectionOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	page := "# Page\n\nbefore\n\n" + markBegin + "\n\nold | figures\n\n" + markEnd + "\n\nbehind\n"
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	r := report{machine: "Made somewhere.\n"}
	r.add("replay", "of files\n")
	r.add("main", "of all\n")
	want := "# Page\n\nbefore\n\n" + markBegin + "\n\nMade somewhere.\n\n### All contestants\n\nof all\n\n### Files\n\nof files\n\n" + markEnd + "\n\nbehind\n"
	for range 2 { // a second time it finds what it has written
		if err := r.write(file); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file); string(got) != want {
			t.Fatalf("the page is now\n%s\nwant\n%s", got, want)
		}
	}
}

func TestReportNeedsItsMarks(t *testing.T) {
	for name, page := range map[string]string{
		"none":       "# Page\n",
		"no end":     markBegin + "\n",
		"turned":     markEnd + "\n" + markBegin + "\n",
		"twice":      strings.Repeat(markBegin+"\n"+markEnd+"\n", 2),
		"two begins": markBegin + "\n" + markBegin + "\n" + markEnd + "\n",
	} {
		if got, err := replaceSection(page, "new\n"); err == nil {
			t.Errorf("%s: no error, but %q", name, got)
		}
	}
}

// The page that make bench-full writes to has the marks.
func TestPerformancePageHasMarks(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replaceSection(string(page), ""); err != nil {
		t.Error(err)
	}
}
