//go:build unix

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// replayed are the files whose loss costs a longer replay only; what is in them, or they
// point to, is in the changelog.
var replayed = map[string]bool{"*.log": true, "marker.manifest*": true, "OPTIONS-*": true}

var errRunning = errors.New("it still runs")

// damages are what a disk does to the files of a store.
var damages = []struct {
	name, files string
	how         func(file string, content []byte) error
}{
	{"flipped bytes", "*.sst", func(file string, b []byte) error {
		for i := range b {
			b[i] ^= 0x55
		}
		return os.WriteFile(file, b, 0o600)
	}},
	{"flipped byte", "*.sst", func(file string, b []byte) error {
		b[len(b)/3] ^= 1
		return os.WriteFile(file, b, 0o600)
	}},
	{"cut table", "*.sst", func(file string, b []byte) error { return os.WriteFile(file, b[:len(b)/2], 0o600) }},
	{"lost table", "*.sst", func(file string, _ []byte) error { return os.Remove(file) }},
	{"cut manifest", "MANIFEST-*", func(file string, b []byte) error { return os.WriteFile(file, b[:len(b)/2], 0o600) }},
	{"empty manifest", "MANIFEST-*", func(file string, _ []byte) error { return os.WriteFile(file, nil, 0o600) }},
	{"lost manifest", "MANIFEST-*", func(file string, _ []byte) error { return os.Remove(file) }},
	{"flipped manifest byte", "MANIFEST-*", func(file string, b []byte) error {
		b[len(b)/2] ^= 1
		return os.WriteFile(file, b, 0o600)
	}},
	{"longer table", "*.sst", func(file string, b []byte) error { return os.WriteFile(file, append(b, "garbage"...), 0o600) }},
	{"garbage log", "*.log", func(file string, _ []byte) error { return os.WriteFile(file, make([]byte, 1<<16), 0o600) }},
	{"cut log", "*.log", func(file string, b []byte) error { return os.WriteFile(file, b[:len(b)/2], 0o600) }},
	{"lost log", "*.log", func(file string, _ []byte) error { return os.Remove(file) }},
	{"lost marker", "marker.manifest*", func(file string, _ []byte) error { return os.Remove(file) }},
	{"lost options", "OPTIONS-*", func(file string, _ []byte) error { return os.Remove(file) }},
}

// TestDamage damages the local store in ways a disk does. It must be moved aside and
// restored, with the same counts.
func TestDamage(t *testing.T) {
	t.Parallel()
	for _, damage := range damages {
		t.Run(damage.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, steady...)
			g := p.start().running()
			o := g.broker()
			someOrders(o, 70)
			g.reaches(o.ends(names.Orders))
			g.stop()
			p.start().running().stop() // opening a store makes tables of its log
			for _, file := range storeFiles(t, p, damage.files) {
				b, err := os.ReadFile(file)
				if err == nil {
					err = damage.how(file, b)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			g = p.start().running()
			o = g.broker()
			someOrders(o, 5) // what is damaged need not show before it is used
			g.reaches(o.ends(names.Orders))
			e := modelled(t, o, hourly)
			e.checkChangelog(t, o)
			e.checkAnswers(t, g)
			g.stop()
			aside, _ := filepath.Glob(filepath.Join(p.state(), "db.bad-*"))
			if len(aside) == 0 && !replayed[damage.files] {
				t.Error("the damaged store was not kept aside")
			}
			// Once is enough.
			p.start().running().stop()
			if again, _ := filepath.Glob(filepath.Join(p.state(), "db.bad-*")); len(again) != len(aside) {
				t.Errorf("moved aside: first %v, then %v", aside, again)
			}
		})
	}
}

// storeFiles are the files of a stopped program's store that match.
func storeFiles(t *testing.T, p *place, pattern string) []string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(p.state(), "db", pattern))
	if len(files) == 0 {
		all, _ := filepath.Glob(filepath.Join(p.state(), "db", "*"))
		t.Fatalf("no %s in the store: %v", pattern, all)
	}
	return files
}
