//go:build unix

package e2e

import (
	"math/rand/v2"
	"syscall"
	"time"

	"windowed/internal/realkafka"
)

// upset is what befalls a fleet, or the victim in it, in a round.
type upset struct {
	name string
	do   func(f *fleet, victim int, rnd *rand.Rand)
}

// kill is kill -9 of the victim.
var kill = upset{"kill -9", func(f *fleet, victim int, _ *rand.Rand) { f.running[victim].kill() }}

// instanceUpsets are those of one instance: it dies; it leaves, and joins again in the
// next round; it sleeps for less or more than its session timeout.
var instanceUpsets = []upset{
	kill,
	{"leave", func(f *fleet, victim int, _ *rand.Rand) { f.running[victim].stop() }},
	{"short sleep", func(f *fleet, victim int, _ *rand.Rand) { f.running[victim].sleep(sessionTimeout / 4) }},
	{"sleep past the session", func(f *fleet, victim int, _ *rand.Rand) { f.running[victim].sleep(2 * sessionTimeout) }},
}

// sleep stops the process, and lets it go on later.
func (g *program) sleep(d time.Duration) {
	g.t.Helper()
	g.alive()
	g.signal(syscall.SIGSTOP)
	time.Sleep(d) // not a wait: the length of the sleep
	g.signal(syscall.SIGCONT)
}

// befall picks an upset and lets it happen; it returns its name.
func (k killed) befall(f *fleet, rnd *rand.Rand, victim int) string {
	u := kill
	if len(k.upsets) > 0 {
		u = k.upsets[rnd.IntN(len(k.upsets))]
	}
	u.do(f, victim, rnd)
	f.happened(u.name)
	return u.name
}

// happened takes note of a fault on a real Kafka.
func (f *fleet) happened(kind string) {
	if f.cluster != nil {
		figures.fault(kind, 1)
	}
}

// brokerUpsets are those of a real Kafka with three brokers: kill -9 of the leader of a
// changelog partition, of a coordinator, and a rolling restart.
var brokerUpsets = []upset{
	{"kill -9 of a leader", func(f *fleet, _ int, rnd *rand.Rand) {
		ctx, cancel := bounded()
		defer cancel()
		b, err := f.cluster.Leader(ctx, names.Changelog, rnd.Int32N(killPartitions))
		f.crash(b, err)
	}},
	{"kill -9 of the group coordinator", func(f *fleet, _ int, _ *rand.Rand) {
		ctx, cancel := bounded()
		defer cancel()
		b, err := f.cluster.GroupCoordinator(ctx, group)
		f.crash(b, err)
	}},
	{"kill -9 of a transaction coordinator", func(f *fleet, victim int, _ *rand.Rand) {
		ctx, cancel := bounded()
		defer cancel()
		b, err := f.cluster.TxnCoordinator(ctx, group+"-"+read(f.places[victim].state()+"/instance-id"))
		f.crash(b, err)
	}},
	{"rolling restart of the brokers", func(f *fleet, _ int, _ *rand.Rand) {
		for _, b := range f.cluster.Brokers() {
			f.must(b.Stop())
			f.must(b.Start())
			f.ready()
		}
	}},
}

// crash kills a broker and brings it back.
func (f *fleet) crash(b *realkafka.Broker, err error) {
	f.t.Helper()
	f.must(err)
	f.must(b.Kill())
	time.Sleep(time.Second) // not a wait: how long it is down
	f.must(b.Start())
	f.ready()
}

func (f *fleet) ready() {
	f.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	f.must(f.cluster.Ready(ctx))
}

func (f *fleet) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}
