package report

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	page, file := filepath.Join(dir, "page.md"), filepath.Join(dir, "figures.txt")
	before := "# Page\n\n<!-- figures: sim -->\nold\n<!-- end of figures -->\n\n<!-- figures: chaos -->\n<!-- end of figures -->\nrest\n"
	if err := os.WriteFile(page, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(pageVariable, page)
	t.Setenv(fileVariable, file)
	for range 2 { // the second time replaces what the first has written
		if err := Write("sim", "7 seeds\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write("chaos", "| a |\n"); err != nil {
		t.Fatal(err)
	}
	want := "# Page\n\n<!-- figures: sim -->\n\n```text\n7 seeds\n```\n\n<!-- end of figures -->\n\n<!-- figures: chaos -->\n\n| a |\n\n<!-- end of figures -->\nrest\n"
	if b, err := os.ReadFile(page); err != nil || string(b) != want {
		t.Errorf("%v\n%s, not\n%s", err, b, want)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "7 seeds\n7 seeds\n| a |\n" {
		t.Errorf("%v: %q", err, b)
	}
	if err := Write("nothing", "x\n"); err == nil {
		t.Error("figures without a place are lost without a word")
	}
}
