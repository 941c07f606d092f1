package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// openDir opens a store on the real disk.
func openDir(dir string) (*State, error) { return Open(dir, testOptions(vfs.Default)) }

// storeToDamage makes a store in dir with tables, logs and a manifest that all matter,
// as a crash leaves it, and returns what was committed to it.
func storeToDamage(t *testing.T, dir string, drinks int) (log []transaction) {
	t.Helper()
	st, err := openDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(40) {
		switch {
		case i == 10 || i == 20:
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			if st, err = openDir(dir); err != nil {
				t.Fatal(err)
			}
		case i == 28:
			mustCheckpoint(t, st)
			if err := st.db.Flush(); err != nil {
				t.Fatal(err)
			}
		case i%2 == 0:
			mustCheckpoint(t, st)
		}
		p := int32(i % testPartitions)
		var changes []Change
		for d := range drinks {
			drink := fmt.Sprintf("drink %d of %d", d, i)
			changes = append(changes, total(drink, uint64(i+1)), count(10*(i/20), drink, uint64(i+1)))
		}
		tx := transaction{p: p, position: i + 1, changes: append(changes, numbers(10*(i/20), uint64(i), uint64(i)), meta(NewMeta(i)))}
		mustApply(t, st, p, tx.position, tx.changes...)
		log = append(log, tx)
	}
	mustCheckpoint(t, st)
	if err := st.Abandon(); err != nil {
		t.Fatal(err)
	}
	return log
}

// use opens a store that may be damaged, replays what it lacks and reads all of it.
func use(fs vfs.FS, dir string, log []transaction) (wrong, err error) {
	st, err := Open(dir, testOptions(fs))
	if err != nil {
		return nil, err
	}
	defer func() { _ = st.Abandon() }()
	want := newModel()
	for _, tx := range log {
		want.apply(tx.p, tx.changes)
		if tx.position > st.Position(tx.p) {
			if err := st.Apply(tx.p, tx.changes, tx.position); err != nil {
				return nil, err
			}
		}
	}
	for _, scope := range want.scopes() {
		all := want.top(scope)
		if top, err := st.Top(scope, len(all)+1); err != nil || !slices.Equal(top, all) {
			return fmt.Errorf("top of %v: %v, want %v", scope, top, all), err
		}
		for p := range int32(testPartitions) {
			for _, e := range all {
				if n, err := st.Count(p, e.Drink, scope); err != nil || n != want.counts[p][scope][e.Drink] {
					return fmt.Errorf("%q of partition %d in %v: %d, want %d", e.Drink, p, scope, n, want.counts[p][scope][e.Drink]), err
				}
			}
		}
	}
	return nil, st.Close()
}

func flip(share int) func(b []byte) []byte {
	return func(b []byte) []byte {
		b[(len(b)-1)*share/100] ^= 0x10
		return b
	}
}

// ways are the ways to damage a file; nil removes it.
var ways = []struct {
	name   string
	damage func(b []byte) []byte
}{
	{"removed", func([]byte) []byte { return nil }},
	{"emptied", func(b []byte) []byte { return b[:0] }},
	{"halved", func(b []byte) []byte { return b[:len(b)/2] }},
	{"quarter", func(b []byte) []byte { return b[:len(b)/4] }},
	{"one off", func(b []byte) []byte { return b[:max(0, len(b)-1)] }},
	{"longer", func(b []byte) []byte { return append(b, "garbage"...) }},
	{"zeroes", func(b []byte) []byte { clear(b[len(b)/3 : len(b)/2]); return b }},
	{"flip 0", flip(0)}, {"flip 10", flip(10)}, {"flip 30", flip(30)}, {"flip 60", flip(60)}, {"flip 90", flip(90)}, {"flip 100", flip(100)},
}

// TestDamagedStore damages every file of a store in every way. The damage is recognised,
// or what is missing can be replayed; counts are never wrong. All of it happens to copies
// in memory; every way is also tried on one file on the disk. A log without its end is no
// damage (pebble#453): what it had is in the changelog.
func TestDamagedStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	log := storeToDamage(t, dir, 12)
	files, err := vfs.Default.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	tables := 0
	for i, file := range files {
		whole := readAll(t, vfs.Default, filepath.Join(dir, file))
		if strings.HasSuffix(file, ".sst") {
			tables++
		}
		for k, way := range ways {
			if len(whole) == 0 && way.name != "removed" || raceEnabled && (i+k)%6 > 0 {
				continue
			}
			tryDamage(t, vfs.NewMem(), dir, "state", file, way.name, way.damage(slices.Clone(whole)), log)
			if k%len(files) == i {
				copied := filepath.Join(t.TempDir(), "state")
				tryDamage(t, vfs.Default, dir, copied, file, way.name, way.damage(slices.Clone(whole)), log)
			}
		}
	}
	if tables < 2 {
		t.Errorf("%d tables: the store is too small to damage", tables)
	}
}

func tryDamage(t *testing.T, fs vfs.FS, from, to, file, way string, b []byte, log []transaction) {
	t.Helper()
	if _, err := vfs.Clone(vfs.Default, fs, from, to); err != nil {
		t.Fatal(err)
	}
	if b == nil {
		if err := fs.Remove(fs.PathJoin(to, file)); err != nil {
			t.Fatal(err)
		}
	} else {
		writeAll(t, fs, fs.PathJoin(to, file), b)
	}
	wrong, err := use(fs, to, log)
	switch {
	case err != nil && !errors.Is(err, ErrCorrupt):
		t.Errorf("%s, %s: %v, want ErrCorrupt", file, way, err)
	case err == nil && wrong != nil:
		t.Errorf("%s, %s: wrong without an error: %v", file, way, wrong)
	case err == nil && strings.HasSuffix(file, ".sst") && (way == "removed" || way == "halved" || way == "emptied"):
		t.Errorf("%s, %s: nobody missed it", file, way)
	}
}

// TestDamageFoundInTheBackground: a compaction meets a damaged block. Pebble would end
// the process; the state says ErrCorrupt instead, so that the store is moved aside
// (pebble#4285).
func TestDamageFoundInTheBackground(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	storeToDamage(t, dir, 60)
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("tables %v, %v", tables, err)
	}
	for _, table := range tables {
		b, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(table, flip(30)(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	st, err := openDir(dir)
	if err != nil {
		t.Fatalf("%v; the damage is where only a compaction looks", err)
	}
	// Pebble begins a compaction that has failed again and again: this one may have to wait
	// for ever.
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- st.db.Compact(ctx, []byte{0}, []byte{endKind}, false) }()
	for st.found.Load() == nil && len(ended) == 0 {
		time.Sleep(time.Millisecond)
	}
	if cancel(); <-ended == nil {
		t.Fatal("a compaction reads all of it")
	}
	if err := st.Checkpoint(true); !errors.Is(err, ErrCorrupt) {
		t.Errorf("checkpoint: %v, want ErrCorrupt", err)
	}
	if err := st.Apply(0, []Change{total("x", 1)}, 1000); !errors.Is(err, ErrCorrupt) {
		t.Errorf("apply: %v, want ErrCorrupt", err)
	}
	if err := st.Close(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("close: %v, want ErrCorrupt", err)
	}
}
