package kafka_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

// apartEnv makes this test binary a broker and nothing else.
const apartEnv = "WINDOWED_TEST_BROKER"

// TestBrokerApart is the broker of brokerApart, until its standard input ends.
func TestBrokerApart(t *testing.T) {
	if os.Getenv(apartEnv) == "" {
		addr, end := brokerApart(t)
		defer end()
		if !strings.Contains(addr, ":") {
			t.Errorf("the broker is at %q", addr)
		}
		return
	}
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1),
		kfake.BrokerConfigs(map[string]string{"log.cleaner.backoff.ms": "315360000000"}),
		kfake.SeedTopics(1, testTopics.Output),
		kfake.SeedTopics(12, testTopics.Orders, testTopics.Changelog, testTopics.DeadLetters))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	fmt.Println("broker at", cluster.ListenAddrs()[0])
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// brokerApart starts a broker with topics of 12 partitions in a process of its own, so
// that its work is not in the figures; end stops it.
func brokerApart(tb testing.TB) (addr string, end func()) {
	tb.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestBrokerApart$")
	cmd.Env = append(os.Environ(), apartEnv+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	end = func() {
		_ = in.Close()
		_ = cmd.Wait()
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if at, ok := strings.CutPrefix(lines.Text(), "broker at "); ok {
			return at, end
		}
	}
	end()
	tb.Fatal("the broker did not start")
	return "", nil
}
