package kafka_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/kafka"
)

// TestEmbeddedKilled kills the embedded broker within transactions, again and again (a
// copy of its directory is what a kill leaves). What was committed before must stay
// readable, and so must what the same producer commits afterwards; what was cut must
// never appear.
func TestEmbeddedKilled(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	cfg := kafka.Config{Topics: testTopics, ClientID: "test"}
	var want []string
	for round := range 4 {
		broker, err := kafka.StartEmbedded(dir, "127.0.0.1:0", &cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := broker.MakeTopics(ctx); err != nil {
			t.Fatal(err)
		}
		mustRead(t, cfg.Brokers, want)
		cl := transactional(t, cfg.Brokers, "a")
		good := fmt.Sprintf("good %d", round)
		mustProduce(t, cl, good)
		if err := cl.EndTransaction(ctx, kgo.TryCommit); err != nil {
			t.Fatal(err)
		}
		want = append(want, good)
		mustRead(t, cfg.Brokers, want)
		if err := cl.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		mustProduce(t, cl, fmt.Sprintf("cut %d", round))
		killed := t.TempDir()
		if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		dir = killed
		cl.Close()
		if err := broker.Close(); err != nil {
			t.Fatal(err)
		}
	}
	broker, err := kafka.StartEmbedded(dir, "127.0.0.1:0", &cfg)
	if err != nil {
		t.Fatal(err)
	}
	mustRead(t, cfg.Brokers, want)
	if err := broker.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "broker.addr")); !os.IsNotExist(err) {
		t.Errorf("broker.addr is still there: %v", err)
	}
}

// transactional is a producer in a transaction.
func transactional(t *testing.T, brokers []string, id string) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.TransactionalID(id), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	return cl
}

func mustProduce(t *testing.T, cl *kgo.Client, value string) {
	t.Helper()
	r := &kgo.Record{Topic: testTopics.Changelog, Partition: 1, Value: []byte(value)}
	if err := cl.ProduceSync(t.Context(), r).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// mustRead reads what is committed in changelog partition 1 from its start to its end,
// by position.
func mustRead(t *testing.T, brokers []string, want []string) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{testTopics.Changelog: {1: kgo.NewOffset().At(0)}}))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	var have []string
	for len(have) < len(want) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		fetches := cl.PollFetches(ctx)
		cancel()
		if fetches.Err() != nil {
			t.Fatalf("%v; so far %q of %q", fetches.Err(), have, want)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if !r.Attrs.IsControl() {
				have = append(have, string(r.Value))
			}
		})
	}
	if !slices.Equal(have, want) {
		t.Fatalf("committed: %q, not %q", have, want)
	}
}
