package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// builder is a contestant that must be built or installed first.
type builder interface {
	build(ctx context.Context, sources, out string, progress func(string, ...any)) error
}

// main runs all contestants over the same orders, in rounds.
func (b *bench) main(ctx context.Context) error {
	return b.table(ctx, "main", b.workload(), b.Rounds, []contestant{
		b.exactly(), b.atLeast(), rawConsumer(), decodingConsumer(), mapConsumer(),
		kafkaStreams("Kafka Streams by hand", "by-partition", "exactly-once", b.Heap),
		kafkaStreams("Kafka Streams by hand", "by-partition", "at-least-once", b.Heap),
		kafkaStreams("Kafka Streams DSL", "dsl", "exactly-once", b.Heap),
		kafkaStreams("Kafka Streams DSL", "dsl", "at-least-once", b.Heap),
		flink("Flink, state on the heap", "hashmap", b.Heap),
		flink("Flink, state in RocksDB", "rocksdb", b.Heap),
	})
}

// uniform has so many drinks that nearly every item touches a key of its own.
func (b *bench) uniform(ctx context.Context) error {
	w := b.workload()
	w.Orders, w.Drinks, w.Zipf, w.Span = b.UniformOrders, 100_000, 0, w.Window-w.Disorder
	return b.table(ctx, "uniform", w, 1, []contestant{
		b.exactly(), b.atLeast(), rawConsumer(), mapConsumer(),
		kafkaStreams("Kafka Streams by hand", "by-partition", "exactly-once", b.Heap),
		flink("Flink, state on the heap", "hashmap", b.Heap),
	})
}

// table runs contestants in rounds, and reports them in a table.
func (b *bench) table(ctx context.Context, scenario string, w *Workload, rounds int, all []contestant) error {
	all = slices.DeleteFunc(all, func(c contestant) bool { return !b.wanted(c.name()) })
	results, entered, err := b.enter(ctx, all)
	if err != nil || len(entered) == 0 {
		return err
	}
	g, err := b.prepare(ctx, scenario, w)
	if err != nil {
		return err
	}
	extra := &aside{b: b}
	run := 0
	for last := time.Duration(0); run < rounds && !b.exhausted(run, last); run++ {
		begin := time.Now()
		b.progress("%s: round %d of %d", scenario, run+1, rounds)
		for i, c := range all {
			if !entered[c] {
				continue
			}
			r, err := middle(b.Brief, g.truth.Orders, func(first bool) (Run, error) {
				if !first {
					return g.race(ctx, c, nil)
				}
				return g.race(ctx, c, extra.of(ctx, c, scenario))
			})
			if err != nil {
				return err
			}
			results[i].Runs = append(results[i].Runs, r)
		}
		last = time.Since(begin)
	}
	text := fmt.Sprintf("%s%s\n\n%s%s%s", describe(w, g.truth, "main", run), b.briefs(), table(results), wrongs(results), shares(results))
	b.report.add(scenario, text+extra.text())
	return g.drop(ctx)
}

// exhausted says that another round as long as the last would go beyond the budget.
func (b *bench) exhausted(run int, last time.Duration) bool {
	if run == 0 || b.Budget == 0 || time.Since(b.began)+last <= b.Budget {
		return false
	}
	b.progress("no more rounds: another one would end after more than %v", b.Budget)
	return true
}

// enter builds contestants, and says which of them can run. There is a result for each.
func (b *bench) enter(ctx context.Context, all []contestant) ([]Result, map[contestant]bool, error) {
	results := make([]Result, len(all))
	entered := make(map[contestant]bool)
	for i, c := range all {
		results[i].Name = c.name()
		if p, ok := c.(builder); ok {
			if err := p.build(ctx, b.Peers, b.Dir, b.progress); err != nil {
				if ctx.Err() != nil {
					return nil, nil, ctx.Err()
				}
				b.progress("%s: %v", c.name(), err)
				results[i].Note = failure(err)
				continue
			}
		}
		entered[c] = true
	}
	return results, entered, nil
}

// describe says what the orders of a table were.
func describe(w *Workload, t *Truth, scenario string, rounds int) string {
	drinks := fmt.Sprintf("zipf %g", w.Zipf)
	if w.Zipf == 0 {
		drinks = "all ordered alike"
	}
	text := fmt.Sprintf("%s orders of %.0f bytes on average, 1 to %d items, %s drinks (%s), partitions: %d, windows of %[8]v: %[7]s, grace %[9]v, disorder up to %[10]v, %[11]s of the orders late",
		thousands(t.Orders), float64(t.Bytes)/float64(t.Orders), w.Items, thousands(int64(w.Drinks)), drinks, w.Partitions,
		thousands(int64(len(t.Answer)-1)), w.Window, w.Grace, w.Disorder, share(t.Late, t.Orders))
	switch rounds {
	case 1:
		text += "; one round."
	default:
		text += fmt.Sprintf("; medians of %d rounds, ratios within the rounds.", rounds)
	}
	return text + " " + reproduce(w, scenario)
}

// briefs says which runs are the middle one of several.
func (b *bench) briefs() string {
	if b.Brief == 0 {
		return ""
	}
	return fmt.Sprintf(" Whoever takes less than %v runs %d times a round; the run of middle speed counts.", b.Brief, briefRuns)
}

func share(part, of int64) string {
	return fmt.Sprintf("%.2g %%", 100*float64(part)/float64(max(1, of)))
}

// reproduce is how to run the same orders again.
func reproduce(w *Workload, scenario string) string {
	flags := []string{
		fmt.Sprintf("--seed=%d", w.Seed), fmt.Sprintf("--orders=%d", w.Orders), fmt.Sprintf("--partitions=%d", w.Partitions),
		fmt.Sprintf("--drinks=%d", w.Drinks), fmt.Sprintf("--zipf=%g", w.Zipf), fmt.Sprintf("--items=%d", w.Items),
		fmt.Sprintf("--windows=%d", int((w.Span+w.Disorder)/w.Window)), fmt.Sprintf("--disorder=%v", w.Disorder), fmt.Sprintf("--late=%g", w.Late),
	}
	if w.Size > 0 {
		flags = append(flags, fmt.Sprintf("--size=%d", w.Size))
	}
	return "The same orders: `bin/bench --scenario=" + scenario + " " + strings.Join(flags, " ") + "`."
}

// shares says what part of the limit windowed reaches with the same CPU.
func shares(results []Result) string {
	var limit *Result
	for i := range results {
		if results[i].Name == rawConsumer().name() && len(results[i].Runs) > 0 && results[i].wrong() == nil {
			limit = &results[i]
		}
	}
	if limit == nil {
		return ""
	}
	text := ""
	for i := range results {
		r := &results[i]
		if strings.HasPrefix(r.Name, "windowed") && len(r.Runs) > 0 && r.wrong() == nil {
			text += fmt.Sprintf("\nOf the orders that franz-go alone reads in a second of CPU, %s counts %.2g %%.\n", r.Name, 100*ratio(limit, r, cpuOfRun))
		}
	}
	return text
}

// backlog compares the memory that backlogs of different sizes take.
func (b *bench) backlog(ctx context.Context) error {
	if !b.wanted(b.exactly().name()) {
		return nil
	}
	var rows [][]string
	var peaks []float64
	for _, orders := range b.Backlog {
		w := b.workload()
		w.Orders = orders
		g, err := b.prepare(ctx, "backlog", w)
		if err != nil {
			return err
		}
		var all Result
		for range b.Rounds {
			r, err := g.race(ctx, b.exactly(), nil)
			if err != nil {
				return err
			}
			all.Runs = append(all.Runs, r)
		}
		if err := g.drop(ctx); err != nil {
			return err
		}
		rows = append(rows, append([]string{thousands(int64(orders))}, row(&all, &Result{})[1:6]...))
		if all.wrong() == nil {
			peaks = append(peaks, median(all.of(rssOf)))
		}
	}
	text := fmt.Sprintf("windowed, exactly once, over backlogs of different sizes; medians of %d.\n\n", b.Rounds) + markdown(append([]string{"orders"}, tableHeader[1:6]...), rows)
	if len(peaks) == len(b.Backlog) && len(peaks) > 1 {
		text += fmt.Sprintf("\nFrom the first to the last the peak changes by %+.1f %%.\n", 100*(peaks[len(peaks)-1]/peaks[0]-1))
	}
	b.report.add("backlog", text)
	return nil
}

// replay runs windowed replay and DuckDB over the same file.
func (b *bench) replay(ctx context.Context) error {
	w := b.workload()
	w.Partitions = 1
	if err := w.check(); err != nil {
		return err
	}
	all, results := b.filers(ctx)
	if len(all) == 0 {
		return ctx.Err()
	}
	g := &ground{b: b, scenario: "replay", workload: w, truth: truthOf(w)}
	f, err := g.field()
	if err != nil {
		return err
	}
	f.file = filepath.Join(f.dir, "orders.jsonl")
	if err := writeFile(f.file, w); err != nil {
		return err
	}
	writeBack()
	b.progress("replay: a file of %s orders, %s", thousands(g.truth.Orders), megabytes(g.truth.Bytes+g.truth.Orders))
	for range b.Rounds {
		for i, c := range all {
			if results[i].Note != "" {
				continue
			}
			r, err := middle(b.Brief, g.truth.Orders, func(bool) (Run, error) {
				r := whole(ctx, c, f, b.Limit)
				if err := ctx.Err(); err != nil { // interrupted: no run has failed
					return r, err
				}
				b.note("replay: "+c.name(), r)
				return r, nil
			})
			if err != nil {
				return err
			}
			results[i].Runs = append(results[i].Runs, r)
		}
	}
	b.report.add("replay", fmt.Sprintf("One file, read from its start to the end of the process (\"first answer\"). %s\n\n%s%s",
		describe(w, g.truth, "replay", b.Rounds)+b.briefs(), table(results), wrongs(results)))
	return os.RemoveAll(f.dir)
}

// filers are those asked for, with a result for each; it has a note if one cannot run.
func (b *bench) filers(ctx context.Context) ([]filer, []Result) {
	duck := &duckDB{script: filepath.Join(b.Peers, "duckdb", "count.py")}
	all := []filer{&replaying{b.Windowed}, duck}
	all = slices.DeleteFunc(all, func(c filer) bool { return !b.wanted(c.name()) })
	results := make([]Result, len(all))
	for i, c := range all {
		results[i].Name = c.name()
	}
	if at := slices.Index(all, filer(duck)); at >= 0 {
		if err := duck.install(ctx, b.Dir, b.progress); err != nil {
			b.progress("%v", err)
			results[at].Note = failure(err)
		}
	}
	return all, results
}
