package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/exit"
	"windowed/state"
)

// Follower reads changelog partitions into the state: committed records only, by
// position. It is the restorer, and what keeps a partition of another instance up to
// date.
type Follower struct {
	cfg   *Config
	cl    *kgo.Client
	adm   *kadm.Client
	st    *state.State
	wait  time.Duration // for open transactions of others
	tails map[int32]*state.Tail

	mu       sync.Mutex
	progress Progress
}

// Progress is how far a restore is, in changelog records (offsets, markers included).
type Progress struct {
	Active      bool
	Done, Total int64
	Since       time.Time
}

// checkpointKeys is how many changed keys a restore collects before it writes them.
const checkpointKeys = 64 << 10

// NewFollower makes a follower that waits at most wait for an open transaction to end.
func NewFollower(cfg *Config, st *state.State, wait time.Duration) (*Follower, error) {
	cl, err := cfg.client()
	if err != nil {
		return nil, err
	}
	return &Follower{cfg: cfg, cl: cl, adm: kadm.NewClient(cl), st: st, wait: wait, tails: make(map[int32]*state.Tail)}, nil
}

// Close closes the connections.
func (f *Follower) Close() { f.cl.Close() }

// Progress is safe to call at any time.
func (f *Follower) Progress() Progress {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.progress
}

// CatchUp brings the state up to what is in the changelog partitions now: up to their
// high watermark, captured here. Ending earlier, at the last stable offset, would miss
// what lies behind a dead writer's open transaction (KAFKA-10167). The end is a position,
// never a record: markers and aborted or compacted records leave offsets without one.
func (f *Follower) CatchUp(ctx context.Context, partitions []int32) error {
	targets, err := f.targets(ctx, partitions)
	if err != nil || len(targets) == 0 {
		return err
	}
	topic := f.cfg.Topics.Changelog
	from := make(map[int32]kgo.Offset, len(targets))
	for p := range targets {
		from[p] = kgo.NewOffset().At(f.st.Position(p))
	}
	f.begin(targets)
	defer f.end()
	f.cl.AddConsumePartitions(map[string]map[int32]kgo.Offset{topic: from})
	defer f.cl.PurgeTopicsFromConsuming(topic)
	if err := f.read(ctx, targets); err != nil {
		return err
	}
	if err := f.st.Sweep(); err != nil {
		return err
	}
	return f.st.Checkpoint(false)
}

// targets are the high watermarks of the partitions that are behind.
func (f *Follower) targets(ctx context.Context, partitions []int32) (map[int32]int64, error) {
	topic := f.cfg.Topics.Changelog
	ends, err := f.adm.ListEndOffsets(ctx, topic)
	if err == nil {
		err = ends.Error()
	}
	var starts kadm.ListedOffsets
	if err == nil {
		starts, err = f.adm.ListStartOffsets(ctx, topic)
	}
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("list offsets of %s: %w", topic, err)
	}
	targets := make(map[int32]int64)
	for _, p := range partitions {
		end, ok := ends.Lookup(topic, p)
		if !ok {
			return nil, exit.Errorf(exit.Usage, "%s has no partition %d: windowed topics create adds it", topic, p)
		}
		at := f.st.Position(p)
		if at > end.Offset {
			return nil, exit.Errorf(exit.Usage, "%s partition %d ends at offset %d, but the state directory has read it up to %d: the topic was made anew or cut off; if the changelog is right, remove the state directory; if the state is, see docs/operations.md, \"Topics made anew\"",
				topic, p, end.Offset, at)
		}
		if start, ok := starts.Lookup(topic, p); ok && at < start.Offset {
			if err := f.st.Apply(p, nil, start.Offset); err != nil {
				return nil, err
			}
		}
		if f.st.Position(p) < end.Offset {
			targets[p] = end.Offset
		}
	}
	return targets, nil
}

// stallAfter is how long nothing must arrive before the follower asks why.
const stallAfter = 300 * time.Millisecond

// read polls until every partition has reached its target.
func (f *Follower) read(ctx context.Context, targets map[int32]int64) error {
	last := time.Now() // of progress
	for len(targets) > 0 {
		poll, cancel := context.WithTimeout(ctx, stallAfter)
		fetches := f.cl.PollRecords(poll, pollMax)
		cancel()
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fetchError(fetches, f.cfg.Topics.Changelog); err != nil {
			return err
		}
		moved, err := f.apply(fetches)
		if err != nil {
			return err
		}
		if !moved {
			if moved, err = f.stalled(ctx, targets, time.Since(last)); err != nil {
				return err
			}
		}
		if moved {
			last = time.Now()
		}
		for p, end := range targets {
			if f.st.Position(p) >= end {
				delete(targets, p)
			}
		}
		if f.st.Dirty() >= checkpointKeys {
			if err := f.st.Checkpoint(false); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *Follower) apply(fetches kgo.Fetches) (moved bool, err error) {
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		if err != nil || len(p.Records) == 0 {
			return
		}
		tail := f.tails[p.Partition]
		if tail == nil {
			tail = new(state.Tail)
			f.tails[p.Partition] = tail
		}
		for _, r := range p.Records {
			if !r.Attrs.IsControl() {
				tail.Add(r.Key, r.Value)
			}
		}
		before, next := f.st.Position(p.Partition), p.Records[len(p.Records)-1].Offset+1
		if err = tail.Apply(f.st, p.Partition, next); err == nil {
			f.advance(max(0, next-before))
			moved = true
		}
	})
	return moved, err
}

// stalled finds out why nothing arrives: a transaction is open below a target, or the
// end of the log holds no records at all.
func (f *Follower) stalled(ctx context.Context, targets map[int32]int64, since time.Duration) (moved bool, err error) {
	topic := f.cfg.Topics.Changelog
	stable, err := f.adm.ListCommittedOffsets(ctx, topic)
	if err != nil {
		return false, fmt.Errorf("list last stable offsets of %s: %w", topic, err)
	}
	for p, end := range targets {
		lso, ok := stable.Lookup(topic, p)
		if !ok || lso.Err != nil {
			continue
		}
		if lso.Offset < end {
			if err := f.awaitTransaction(ctx, p, lso.Offset, since); err != nil {
				return false, err
			}
			continue
		}
		at := f.st.Position(p)
		next, err := f.peek(ctx, p, at)
		if err != nil {
			return false, err
		}
		if next > at {
			if err := f.st.Apply(p, nil, next); err != nil {
				return false, err
			}
			f.advance(next - at)
			moved = true
		}
	}
	return moved, nil
}

// awaitTransaction says whom it waits for, and gives up after f.wait.
func (f *Follower) awaitTransaction(ctx context.Context, p int32, lso int64, since time.Duration) error {
	if since < f.wait {
		if f.cfg.Log != nil && since > time.Second && since%(5*time.Second) < 2*stallAfter {
			f.cfg.Log.Info("waiting for an open transaction in the changelog", slog.Int("partition", int(p)),
				slog.Int64("offset", lso), slog.String("producer", f.openProducer(ctx, p)), slog.Duration("waited", since))
		}
		return nil
	}
	return exit.Errorf(exit.NotReady, "%s partition %d: a transaction of %s has been open at offset %d for %v; it ends with its transaction timeout, or by `kafka-transactions.sh abort`",
		f.cfg.Topics.Changelog, p, f.openProducer(ctx, p), lso, since.Round(time.Second))
}

// openProducer names the producers with an open transaction in a partition (Kafka 2.8
// or newer).
func (f *Follower) openProducer(ctx context.Context, p int32) string {
	topic := f.cfg.Topics.Changelog
	var set kadm.TopicsSet
	set.Add(topic, p)
	described, err := f.adm.DescribeProducers(ctx, set)
	if err != nil {
		return "an unknown producer"
	}
	var ids []int64
	for _, d := range described[topic].Partitions {
		for _, producer := range d.ActiveProducers {
			if producer.CurrentTxnStartOffset >= 0 && !slices.Contains(ids, producer.ProducerID) {
				ids = append(ids, producer.ProducerID)
			}
		}
	}
	if len(ids) == 0 {
		return "an unknown producer"
	}
	return fmt.Sprintf("producer id %v", ids)
}

func (f *Follower) begin(targets map[int32]int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.progress = Progress{Active: true, Since: time.Now()}
	for p, end := range targets {
		f.progress.Total += end - f.st.Position(p)
	}
}

func (f *Follower) advance(records int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.progress.Done += records
}

func (f *Follower) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.progress.Active = false
}

// fetchError is the first error of a poll that does not heal by itself.
func fetchError(fetches kgo.Fetches, topic string) (err error) {
	fetches.EachError(func(_ string, p int32, e error) {
		if err == nil && !errors.Is(e, context.DeadlineExceeded) && !errors.Is(e, context.Canceled) && !isTransient(e) {
			err = fmt.Errorf("read %s partition %d: %w%s", topic, p, e, hint(e, topic))
		}
	})
	return err
}
