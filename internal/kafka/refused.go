package kafka

import (
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"windowed/internal/engine"
)

// newPartitionWait is how long a client may take to hear of a partition that was just
// added; its metadata are asked for anew at once.
const newPartitionWait = 30 * time.Second

// refused is the error for a record that could not be written; nil if trying again may
// help.
func (s *Session) refused(w *written) error {
	if isTransient(w.err) || s.unheardOf(w) {
		return nil
	}
	fix := hint(w.err, w.topic)
	if w.topic == s.cfg.Topics.Output && errors.Is(w.err, kerr.MessageTooLarge) {
		fix += "; or lower --top"
	}
	return fmt.Errorf("%w: write to %s: %w%s", engine.ErrFatal, w.topic, w.err, fix)
}

// unheardOf says whether a record may have failed since its partition was newer than what
// the client knew of its topic: the changelog grows while we run, and the admin client that
// made it grow is another one. The client has no error of its own for that, and may have
// heard of the partition since: any error that is not from a broker counts, for a while.
func (s *Session) unheardOf(w *written) bool {
	leader, _, err := s.cl.PartitionLeader(w.topic, w.partition)
	if err != nil || isKafka(w.err) {
		return false
	}
	if s.unheard.IsZero() {
		s.unheard = time.Now()
	}
	if leader < 0 {
		s.cl.ForceMetadataRefresh()
	}
	return time.Since(s.unheard) < newPartitionWait
}
