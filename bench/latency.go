package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// How latency is measured: probes, which are orders of a drink of their own per partition,
// go along with the others. These drinks lead the top list from the start, so that one
// question tells how many probes can be seen.
const (
	probeLead  = 30_000_000 // portions ahead, more than any other drink gets
	probeItem  = 1_000_000  // portions of one item, the most there can be
	probeEvery = 5 * time.Millisecond
	probeAsk   = 2 * time.Millisecond
	sendEvery  = time.Millisecond
	warmUp     = 10 * time.Second // not counted
)

func probeDrink(partition int) string { return "probe-" + strconv.Itoa(partition) }

// latency measures windowed in both guarantees at a fixed rate of orders.
func (b *bench) latency(ctx context.Context) error {
	var rows [][]string
	for _, w := range []*windowed{b.exactly(), b.atLeast()} {
		if !b.wanted(w.name()) {
			continue
		}
		cells, err := b.latencyOf(ctx, w)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			b.failed = append(b.failed, "latency: "+w.name()+": "+err.Error())
			cells = []string{failure(err), "-", "-", "-", "-", "-", "-", "-"}
		}
		b.progress("latency: %s: %v", w.name(), cells)
		rows = append(rows, append([]string{w.name()}, cells...))
	}
	if len(rows) == 0 {
		return nil
	}
	b.report.add("latency", fmt.Sprintf("%s orders a second for %v into %d partitions, commit interval %v: from the call that produces an order until `/v1/top` holds it.\n\n%s",
		thousands(int64(b.Rate)), b.LatencyFor, b.Partitions, b.Commit,
		markdown([]string{"", "answer", "orders/s sent", "p50", "p99", "highest", "probes", "CPU s per million", "peak RSS"}, rows)))
	return nil
}

// latencyOf runs one of them; its cells are those of the table.
func (b *bench) latencyOf(ctx context.Context, w *windowed) ([]string, error) {
	l, err := b.newLive()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, b.Limit, errLimit)
	defer cancel()
	if err := makeTopic(ctx, b.Brokers, l.field.topic, b.Partitions); err != nil {
		return nil, err
	}
	e, err := w.start(ctx, l.field)
	if err != nil {
		return nil, err
	}
	l.counter = e.(*counter)
	defer l.counter.stop()
	if err := l.run(ctx); err != nil {
		l.counter.kill()
		return nil, err
	}
	rss, err := l.counter.peak()
	if err != nil {
		return nil, err
	}
	a, err := l.counter.answer(ctx)
	if err != nil {
		return nil, err
	}
	v := compare(l.field.truth.Answer, a)
	if !v.Exact() {
		return nil, errors.New(v.String())
	}
	millis := func(q float64) string { return fmt.Sprintf("%.0f ms", 1000*quantile(l.seen, q)) }
	cells := []string{"exact", speed(l.rate), millis(0.5), millis(0.99), millis(1), thousands(int64(len(l.seen))), fmt.Sprintf("%.3g", l.cpu), megabytes(rss)}
	l.counter.stop()
	return cells, errors.Join(l.ground.clear(ctx, l.field, &Run{}), deleteTopics(ctx, b.Brokers, l.field.topic))
}

// live is a windowed that counts orders as they are made.
type live struct {
	field   *field
	ground  *ground
	counter *counter
	client  *kgo.Client
	makers  []*maker
	turn    int       // of the next order
	led     time.Time // when the probes' drinks got their lead

	sent [][]time.Time // probes by partition: when they were made
	got  [][]time.Time // probes by partition: when they were first seen
	seen []float64     // seconds, of the probes behind the warm-up
	cpu  float64       // seconds per million orders, behind the warm-up
	rate float64       // orders/s that were sent
}

// newLive prepares orders whose times are the times they are made at.
func (b *bench) newLive() (*live, error) {
	w := b.workload()
	w.Span = warmUp + b.LatencyFor
	w.Orders = int(float64(b.Rate) * w.Span.Seconds())
	w.Disorder, w.Late = 0, 0
	if err := w.check(); err != nil {
		return nil, err
	}
	g := &ground{b: b, scenario: "latency", workload: w}
	f, err := g.field()
	if err != nil {
		return nil, err
	}
	f.topic = f.name + "-orders"
	return &live{field: f, ground: g, sent: make([][]time.Time, w.Partitions), got: make([][]time.Time, w.Partitions)}, nil
}

// run sends all orders at their rate, and waits until they are counted.
func (l *live) run(ctx context.Context) (err error) {
	l.client, err = kgo.NewClient(
		kgo.SeedBrokers(l.field.brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(5*time.Millisecond),
		kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.DefaultProduceTopic(l.field.topic),
	)
	if err != nil {
		return err
	}
	defer l.client.Close()
	if err := l.begin(ctx); err != nil {
		return err
	}
	// Whatever goes wrong on one side ends the other.
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	sent, asked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(asked)
		if err := l.ask(ctx, sent); err != nil {
			fail(err)
		}
	}()
	if err := l.send(ctx, fail); err != nil {
		fail(err)
	}
	close(sent)
	<-asked
	if err := context.Cause(ctx); err != nil {
		return err
	}
	l.tell()
	return l.counter.done(ctx)
}

// begin gives the probes' drinks their lead, and waits until windowed has counted that.
func (l *live) begin(ctx context.Context) error {
	w := l.field.workload
	l.led = time.Now()
	var records []*kgo.Record
	for p := range w.Partitions {
		records = append(records, &kgo.Record{Partition: int32(p), Value: probe(p, l.led, probeLead)})
	}
	if err := l.client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return err
	}
	l.field.truth = &Truth{Orders: int64(w.Partitions)}
	if err := l.counter.done(ctx); err != nil {
		return err
	}
	w.Start = time.Now()
	pick := newSampler(w.Drinks, w.Zipf)
	for p := range w.Partitions {
		l.makers = append(l.makers, w.maker(p, pick))
	}
	return nil
}

// probe is an order of a partition's own drink.
func probe(partition int, at time.Time, portions int) []byte {
	o := fmt.Appendf(nil, `{"order_id":0,"shop_id":0,"ts":"%s","items":[`, at.UTC().Format(timeForm))
	for portions > 0 {
		n := min(portions, probeItem)
		o = fmt.Appendf(o, `{"drink":"%s","quantity":%d},`, probeDrink(partition), n)
		portions -= n
	}
	return append(o[:len(o)-1], "]}"...)
}

// send makes all orders, each when it is due, and probes between them.
func (l *live) send(ctx context.Context, fail context.CancelCauseFunc) error {
	promise := func(r *kgo.Record, err error) {
		if err != nil {
			fail(fmt.Errorf("produce to topic %s, partition %d: %w", r.Topic, r.Partition, err))
		}
	}
	w := l.field.workload
	tick := time.NewTicker(sendEvery)
	defer tick.Stop()
	begin, cpu, measured := time.Now(), 0.0, 0
	for probes := 0; l.turn < w.Orders; {
		now := time.Since(begin)
		if measured == 0 && now > warmUp {
			var err error
			if cpu, err = l.counter.cpu(); err != nil {
				return err
			}
			measured = l.turn
		}
		for due := int(float64(w.Orders) * now.Seconds() / w.Span.Seconds()); l.turn < min(due, w.Orders); l.turn++ {
			p := l.turn % w.Partitions
			if o, ok := l.makers[p].next(); ok {
				l.client.Produce(ctx, &kgo.Record{Partition: int32(p), Value: o.append(nil, w.Size)}, promise)
			}
		}
		for ; time.Duration(probes)*probeEvery < now; probes++ {
			p := probes % w.Partitions
			at := time.Now()
			l.sent[p] = append(l.sent[p], at)
			l.client.Produce(ctx, &kgo.Record{Partition: int32(p), Value: probe(p, at, 1)}, promise)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
	l.rate = float64(w.Orders) / time.Since(begin).Seconds()
	after, err := l.counter.cpu()
	l.cpu = (after - cpu) * 1e6 / float64(w.Orders-measured)
	return errors.Join(err, l.client.Flush(ctx))
}

// ask asks for the top list, until all probes are seen that were sent when sent closed.
func (l *live) ask(ctx context.Context, sent <-chan struct{}) error {
	query := url.Values{"n": {strconv.Itoa(len(l.sent))}, "scope": {"all-time"}}.Encode()
	return l.counter.poll(ctx, probeAsk, func() (bool, error) {
		t, ok, err := l.counter.top(ctx, query)
		if err != nil || !ok {
			return false, err
		}
		now := time.Now()
		for _, e := range t.Top {
			var p int
			if _, err := fmt.Sscanf(e.Drink, "probe-%d", &p); err != nil || p >= len(l.got) || e.Count < probeLead {
				return false, fmt.Errorf("%s with %d leads, which is no probe", e.Drink, e.Count)
			}
			for uint64(len(l.got[p])) < e.Count-probeLead {
				l.got[p] = append(l.got[p], now)
			}
		}
		select {
		case <-sent:
			return l.complete(), nil
		default:
			return false, nil
		}
	})
}

func (l *live) complete() bool {
	for p := range l.sent {
		if len(l.got[p]) < len(l.sent[p]) {
			return false
		}
	}
	return true
}

// tell works out, once everything is sent and seen, how long probes took, and what the
// right answer is.
func (l *live) tell() {
	w := l.field.workload
	truth := truthOf(w)
	size := w.Window.Milliseconds()
	count := func(p int, at time.Time, portions uint64) {
		start := at.UnixMilli() / size * size
		truth.Answer.add(allTime, probeDrink(p), portions)
		truth.Answer.add(strconv.FormatInt(start, 10), probeDrink(p), portions)
		truth.Orders++
	}
	for p := range l.sent {
		count(p, l.led, probeLead)
		for i, at := range l.sent[p] {
			count(p, at, 1)
			if at.Sub(w.Start) > warmUp {
				l.seen = append(l.seen, l.got[p][i].Sub(at).Seconds())
			}
		}
	}
	l.field.truth = truth
}
