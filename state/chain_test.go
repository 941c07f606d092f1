package state

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/window"
)

// TestCutManifest cuts the store's MANIFEST at every byte. Pebble opens many of these
// stores without an error, and what was flushed last is gone; it must never be taken for
// complete because the log behind it is still there.
func TestCutManifest(t *testing.T) {
	whole := twoRuns(t)
	manifest := whole.FS.PathJoin("state", manifestOf(t, whole.FS))
	content := readAll(t, whole.FS, manifest)
	recognised := 0
	for n := range content {
		opts := testOptions(vfs.NewMem())
		if _, err := vfs.Clone(whole.FS, opts.FS, "state", "state"); err != nil {
			t.Fatal(err)
		}
		writeAll(t, opts.FS, manifest, content[:n])
		st, err := Open("state", opts)
		if errors.Is(err, errMissing) {
			recognised++
		}
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("cut at byte %d of %d: %v", n, len(content), err)
			}
			continue
		}
		counts, err := st.Live(0, func(_, _ []byte) error { return nil })
		if err != nil || counts != int(st.Position(0)) {
			t.Errorf("cut at byte %d of %d: opened with %d of %d counts (%v)", n, len(content), counts, st.Position(0), err)
		}
		if err := st.Abandon(); err != nil {
			t.Fatal(err)
		}
	}
	if recognised == 0 && !raceEnabled {
		t.Error("Pebble noticed every cut by itself: the test is of no use")
	}
}

// twoRuns makes a store with one drink more at every position: those of the first run
// are in a table, those of the second in the log.
func twoRuns(t *testing.T) Options {
	t.Helper()
	opts := testOptions(vfs.NewMem())
	at := int64(0)
	for range 2 {
		st := mustOpen(t, opts)
		for range 3 {
			at++
			mustApply(t, st, 0, at, Change{Kind: CountKind, Scope: window.AllTime, Drink: fmt.Sprint(at), Count: 1})
			mustCheckpoint(t, st)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return opts
}

// manifestOf is the name of the MANIFEST in use; it is part of its marker's name.
func manifestOf(t *testing.T, fs vfs.FS) string {
	t.Helper()
	files, err := fs.List("state")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasPrefix(file, "marker.manifest.") {
			return file[strings.LastIndexByte(file, '.')+1:]
		}
	}
	t.Fatalf("no MANIFEST in %v", files)
	return ""
}

func readAll(t *testing.T, fs vfs.FS, file string) []byte {
	t.Helper()
	f, err := fs.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeAll(t *testing.T, fs vfs.FS, file string, b []byte) {
	t.Helper()
	f, err := fs.Create(file, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(b); err != nil {
		t.Fatal(err)
	}
}
