package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
)

// faults sorts what polling reports: what heals by itself is logged, at most every ten
// seconds; a batch that cannot be read stops its partition; what never heals ends the
// session with its fix.
type faults struct {
	cfg *Config

	last time.Time // of what was taken

	mu      sync.Mutex
	stopped map[int32]error
	told    map[string]time.Time
}

func newFaults(cfg *Config) *faults {
	return &faults{cfg: cfg, stopped: make(map[int32]error), told: make(map[string]time.Time)}
}

const tellEvery = 10 * time.Second

// take takes the errors of fetches; at tells the offset behind the last record read.
func (f *faults) take(fetches kgo.Fetches, cl *kgo.Client, at func(p int32) int64) error {
	var fatal error
	fetches.EachError(func(topic string, p int32, err error) {
		if fatal != nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			return
		}
		f.last = time.Now()
		if fatal = f.fatal(topic, p, err); fatal != nil {
			return
		}
		if topic == f.cfg.Topics.Orders && p >= 0 && unreadable(err) {
			f.stop(cl, p, at(p), err)
			return
		}
		f.tell("reading "+topic, err)
	})
	return fatal
}

// fatal is the error that ends the session for err, if it never heals by itself.
func (f *faults) fatal(topic string, p int32, err error) error {
	switch {
	case errors.Is(err, kgo.ErrClientClosed):
		return err
	case errors.Is(err, kerr.UnknownTopicID), errors.Is(err, kerr.UnknownTopicOrPartition), errors.Is(err, kerr.InconsistentTopicID):
		return fmt.Errorf("%w: topic %s was deleted or made anew while it was read (%w); if that was on purpose, see docs/operations.md, \"Topics made anew\"",
			engine.ErrFatal, topic, err)
	case errors.Is(err, kerr.OffsetOutOfRange):
		return fmt.Errorf("%w: %s partition %d no longer has the records to read next (%w): the topic's retention is shorter than the lag; --accept-gap goes on behind the gap",
			engine.ErrFatal, topic, p, err)
	case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.GroupAuthorizationFailed),
		errors.Is(err, kerr.SaslAuthenticationFailed), errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		return fmt.Errorf("%w: read %s: %w%s", engine.ErrFatal, topic, err, hint(err, topic))
	case errors.Is(err, kerr.FencedInstanceID):
		return fmt.Errorf("%w: %w", engine.ErrFenced, err)
	}
	var loss *kgo.ErrDataLoss
	if errors.As(err, &loss) {
		return fmt.Errorf("%w: %w: %s partition %d lost records that were read before (unclean leader election?)", engine.ErrFatal, err, topic, p)
	}
	return nil
}

// unreadable says whether err is a batch that no attempt will read: too large when
// decompressed, a wrong checksum, bytes that are no records.
func unreadable(err error) bool {
	var large *kgo.ErrDecompressTooLarge
	return errors.As(err, &large) || errors.Is(err, kerr.CorruptMessage) || !isTransient(err) && !isKafka(err)
}

func (f *faults) stop(cl *kgo.Client, p int32, at int64, err error) {
	cl.PauseFetchPartitions(map[string][]int32{f.cfg.Topics.Orders: {p}})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped[p] = err
	var large *kgo.ErrDecompressTooLarge
	if errors.As(err, &large) {
		at = large.Offset
	}
	if f.cfg.Log != nil {
		f.cfg.Log.Error("a batch cannot be read: its partition stops, the others go on; to pass it, start once with the flag",
			"topic", f.cfg.Topics.Orders, "partition", p, "error", err, "flag", fmt.Sprintf("--skip-batch=%d:%d", p, at))
	}
}

// Stopped are the partitions that a batch which cannot be read has stopped.
func (s *Session) Stopped() map[int32]error { return s.in.faults.all() }

// forget lets a partition be read again, and returns why it was stopped; nil if it was not.
func (f *faults) forget(p int32) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.stopped[p]
	delete(f.stopped, p)
	return err
}

// all are the partitions that are stopped.
func (f *faults) all() map[int32]error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.stopped)
}

func (f *faults) tell(doing string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := doing + err.Error()
	now := time.Now()
	if f.cfg.Log == nil || now.Sub(f.told[key]) < tellEvery {
		return
	}
	if len(f.told) > 100 {
		clear(f.told)
	}
	f.told[key] = now
	f.cfg.Log.LogAttrs(context.Background(), slog.LevelWarn, "trouble with the brokers; trying on",
		slog.String("while", doing), slog.Any("error", err), slog.Any("brokers", f.cfg.Brokers))
}
