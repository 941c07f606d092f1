//go:build unix

package e2e

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// The embedded broker keeps what it keeps (internal/kafka/embedded.go): so many orders
// behind the next one, so many records of output and dead letters; a changelog partition
// is rewritten once it has 100,000 records and more than 4 times its live keys.
const (
	keptOrders = 200_000
	keptOutput = 20_000
	rewriteAt  = 100_000
)

// TestSmall lets the embedded broker's topics grow beyond what it keeps. The changelog
// must be rewritten and what lies before it deleted, and all counts must stay right: while
// it runs, after kill -9, and restored from nothing but the rewritten changelog.
func TestSmall(t *testing.T) {
	t.Parallel()
	p := newPlace(t, append([]string{"--commit-interval=5ms"}, steady...)...)
	partitions := int32(1)
	if full {
		partitions = 3
	}
	p.topics(partitions, nil)
	g := p.start().running()
	w := newWide(g.broker(), partitions)
	eventually(t, "the changelog to be rewritten", func() error {
		g.alive()
		starts, ends := w.o.starts(names.Changelog), w.o.ends(names.Changelog)
		if lowest(ends) < rewriteAt*11/10 {
			w.send(5)
		}
		if lowest(starts) == 0 {
			return fmt.Errorf("it begins at %v and ends at %v", starts, ends)
		}
		return nil
	})
	w.send(20) // on top of the rewritten one
	w.checked(g)
	g.kill()

	g = p.start().running()
	w.o = g.broker()
	w.checked(g)
	w.send(20)
	w.checked(g)
	starts, ends := w.o.starts(names.Changelog), w.o.ends(names.Changelog)
	for partition, start := range starts {
		if records := ends[partition] - start; records > 2*rewriteAt {
			t.Errorf("changelog partition %d still has %d records", partition, records)
		}
	}
	g.kill()

	p.wipe()
	p.run("restore").ok()
	g = p.with("--idle-timeout=1s").start().running().closed()
	w.o = g.broker()
	w.checked(g)
	g.stop()
}

// wide sends orders of many drinks, so that every commit writes many changelog records,
// and expects their counts: the topic forgets them.
type wide struct {
	o          *outside
	partitions int32
	n          int64
	want       *expectation
}

func newWide(o *outside, partitions int32) *wide {
	return &wide{o: o, partitions: partitions, want: newExpectation(hourly, int(partitions))}
}

// lowest is the lowest of the offsets.
func lowest(offsets map[int32]int64) int64 { return slices.Min(slices.Collect(maps.Values(offsets))) }

// send sends n orders to each partition.
func (w *wide) send(n int) {
	w.o.t.Helper()
	for range n {
		items := make([]item, 900)
		for i := range items {
			items[i] = item{Drink: fmt.Sprintf("drink %d", i), Quantity: uint64(1 + (i+int(w.n))%3)}
		}
		for p := range w.partitions {
			r := to(p, orderAt(noon+w.n*1000, items...))
			w.o.send(r)
			if err := w.want.addAll([]*kgo.Record{r}); err != nil {
				w.o.t.Fatal(err)
			}
		}
		w.n++
	}
}

// checked waits until all is counted and compares.
func (w *wide) checked(g *program) {
	w.o.t.Helper()
	g.reaches(w.o.ends(names.Orders))
	w.want.checkChangelog(w.o.t, w.o)
	w.want.checkAnswers(w.o.t, g)
}

// TestSmallInput lets orders, output and dead letters grow beyond what is kept.
func TestSmallInput(t *testing.T) {
	t.Parallel()
	p := newPlace(t, append([]string{"--flush=1ms", "--commit-interval=1ms"}, steady...)...)
	p.topics(1, nil)
	g := p.start().running()
	o := g.broker()
	sent := 0
	eventually(t, "orders and dead letters to be trimmed", func() error {
		g.alive()
		if sent < keptOrders+40_000 {
			sent += sendOneBadInFive(o, 10_000)
		}
		starts, letters := o.starts(names.Orders), o.starts(names.DeadLetters)
		if starts[0] == 0 || letters[0] == 0 {
			return fmt.Errorf("orders begin at %d, dead letters at %d, of %d", starts[0], letters[0], sent)
		}
		return nil
	})
	g.reaches(o.ends(names.Orders)).counts(uint64(sent / 5 * 4))
	if start := o.starts(names.Orders)[0]; start > int64(sent)-keptOrders {
		t.Errorf("orders begin at %d of %d", start, sent)
	}
	if start, end := o.starts(names.DeadLetters)[0], o.ends(names.DeadLetters)[0]; end-start < keptOutput {
		t.Errorf("only %d dead letters are left", end-start)
	}
	g.kill()
	p.wipe()
	g = p.start().running()
	g.counts(uint64(sent / 5 * 4))
	g.stop()
}

// sendOneBadInFive sends n records to partition 0.
func sendOneBadInFive(o *outside, n int) int {
	o.t.Helper()
	records := make([]*kgo.Record, n)
	for i := range records {
		records[i] = to(0, one(noon, "latte", 1))
		if i%5 == 0 {
			records[i] = to(0, []byte(`{}`))
		}
	}
	o.send(records...)
	return n
}
