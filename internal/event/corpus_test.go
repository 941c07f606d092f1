package event

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpus is a file of values that a producer may send by mistake or on purpose, by name,
// and their fates.
func corpus(tb testing.TB) (values map[string][]byte, fates map[string]string) {
	tb.Helper()
	dir := filepath.Join("testdata", "corpus")
	list, err := os.ReadFile(filepath.Join(dir, "fates.txt"))
	if err != nil {
		tb.Fatal(err)
	}
	values, fates = make(map[string][]byte), make(map[string]string)
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, fate, _ := strings.Cut(line, ": ")
		fates[name] = fate
		if values[name], err = os.ReadFile(filepath.Join(dir, name+".order")); err != nil {
			tb.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.order"))
	if err != nil || len(files) != len(fates) {
		tb.Fatalf("%d files and %d fates, %v", len(files), len(fates), err)
	}
	return values, fates
}

// TestCorpus decodes every file, with a decoder that knows the shape of an ordinary order
// and with one that does not.
func TestCorpus(t *testing.T) {
	values, fates := corpus(t)
	used := mustDecoder(t, Config{TimeField: "ts"})
	for range 3 {
		if _, fault := used.Decode([]byte(`{"ts":"2026-03-01T10:15:50Z","items":[{"drink":"tea","quantity":2}]}`), recordTime); fault != nil {
			t.Fatal(fault)
		}
	}
	for name, fate := range fates {
		t.Run(name, func(t *testing.T) {
			for what, d := range map[string]*Decoder{"new": mustDecoder(t, Config{TimeField: "ts"}), "used": used} {
				if got := fateOf(d.Decode(values[name], recordTime)); got != fate {
					t.Errorf("a %s decoder says %.300q, not %.300q", what, got, fate)
				}
			}
		})
	}
}

// fateOf writes an outcome as fates.txt does.
func fateOf(event *Event, fault *Error) string {
	if fault != nil {
		return strings.TrimSpace(fault.Reason.String() + " " + fault.Path)
	}
	text := fmt.Sprint(event.Time)
	for _, item := range event.Items {
		text += fmt.Sprintf(" %q=%d", item.Name, item.Quantity)
	}
	return text
}
