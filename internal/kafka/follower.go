package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/exit"
	"windowed/internal/fault"
	"windowed/state"
)

// Follower reads changelog partitions into the state: committed records only, by
// position. It is the restorer, what keeps the partitions of other instances up to date,
// and all there is of a read replica. Safe for concurrent use.
type Follower struct {
	cfg    *Config
	cl     *kgo.Client
	adm    *kadm.Client
	st     *state.State
	opts   FollowOptions
	cancel context.CancelFunc
	done   chan struct{}

	mu       sync.Mutex
	followed map[int32]*state.Tail
	read     map[int32]int64 // offset to read next; the state's lies below before a cut commit, and in a restore
	failed   error
	progress Progress
	targets  map[int32]int64 // of the restore that runs, or the last one
}

// FollowOptions of a Follower.
type FollowOptions struct {
	// Wait is how long an open transaction of somebody else is waited for.
	Wait time.Duration
	// Fence ends open transactions of members of the group that are gone. Only one who
	// takes their partitions over may do that.
	Fence bool
	// Restoring is told when a restore begins and when it has ended; nil: nobody is.
	Restoring func(bool)
}

// Progress is how far a restore is, in changelog records (offsets, markers included).
type Progress struct {
	Active      bool
	Done, Total int64
	Since       time.Time
	Took        time.Duration // of the last one that has ended
	Restored    int64         // by all of this follower
}

// A restore applies what it has read of a partition when it has read all, or so many keys
// or bytes of all partitions: most keys come again, and the last record of a key is enough.
// It may take as many keys as there are counts in memory already, with as many bytes each.
const (
	maxTailKeys = 512 << 10
	maxTailSize = 48 << 20
)

// followMaxBytes is what a fetch brings at most: one is applied while the next one comes.
const followMaxBytes = 1 << 20

// checkpointKeys is how many changed keys a restore collects before it writes them.
const checkpointKeys = 1 << 20

// NewFollower makes a follower that follows nothing yet; Close it.
func NewFollower(cfg *Config, st *state.State, opts FollowOptions) (*Follower, error) {
	watched, _ := cfg.watched("changelog")
	cl, err := cfg.client(append(watched,
		kgo.ConsumeResetOffset(kgo.NoResetOffset()), kgo.FetchMaxBytes(followMaxBytes), kgo.WithPools(newRecordPool(), new(bytesPool)))...)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	f := &Follower{
		cfg: cfg, cl: cl, adm: kadm.NewClient(cl), st: st, opts: opts,
		cancel: cancel, done: make(chan struct{}), followed: make(map[int32]*state.Tail), read: make(map[int32]int64),
	}
	go f.run(ctx)
	return f, nil
}

// Close stops following.
func (f *Follower) Close() {
	f.cancel()
	<-f.done
	f.cl.Close()
}

// Progress is how far CatchUp is.
func (f *Follower) Progress() Progress {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.progress
}

// Remaining is how many records are still to be restored, by changelog partition: those of
// the restore that runs, or 0 each of the last one.
func (f *Follower) Remaining() map[int32]int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	left := make(map[int32]int64, len(f.targets))
	for p, end := range f.targets {
		left[p] = max(0, end-max(f.st.Position(p), f.read[p]))
	}
	return left
}

// Err is why nothing is followed any more; nil while all is well.
func (f *Follower) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

// Follow follows partitions from their positions in the state.
func (f *Follower) Follow(partitions []int32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	from := make(map[int32]kgo.Offset)
	for _, p := range partitions {
		if f.followed[p] == nil {
			f.followed[p], f.read[p] = new(state.Tail), 0
			from[p] = kgo.NewOffset().At(f.st.Position(p))
		}
	}
	if len(from) > 0 {
		f.cl.AddConsumePartitions(map[string]map[int32]kgo.Offset{f.cfg.Topics.Changelog: from})
	}
}

// Release stops following partitions. Nothing of them is applied once it returns, so
// their owner may. It returns the records of commits that a crash has cut.
func (f *Follower) Release(partitions []int32) (cut map[int32][]state.Change, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	cut = make(map[int32][]state.Change)
	for _, p := range partitions {
		if tail := f.followed[p]; tail != nil && err == nil && !fault.Planted(fault.TailNotEnded) {
			cut[p], err = tail.Cut()
		}
		delete(f.followed, p)
	}
	f.cl.RemoveConsumePartitions(map[string][]int32{f.cfg.Topics.Changelog: partitions})
	return cut, err
}

// at is how far a partition has been read.
func (f *Follower) at(p int32) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return max(f.st.Position(p), f.read[p])
}

// CatchUp follows partitions and returns when the state has what is in them now: up to
// their high watermark, captured here. Ending earlier, at the last stable offset, would
// miss what lies behind a dead writer's open transaction (KAFKA-10167). The end is a
// position, never a record: markers and aborted or compacted records leave offsets
// without one.
func (f *Follower) CatchUp(ctx context.Context, partitions []int32) error {
	targets, err := f.ends(ctx, partitions)
	if err != nil {
		return err
	}
	f.begin(targets)
	defer f.end()
	f.Follow(partitions)
	if err := f.reach(ctx, targets); err != nil {
		return err
	}
	if !fault.Planted(fault.NoSweep) {
		if err := f.st.Sweep(); err != nil {
			return err
		}
	}
	return f.st.Checkpoint(false)
}

// ends are the high watermarks of the partitions that are behind.
func (f *Follower) ends(ctx context.Context, partitions []int32) (map[int32]int64, error) {
	topic := f.cfg.Topics.Changelog
	// Positions first: what is followed moves on while the brokers answer.
	positions := make(map[int32]int64, len(partitions))
	for _, p := range partitions {
		positions[p] = f.st.Position(p)
	}
	ends, err := f.listEnds(ctx)
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
			// It was there a moment ago: a broker that has not heard of it yet. Trying again heals.
			return nil, fmt.Errorf("%s has no partition %d; windowed topics create adds it", topic, p)
		}
		at := positions[p]
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

// listEnds lists the high watermarks of the changelog.
func (f *Follower) listEnds(ctx context.Context) (kadm.ListedOffsets, error) {
	list := f.adm.ListEndOffsets
	if fault.Planted(fault.RestoreToStable) {
		list = f.adm.ListCommittedOffsets
	}
	ends, err := list(ctx, f.cfg.Topics.Changelog)
	if err == nil {
		err = ends.Error()
	}
	return ends, err
}

// stallAfter is how long nothing must arrive before CatchUp asks why; lookEvery is how
// often it looks.
const (
	stallAfter = 300 * time.Millisecond
	lookEvery  = 2 * time.Millisecond
)

// reach waits until every partition has reached its target.
func (f *Follower) reach(ctx context.Context, targets map[int32]int64) error {
	began := make(map[int32]int64, len(targets))
	for p := range targets {
		began[p] = f.at(p)
	}
	last, asked, done := time.Now(), time.Now(), int64(0)
	for {
		now, reached := int64(0), true
		for p, end := range targets {
			at := f.at(p)
			now += min(at, end) - began[p]
			reached = reached && at >= end
		}
		if now > done {
			done, last, asked = now, time.Now(), time.Now()
			f.advance(done)
		}
		if err := f.Err(); err != nil || reached {
			return err
		}
		if time.Since(asked) >= stallAfter {
			if err := f.stalled(ctx, targets, time.Since(last)); err != nil {
				return err
			}
			asked = time.Now()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}

// run applies what is fetched until the follower is closed or fails.
func (f *Follower) run(ctx context.Context) {
	defer close(f.done)
	for ctx.Err() == nil {
		fetches := f.cl.PollFetches(ctx)
		err := fetchError(fetches, f.cfg.Topics.Changelog)
		if err == nil {
			err = f.apply(fetches)
		}
		fetches.EachRecord((*kgo.Record).Recycle)
		// What the owner has applied is its business.
		if err == nil && fetches.NumRecords() > 0 && f.st.Dirty() >= checkpointKeys {
			err = f.st.Checkpoint(false)
		}
		if err != nil && ctx.Err() == nil {
			f.mu.Lock()
			f.failed = err
			f.mu.Unlock()
			return
		}
	}
}

// apply takes the records of the partitions that are followed.
func (f *Follower) apply(fetches kgo.Fetches) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		tail := f.followed[p.Partition]
		if err != nil || tail == nil || len(p.Records) == 0 {
			return
		}
		// What was fetched before a release may lie below.
		at := max(f.st.Position(p.Partition), f.read[p.Partition])
		for _, r := range p.Records {
			switch {
			case r.Attrs.IsControl() || r.Offset < at:
			case r.Attrs.IsTransactional():
				tail.Add(r.Key, r.Value)
			default:
				tail.AddLoose(r.Offset, r.Key, r.Value)
			}
		}
		f.read[p.Partition] = max(at, p.Records[len(p.Records)-1].Offset+1)
		if f.read[p.Partition] >= f.targets[p.Partition] {
			err = f.settle(p.Partition)
		}
	})
	keys, size := 0, 0
	for _, tail := range f.followed {
		keys, size = keys+tail.Len(), size+tail.Size()
	}
	many := max(maxTailKeys, f.st.Cached())
	if keys < many && size < many*(maxTailSize/maxTailKeys) {
		return err
	}
	for p := range f.followed {
		if err == nil {
			err = f.settle(p)
		}
	}
	return err
}

// settle applies what was read of a partition.
func (f *Follower) settle(p int32) error {
	if f.read[p] == 0 {
		return nil
	}
	return f.followed[p].Apply(f.st, p, f.read[p])
}

// pass goes on behind offsets without records.
func (f *Follower) pass(p int32, next int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.followed[p] == nil || next <= f.read[p] {
		return nil
	}
	f.read[p] = next
	return f.settle(p)
}

// stalled finds out why nothing arrives: a transaction is open below a target, or the
// end of the log holds no records at all.
func (f *Follower) stalled(ctx context.Context, targets map[int32]int64, since time.Duration) error {
	topic := f.cfg.Topics.Changelog
	stable, err := f.adm.ListCommittedOffsets(ctx, topic)
	if err != nil {
		return fmt.Errorf("list last stable offsets of %s: %w", topic, err)
	}
	for p, end := range targets {
		at := f.at(p)
		lso, ok := stable.Lookup(topic, p)
		if at >= end || !ok || lso.Err != nil {
			continue
		}
		if lso.Offset < end {
			if err := f.awaitTransaction(ctx, p, lso.Offset, since); err != nil {
				return err
			}
			continue
		}
		next, err := f.peek(ctx, p, at)
		if err == nil && next > at {
			err = f.pass(p, next)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// awaitTransaction ends the transaction of a dead member, or says whom it waits for and
// gives up in the end.
func (f *Follower) awaitTransaction(ctx context.Context, p int32, lso int64, since time.Duration) error {
	open := f.openTransactions(ctx, p)
	if f.opts.Fence {
		for _, id := range open.ids {
			if f.isDead(ctx, id) {
				return f.fence(ctx, id)
			}
		}
	}
	if since < f.opts.Wait {
		if f.cfg.Log != nil && since > time.Second && since%(5*time.Second) < 2*stallAfter {
			f.cfg.Log.Info("waiting for an open transaction in the changelog", "partition", p, "offset", lso, "of", open.String(), "waited", since)
		}
		return nil
	}
	return exit.Errorf(exit.NotReady, "%s partition %d: a transaction of %s has been open at offset %d for %v; it ends with its transaction timeout, or by kafka-transactions.sh abort",
		f.cfg.Topics.Changelog, p, open, lso, since.Round(time.Second))
}

func (f *Follower) begin(targets map[int32]int64) {
	f.tell(true)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.targets = targets
	f.progress = Progress{Active: true, Since: time.Now(), Took: f.progress.Took, Restored: f.progress.Restored}
	for p, end := range targets {
		f.progress.Total += end - f.st.Position(p)
	}
}

func (f *Follower) advance(done int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.progress.Restored += done - f.progress.Done
	f.progress.Done = done
}

func (f *Follower) end() {
	defer f.tell(false)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.progress.Active = false
	f.progress.Took = time.Since(f.progress.Since)
}

func (f *Follower) tell(restoring bool) {
	if f.opts.Restoring != nil {
		f.opts.Restoring(restoring)
	}
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
