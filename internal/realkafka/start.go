package realkafka

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// OptIn skips the test unless the environment asks for tests with a real Kafka
// (KAFKA_REAL=1, or CI=true), and in short mode.
func OptIn(t testing.TB) {
	t.Helper()
	switch {
	case testing.Short():
		t.Skip("realkafka: no real Kafka in short mode")
	case !InCI() && !truthy(os.Getenv("KAFKA_REAL")):
		t.Skip("realkafka: set KAFKA_REAL=1 to run the tests with a real Kafka")
	}
}

// InCI says that the environment is a CI run, where these tests may not be
// skipped for want of Java or Maven.
func InCI() bool { return truthy(os.Getenv("CI")) }

func truthy(value string) bool { return value != "" && value != "0" && value != "false" }

// Start starts a cluster for one test, ready for use. Without Java or Maven the
// test is skipped, in CI it fails. At the end of the test the brokers are
// killed; after a failure their data and logs are kept and the log says where.
func Start(t testing.TB, opts ...Option) *Cluster {
	t.Helper()
	opts = append([]Option{Logf(t.Logf)}, opts...)
	o, err := newOptions(opts)
	if err != nil {
		t.Fatal(err)
	}
	dir := o.dir
	if dir == "" {
		// Not t.TempDir, which is removed after a failure too.
		if dir, err = os.MkdirTemp("", "realkafka-"); err != nil {
			t.Fatalf("realkafka: make a directory: %v", err)
		}
		t.Cleanup(func() { removeUnlessFailed(t, dir) })
	}
	c, err := New(context.Background(), dir, opts...)
	if errors.Is(err, ErrMissing) && !InCI() {
		t.Skipf("realkafka: skipped: %v", err)
	}
	if errors.Is(err, ErrMissing) {
		t.Fatalf("realkafka: in CI these tests may not be skipped: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("realkafka: %v", err)
		}
	})
	return c
}

func removeUnlessFailed(t testing.TB, dir string) {
	if t.Failed() {
		t.Logf("realkafka: the brokers' data and logs are kept in %s", dir)
		return
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Logf("realkafka: remove %s: %v", dir, err)
	}
}

// Client returns a client of the cluster that is closed at the end of the test.
func (c *Cluster) Client(t testing.TB, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(c.Seeds()...)}, opts...)...)
	if err != nil {
		t.Fatalf("realkafka: make a client: %v", err)
	}
	t.Cleanup(cl.CloseAllowingRebalance)
	return cl
}
