package kafka

import (
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
)

// One partition that cannot be part of a transaction keeps the others out of it. Whatever
// comes first, the error to tell, with its topic, is that of the one.
func TestWrittenTellsTheCause(t *testing.T) {
	type failure struct {
		topic string
		err   error
	}
	other, cause := failure{"output", kerr.OperationNotAttempted}, failure{"changelog", kerr.UnknownTopicOrPartition}
	for _, failures := range [][]failure{{cause, other}, {other, cause}, {other, cause, other}} {
		var w written
		for _, f := range failures {
			w.done(&kgo.Record{Topic: f.topic}, "changelog", f.err)
		}
		if w.topic != cause.topic || !errors.Is(w.err, cause.err) {
			t.Errorf("%v: tells %v of %s", failures, w.err, w.topic)
		}
	}
}

// TestHeardOfMeanwhile: a record fails since the client does not know its partition, and a
// moment later it does, or still does not. Trying again helps, but not for ever.
func TestHeardOfMeanwhile(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(3, "changelog"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: "changelog"}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	r := kgo.Record{Topic: "changelog", Partition: 3}
	unknown := cl.ProduceSync(t.Context(), &r).FirstErr() // what the client says
	if unknown == nil {
		t.Fatal("a partition that is not there took a record")
	}
	for partition := int32(2); partition < 4; partition++ { // heard of, and not
		s := &Session{cfg: &Config{}, cl: cl}
		w := &written{err: unknown, topic: "changelog", partition: partition}
		if err := s.refused(w); err != nil {
			t.Errorf("partition %d: %v", partition, err)
		}
		s.unheard = time.Now().Add(-newPartitionWait)
		if err := s.refused(w); !errors.Is(err, engine.ErrFatal) || !errors.Is(err, unknown) {
			t.Errorf("partition %d after %v: %v", partition, newPartitionWait, err)
		}
		if err := s.refused(&written{err: kerr.MessageTooLarge, topic: "changelog", partition: partition}); !errors.Is(err, engine.ErrFatal) {
			t.Errorf("partition %d, what a broker has refused: %v", partition, err)
		}
	}
}
