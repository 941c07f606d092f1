//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"windowed/internal/realkafka"
)

// fleet are the instances of a series, in places of their own.
type fleet struct {
	t       *testing.T
	places  []*place
	running []*program // nil: dead
	seed    func() string
	cluster *realkafka.Cluster // nil: kfake
	proxy   *network           // nil: none
}

// begin makes the topics and the places.
func (k killed) begin(t *testing.T) *fleet {
	t.Helper()
	flags := []string{"--window=" + killWindow.String(), "--grace=" + killGrace.String(), "--retention=" + killRetention.String(), "--idle-timeout=0s"}
	if !k.own {
		p := newPlace(t, flags...).with(k.flags...)
		p.topics(killPartitions, nil)
		return &fleet{t: t, places: []*place{p}, running: make([]*program, 1), seed: func() string { return read(filepath.Join(p.data(), "broker.addr")) }}
	}
	f := &fleet{t: t, running: make([]*program, k.instances)}
	seed := ""
	switch {
	case k.real > 0:
		f.cluster, seed = realBroker(t, k.real)
		figures.test()
	case k.proxied:
		f.proxy = newNetwork(t)
		seed = f.proxy.seed
	default:
		seed = newBroker(t).seed
	}
	f.seed = func() string { return seed }
	for range k.instances {
		p := newPlace(t, flags...).with(k.flags...).on(seed)
		p.program, p.env = k.program, k.env
		f.places = append(f.places, p)
	}
	f.places[0].run("topics", "create", "--brokers="+seed, fmt.Sprintf("--partitions=%d", killPartitions)).ok()
	return f
}

// start starts the instances that are dead, and waits until all count. None may have ended
// by itself: not even a zombie, which the others fence.
func (f *fleet) start() {
	f.t.Helper()
	for i, p := range f.places {
		if f.running[i] == nil {
			f.running[i] = p.start()
		}
	}
	for _, g := range f.running {
		g.running()
	}
}

// stop stops all, and goes on with more flags from then on.
func (f *fleet) stop(flags ...string) {
	f.t.Helper()
	for i, g := range f.running {
		g.stop()
		f.running[i], f.places[i] = nil, f.places[i].with(flags...)
	}
}

// equalsOne compares, byte by byte, what the fleet's job has put out and what each of its
// instances answers with what one instance alone makes of the same input, as another job.
func (f *fleet) equalsOne(o *outside) {
	f.t.Helper()
	const changelog, output = "alone.changelog", "alone.output"
	p := newPlace(f.t, f.places[0].flags...).with("--group=alone", "--changelog-topic="+changelog, "--output-topic="+output, "--dlq-topic=alone.dead")
	p.flags = without(p.flags, "--instance-id")
	p.run("topics", "create", "--brokers="+o.seed, fmt.Sprintf("--partitions=%d", killPartitions),
		"--changelog-topic="+changelog, "--output-topic="+output, "--dlq-topic=alone.dead").ok()
	p.with("--idle-timeout=0s").start().running().reaches(o.ends(names.Orders)).stop()
	alone := p.start().running().closed()
	defer alone.stop()
	wrong := faults{t: f.t, what: "one instance alone"}
	defer wrong.end()
	want, have := finals(o, output), finals(o, names.Output)
	if len(have) != len(want) {
		wrong.add("writes %d finals, the fleet %d", len(want), len(have))
	}
	for i := range min(len(have), len(want)) {
		if !bytes.Equal(have[i].Key, want[i].Key) || !bytes.Equal(have[i].Value, want[i].Value) {
			wrong.add("final %d is\n%s %s, the fleet's\n%s %s", i, want[i].Key, want[i].Value, have[i].Key, have[i].Value)
		}
	}
	paths := []string{"/v1/top?n=1000&format=csv"}
	for _, w := range alone.windows().Windows {
		paths = append(paths, "/v1/top?scope=window&format=csv&n=1000&window="+w.Start)
	}
	for _, path := range paths {
		want := alone.body(path)
		for i, g := range f.running {
			if have := g.body(path); have != want {
				wrong.add("answers %s with\n%s, instance %d of the fleet with\n%s", path, want, i, have)
			}
		}
	}
}

// body is the answer as it is.
func (g *program) body(path string) string {
	g.t.Helper()
	resp, err := client.Get("http://" + g.address() + path)
	if err != nil {
		g.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		g.t.Fatalf("%s: %s: %s (%v)", path, resp.Status, body, err)
	}
	return string(body)
}
