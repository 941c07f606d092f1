package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"windowed/internal/realkafka"
)

// runCmd runs scenarios, one after another. Their sizes are those of the full form.
type runCmd struct {
	Scenario []string      `help:"What to run: main (all contestants), uniform (100,000 drinks), backlog (memory by size), latency, restore, replay (of a file)." enum:"main,uniform,backlog,latency,restore,replay" default:"main,uniform,backlog,latency,restore,replay"`
	Only     []string      `help:"Only contestants whose name holds one of these; may be repeated." sep:"none"`
	Rounds   int           `help:"Rounds of main, replay and backlog, each with all contestants in turn." default:"3"`
	Brief    time.Duration `help:"Whoever takes less in main, uniform and replay runs three times a round, and the run of middle speed counts; 0: no matter." default:"3s"`
	Budget   time.Duration `help:"Begin no round that would end later than this after the start; 0: no matter." default:"0"`
	Limit    time.Duration `help:"How long one run of a contestant may take." default:"3m"`

	Orders     int           `help:"Orders of main and replay." default:"3000000"`
	Partitions int           `help:"Partitions of the orders topic." default:"12"`
	Drinks     int           `help:"Distinct drinks of main and replay." default:"200"`
	Zipf       float64       `help:"How unevenly drinks are ordered; 0: all alike." default:"1.1"`
	Items      int           `help:"Most items of an order; the mean is half of it." default:"5"`
	Size       int           `help:"Bytes to fill shorter orders up to." default:"0"`
	Windows    int           `help:"Windows that the orders span." default:"24"`
	Window     time.Duration `help:"Window size." default:"1h"`
	Grace      time.Duration `help:"How long after its end a window still takes orders." default:"1m"`
	Disorder   time.Duration `help:"How far an order's time may lie behind its turn." default:"10s"`
	Late       float64       `help:"Share of orders that come after their window has closed." default:"0"`
	Seed       uint64        `help:"Seed of the orders." default:"1"`

	UniformOrders int           `help:"Orders of uniform." default:"1000000"`
	RestoreOrders int           `help:"Orders of restore." default:"10000000"`
	RestoreDrinks []int         `help:"Drinks of restore; each makes 25 keys a partition." default:"300,3400"`
	Backlog       []int         `help:"Orders of backlog." default:"3000000,10000000"`
	Rate          int           `help:"Orders a second of latency." default:"50000"`
	LatencyFor    time.Duration `help:"How long latency measures." default:"20s"`
	Warm          time.Duration `help:"How long a broker that was started for this works before anything is measured." default:"1m"`
	Commit        time.Duration `help:"Commit interval of all that have one." default:"100ms"`

	Brokers  []string `help:"A broker that runs already; otherwise one is started." placeholder:"HOST:PORT"`
	Windowed string   `help:"The program." default:"bin/windowed"`
	Peers    string   `help:"Sources of the peers." default:"bench/peers"`
	Dir      string   `help:"For what is built, and for state and logs." default:"run/bench"`
	Heap     string   `help:"Java heap of the peers." default:"1g"`
	Profile  string   `help:"Take a CPU profile of windowed while it counts, which must be for more than 7 s." placeholder:"FILE"`
	Write    string   `help:"Markdown file whose section between the marks is replaced by the results." placeholder:"FILE"`
}

// bench is one run of this program.
type bench struct {
	runCmd
	began  time.Time
	report report
	kafka  string   // the broker that was started, "" for one that was there
	failed []string // runs of windowed with a wrong answer or none
}

// scenario is one thing to run.
type scenario struct {
	name   string
	broker bool // it needs one
	run    func(*bench, context.Context) error
}

// scenarios in the order they are run in; main comes last and takes what time is left.
var scenarios = []scenario{
	{"replay", false, (*bench).replay},
	{"backlog", true, (*bench).backlog},
	{"restore", true, (*bench).restore},
	{"uniform", true, (*bench).uniform},
	{"latency", true, (*bench).latency},
	{"main", true, (*bench).main},
}

// Run fails if windowed fails, or is wrong.
func (c *runCmd) Run(ctx context.Context) error {
	b := &bench{runCmd: *c, began: time.Now()}
	var err error
	if b.Dir, err = filepath.Abs(c.Dir); err != nil {
		return err
	}
	if b.Windowed, err = filepath.Abs(c.Windowed); err != nil {
		return err
	}
	if _, err := os.Stat(b.Windowed); err != nil {
		return fmt.Errorf("%w: build it with make build", err)
	}
	if err := os.MkdirAll(b.Dir, 0o755); err != nil {
		return err
	}
	if err := b.scenarios(ctx); err != nil {
		return err
	}
	b.report.machine = machineNow(ctx, b)
	fmt.Println(b.report.text())
	if c.Write != "" {
		if err := b.report.write(c.Write); err != nil {
			return err
		}
	}
	if len(b.failed) > 0 {
		return errors.New(strings.Join(b.failed, "; "))
	}
	return nil
}

func (b *bench) scenarios(ctx context.Context) error {
	needed := slices.ContainsFunc(scenarios, func(s scenario) bool { return s.broker && slices.Contains(b.Scenario, s.name) })
	if needed && len(b.Brokers) == 0 {
		stop, err := b.startBroker(ctx)
		if err != nil {
			return err
		}
		defer stop()
		if len(b.Brokers) > 0 {
			if err := b.warm(ctx); err != nil {
				return fmt.Errorf("warm up the broker: %w", err)
			}
		}
	}
	for _, s := range scenarios {
		switch {
		case !slices.Contains(b.Scenario, s.name):
		case s.broker && len(b.Brokers) == 0:
			b.report.add(s.name, "Left out: "+realkafka.ErrMissing.Error()+".\n")
		default:
			if err := s.run(b, ctx); err != nil {
				return fmt.Errorf("scenario %s: %w", s.name, err)
			}
		}
	}
	return nil
}

// brokerHeap is the Java heap of the broker.
const brokerHeap = "1g"

// startBroker starts a broker, if this machine can run one.
func (b *bench) startBroker(ctx context.Context) (func(), error) {
	dir, err := os.MkdirTemp(b.Dir, "kafka-")
	if err != nil {
		return nil, err
	}
	c, err := realkafka.New(ctx, dir, realkafka.Heap(brokerHeap), realkafka.Logf(b.progress))
	if errors.Is(err, realkafka.ErrMissing) && !realkafka.InCI() { // there nothing is left out
		b.progress("%v", err)
		return func() {}, os.RemoveAll(dir)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	b.Brokers, b.kafka = c.Seeds(), "Apache Kafka "+realkafka.Version
	return func() {
		if err := errors.Join(c.Close(), os.RemoveAll(dir)); err != nil {
			b.progress("stop the broker: %v", err)
		}
	}, nil
}

// progress tells on stderr how far it is.
func (b *bench) progress(format string, args ...any) {
	took := time.Since(b.began).Round(time.Second)
	fmt.Fprintf(os.Stderr, "%6s  %s\n", took, fmt.Sprintf(format, args...))
}

// workload is the one that the flags describe. Its first order comes so late in the first
// window that none is before it.
func (b *bench) workload() *Workload {
	return &Workload{
		Seed: b.Seed, Orders: b.Orders, Partitions: b.Partitions, Drinks: b.Drinks, Zipf: b.Zipf, Items: b.Items, Size: b.Size,
		Start: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).Add(b.Disorder), Span: time.Duration(b.Windows)*b.Window - b.Disorder,
		Disorder: b.Disorder, Late: b.Late, Window: b.Window, Grace: b.Grace,
	}
}

// wanted says whether a contestant is asked for.
func (b *bench) wanted(name string) bool {
	return len(b.Only) == 0 || slices.ContainsFunc(b.Only, func(part string) bool { return strings.Contains(name, part) })
}

// exactly and atLeast are windowed in its two guarantees.
func (b *bench) exactly() *windowed {
	return &windowed{program: b.Windowed, guarantee: "exactly-once", profile: b.Profile}
}

func (b *bench) atLeast() *windowed {
	return &windowed{program: b.Windowed, guarantee: "at-least-once", profile: b.Profile}
}

// note takes note of a run, and of windowed being wrong.
func (b *bench) note(name string, r Run) {
	b.progress("%s: %s", name, &r)
	if strings.Contains(name, "windowed") && !r.Right() {
		b.failed = append(b.failed, name+": "+r.String())
	}
}
