package e2e

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"windowed/internal/realkafka"
)

// TestKafkaDiskFull fills the broker's disk: the broker ends. The program waits for it,
// and nothing is lost or counted twice once there is room again. It is quiet when that
// happens: one broker alone loses what is committed right before its death (see realkafka).
func TestKafkaDiskFull(t *testing.T) {
	cluster, seed := realBroker(t, 1)
	figures.test()
	o := look(t, seed)
	o.createAll(2)
	p := newPlace(t, append([]string{"--flush=1h"}, steady...)...).on(seed)
	g := p.start().running()
	lattes(o, 5)
	g.reaches(o.ends(names.Orders))
	o.rests(names.Changelog, 20*commitInterval)
	ctx, cancel := bounded()
	defer cancel()
	b := cluster.Broker(1)
	for _, do := range []func() error{func() error { return cluster.Settle(ctx) }, b.FillDisk} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	o.attempt(one(noon, "latte", 1))
	if err := b.AwaitEnd(); err != nil {
		t.Fatal(err)
	}
	figures.fault("broker's disk full", 1)
	time.Sleep(2 * time.Second) // not a wait: how long it is away
	g.alive()
	if err := restarted(ctx, b, cluster); err != nil {
		t.Fatal(err)
	}
	lattes(o, 5)
	g.reaches(o.ends(names.Orders))
	e := modelled(t, o, hourly)
	e.checkAnswers(t, g)
	e.checkChangelog(t, o)
	figures.compared(e, g.status())
	g.stop()
	g.calm()
	if said := g.stderr.String(); !strings.Contains(said, "brokers") {
		t.Errorf("it does not say that the brokers are away:\n%s", said)
	}
}

func restarted(ctx context.Context, b *realkafka.Broker, c *realkafka.Cluster) error {
	if err := b.Start(); err != nil {
		return err
	}
	return c.Ready(ctx)
}

// rests waits until nothing was written to a topic for so long. What follows from the last
// counts, such as a close-through that has risen, is committed a little later than these.
func (o *outside) rests(topic string, quiet time.Duration) {
	o.t.Helper()
	last, since := o.ends(topic), time.Now()
	eventually(o.t, "no more records of "+topic, func() error {
		if now := o.ends(topic); !maps.Equal(now, last) {
			last, since = now, time.Now()
		}
		if time.Since(since) < quiet {
			return fmt.Errorf("there were some %v ago", time.Since(since))
		}
		return nil
	})
}

// commitInterval is the program's default.
const commitInterval = 100 * time.Millisecond

// attempt writes an order that may get lost.
func (o *outside) attempt(value []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	_ = o.cl.ProduceSync(ctx, to(0, value)).FirstErr()
}
