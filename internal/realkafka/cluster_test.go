package realkafka

import (
	"context"
	"errors"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"
)

const testWait = 2 * time.Minute

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), testWait)
	t.Cleanup(cancel)
	return ctx
}

// must fails the test for the error of a call that returns nothing else.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// transact produces values to partition 0 of topic in one transaction.
func transact(ctx context.Context, t *testing.T, cl *kgo.Client, end kgo.TransactionEndTry, topic string, values ...string) {
	t.Helper()
	must(t, cl.BeginTransaction())
	for _, v := range values {
		r := &kgo.Record{Topic: topic, Key: []byte("key-" + v[:1]), Value: []byte(v)}
		must(t, cl.ProduceSync(ctx, r).FirstErr())
	}
	must(t, cl.EndTransaction(ctx, end))
}

// contents are the committed values of topic.
func contents(ctx context.Context, t *testing.T, c *Cluster, topic string) []string {
	t.Helper()
	records, err := c.ReadCommitted(ctx, topic)
	must(t, err)
	var values []string
	for _, r := range records {
		values = append(values, string(r.Value))
	}
	return values
}

func wantContents(ctx context.Context, t *testing.T, c *Cluster, topic string, want ...string) {
	t.Helper()
	if got := contents(ctx, t, c, topic); !slices.Equal(got, want) {
		t.Fatalf("%s holds %q, want %q", topic, got, want)
	}
}

func TestOneBroker(t *testing.T) {
	OptIn(t)
	ctx := testContext(t)
	c := Start(t, Props(map[string]string{"log.retention.hours": "1"}))

	features, err := c.Features(ctx)
	must(t, err)
	t.Logf("features: %v", features)

	must(t, c.CreateTopic(ctx, "in", 2, nil))
	cl := c.Client(t, kgo.TransactionalID("one"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	transact(ctx, t, cl, kgo.TryCommit, "in", "a1", "b1")
	transact(ctx, t, cl, kgo.TryAbort, "in", "a2")
	wantContents(ctx, t, c, "in", "a1", "b1")
	o, err := c.Offsets(ctx, "in", 0)
	must(t, err)
	// Three records and two markers; a busy broker may write a marker twice.
	if o.Start != 0 || o.LSO != o.HW || o.HW < 5 {
		t.Errorf("offsets %+v, want from 0 to at least 5 and nothing open", o)
	}

	findsBroker(ctx, t, c)
	t.Run("comes back after a kill", func(t *testing.T) { comesBack(ctx, t, c, cl) })
	t.Run("stops and pauses", func(t *testing.T) { stopsAndPauses(ctx, t, c) })
}

// findsBroker expects that the only broker is found in all its roles.
func findsBroker(ctx context.Context, t *testing.T, c *Cluster) {
	b := c.Broker(1)
	for name, find := range map[string]func() (*Broker, error){
		"leader":            func() (*Broker, error) { return c.Leader(ctx, "in", 1) },
		"group coordinator": func() (*Broker, error) { return c.GroupCoordinator(ctx, "g") },
		"txn coordinator":   func() (*Broker, error) { return c.TxnCoordinator(ctx, "one") },
	} {
		if found, err := find(); err != nil || found != b {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

func comesBack(ctx context.Context, t *testing.T, c *Cluster, cl *kgo.Client) {
	b := c.Broker(1)
	must(t, c.Settle(ctx)) // one broker: see the package comment
	addr := b.Addr()
	must(t, b.Kill())
	if _, err := c.Leader(ctx, "in", 0); err == nil {
		t.Error("a killed cluster still names a leader")
	}
	begin := time.Now()
	must(t, b.Start())
	must(t, c.Ready(ctx))
	t.Logf("back after %v", time.Since(begin))
	if b.Addr() != addr {
		t.Errorf("came back at %s, was at %s", b.Addr(), addr)
	}
	wantContents(ctx, t, c, "in", "a1", "b1")
	transact(ctx, t, cl, kgo.TryCommit, "in", "a3")
	wantContents(ctx, t, c, "in", "a1", "b1", "a3")
}

func stopsAndPauses(ctx context.Context, t *testing.T, c *Cluster) {
	b := c.Broker(1)
	must(t, b.Pause())
	if b.Running() {
		t.Error("a paused broker counts as running")
	}
	must(t, b.Resume())
	must(t, b.Pause())
	must(t, b.Stop()) // a paused one too
	if err := b.Stop(); !errors.Is(err, errNotRunning) {
		t.Errorf("second stop: %v", err)
	}
	must(t, b.Start())
	must(t, c.Ready(ctx))
}

func TestCompact(t *testing.T) {
	OptIn(t)
	ctx := testContext(t)
	c := Start(t)
	must(t, c.CreateTopic(ctx, "log", 2, map[string]string{"cleanup.policy": "compact", "delete.retention.ms": "100"}))
	cl := c.Client(t, kgo.TransactionalID("compact"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	transact(ctx, t, cl, kgo.TryCommit, "log", "a1", "b1", "a2")
	transact(ctx, t, cl, kgo.TryAbort, "log", "a3")

	for range 2 {
		begin := time.Now()
		must(t, c.Compact(ctx, "log"))
		t.Logf("compacted in %v", time.Since(begin))
		wantContents(ctx, t, c, "log", "b1", "a2")
	}

	// An open transaction: everything before its first record is readable, and
	// what lies directly before it, an aborted record, is delivered to no one.
	other := c.Client(t, kgo.TransactionalID("compact-2"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	must(t, cl.BeginTransaction())
	must(t, cl.ProduceSync(ctx, &kgo.Record{Topic: "log", Key: []byte("key-a"), Value: []byte("a4")}).FirstErr())
	must(t, other.BeginTransaction())
	must(t, other.ProduceSync(ctx, &kgo.Record{Topic: "log", Key: []byte("key-a"), Value: []byte("a5")}).FirstErr())
	must(t, cl.EndTransaction(ctx, kgo.TryAbort))
	wantContents(ctx, t, c, "log", "b1", "a2")
	o, err := c.Offsets(ctx, "log", 0)
	must(t, err)
	if o.LSO >= o.HW {
		t.Errorf("the open transaction does not hold the LSO back: %+v", o)
	}
	must(t, other.EndTransaction(ctx, kgo.TryCommit))
	// The cleaner still cleans eagerly: it may have taken a2 already, and nothing else.
	got := contents(ctx, t, c, "log")
	if got = slices.DeleteFunc(got, func(value string) bool { return value == "a2" }); !slices.Equal(got, []string{"b1", "a5"}) {
		t.Fatalf("log holds %q besides a2, want b1 and a5", got)
	}
}

// A port that is taken between its choice and the broker's start makes the
// cluster begin again with others.
func TestPortTaken(t *testing.T) {
	OptIn(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	rounds := 0
	c := Start(t, func(o *options) {
		o.ports = func(n int) (*ports, error) {
			ports, err := holdPorts(n)
			if rounds++; rounds == 1 {
				ports.numbers[0] = taken.Addr().(*net.TCPAddr).Port
			}
			return ports, err
		}
	})
	if rounds < 2 {
		t.Errorf("started in round %d at %v", rounds, c.Seeds())
	}
}

func TestThreeBrokers(t *testing.T) {
	OptIn(t)
	ctx := testContext(t)
	c := Start(t, Brokers(3))
	must(t, c.CreateTopic(ctx, "in", 3, nil))
	cl := c.Client(t, kgo.TransactionalID("three"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	transact(ctx, t, cl, kgo.TryCommit, "in", "a1")

	leader, err := c.Leader(ctx, "in", 0)
	must(t, err)
	must(t, leader.Kill()) // right after the commit: two replicas have it
	if h, err := holdPort(leader.port); runtime.GOOS == "linux" && err == nil {
		h.release()
		t.Error("another may take the port of a killed broker")
	}
	begin := time.Now()
	must(t, c.Ready(ctx))
	t.Logf("the others go on after %v", time.Since(begin))
	next, err := c.Leader(ctx, "in", 0)
	must(t, err)
	if next == leader {
		t.Errorf("killed broker %d still leads", leader.ID)
	}
	transact(ctx, t, cl, kgo.TryCommit, "in", "a2")
	wantContents(ctx, t, c, "in", "a1", "a2")

	begin = time.Now()
	must(t, leader.Start())
	must(t, c.Ready(ctx))
	t.Logf("broker %d is back after %v", leader.ID, time.Since(begin))
	wantContents(ctx, t, c, "in", "a1", "a2")

	for _, find := range []func(context.Context, string) (*Broker, error){c.GroupCoordinator, c.TxnCoordinator} {
		b, err := find(ctx, "three")
		must(t, err)
		must(t, b.Pause())
		must(t, b.Resume())
	}
	must(t, c.Ready(ctx))
}

// A directory with data is opened again, by another cluster at other ports, and
// Close leaves nothing behind.
func TestReopen(t *testing.T) {
	OptIn(t)
	before := goleak.IgnoreCurrent()
	ctx := testContext(t)
	dir := t.TempDir()
	for round := range 2 {
		c, err := New(ctx, dir, Logf(t.Logf))
		must(t, err)
		if round == 0 {
			must(t, c.CreateTopic(ctx, "kept", 1, nil))
		}
		_, err = c.Offsets(ctx, "kept", 0)
		must(t, errors.Join(err, c.Close(), c.Close()))
	}
	goleak.VerifyNone(t, before)
}

func TestFailedStart(t *testing.T) {
	OptIn(t)
	_, err := New(testContext(t), t.TempDir(), Props(map[string]string{"num.io.threads": "none"}))
	if err == nil {
		t.Fatal("started with a broken configuration")
	}
	t.Log(err)
	for _, part := range []string{"waiting for broker 1 to see brokers [1]", "ended by itself", "num.io.threads"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q", part)
		}
	}
}
