//go:build unix

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// disk is one that can be filled.
type disk struct {
	dir string // for the state
	how string // what it is
	env []string

	fill, free func() error
}

// newDisk is a small file system of its own, or, where nobody may mount one, the disk of
// the test with a build that says it is full.
func newDisk(t *testing.T) *disk {
	t.Helper()
	dir := t.TempDir()
	if err := mountSmall(t, dir, smallDisk); err == nil {
		ballast := filepath.Join(dir, "ballast")
		return &disk{
			dir: filepath.Join(dir, "state"), how: "a tmpfs of its own",
			fill: func() error { return fillFile(ballast) }, free: func() error { return os.Remove(ballast) },
		}
	} else {
		t.Logf("no file system can be mounted (%v)", err)
	}
	full := filepath.Join(dir, "full")
	return &disk{
		dir: filepath.Join(dir, "state"), how: "a build that refuses to write", env: []string{"WINDOWED_DISK_FULL=" + full},
		fill: func() error { return os.WriteFile(full, nil, 0o600) }, free: func() error { return os.Remove(full) },
	}
}

const smallDisk = 24 << 20

// fillFile writes to a file until there is no room left.
func fillFile(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
	return nil
}

// fullDisk fills the disk of the state directory under load, more than once. The program
// must end and say so, refuse to start as long as there is no room, and go on where it
// was once there is.
func (c *chaos) fullDisk(t *testing.T, _ *rand.Rand) {
	d := newDisk(t)
	k := killed{own: true, instances: 1, program: c.program, env: append(c.env(), d.env...), flags: []string{"--state=" + d.dir}}
	f := k.begin(t)
	l := newLoad(t, f.seed, killPartitions, 1)
	defer l.end()
	o := look(t, f.seed())
	for round := range 3 {
		f.start()
		l.begin()
		time.Sleep(time.Second) // not a wait: something to lose
		f.must(d.fill())
		g := f.running[0]
		eventually(t, "the program to notice that its disk is full", func() error {
			if g.exited() {
				return nil
			}
			o.send(manyDrinks(round)...)
			return errRunning
		})
		saysFull(t, g)
		again := f.places[0].start()
		select {
		case <-again.done:
			saysFull(t, again)
		case <-time.After(2 * time.Second):
			// What little it has to write at first fits into blocks that are its own.
			again.kill()
		}
		f.must(d.free())
		f.running[0] = nil
		c.happened("disk full")
	}
	c.note("full disk: by %s", d.how)
	c.settle(t, k, f, l)
}

// saysFull checks how a program ended that could not write.
func saysFull(t *testing.T, g *program) {
	t.Helper()
	if g.code <= 0 {
		t.Errorf("exit code %d with a full disk", g.code)
	}
	log := g.stderr.String()
	if !strings.Contains(log, "disk of the state directory is full") || strings.Contains(log, "goroutine ") {
		t.Errorf("it does not say clearly that the disk is full:\n%s", lastLines(log, 10))
	}
}

// manyDrinks are orders of drinks that nobody has ordered before: some 5 MiB in the state.
func manyDrinks(round int) (records []*kgo.Record) {
	for i := range 500 {
		drink := fmt.Sprintf("%d-%d-%s", round, time.Now().UnixNano(), strings.Repeat("x", 200))
		records = append(records, to(int32(i%killPartitions), orderAt(time.Now().Add(-30*day).UnixMilli(), item{Drink: drink, Quantity: 1})))
	}
	return records
}
