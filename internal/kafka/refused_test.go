package kafka

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
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
