package engine

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"windowed/internal/fault"
	"windowed/state"
)

// Inputs tells what the brokers know of the topics. Safe for concurrent use.
type Inputs interface {
	// Committed are the offsets that the group has committed of the given input
	// partitions, those it has committed any of.
	Committed(ctx context.Context, partitions []int32) (map[int32]int64, error)
	// Offsets are the ends of the logs of the given input partitions.
	Offsets(ctx context.Context, partitions []int32) (map[int32]InputOffsets, error)
	// Stable are the last stable offsets of all partitions of orders and changelog.
	Stable(ctx context.Context) (Ends, error)
	// Partitions says how many partitions the topics have.
	Partitions(ctx context.Context) (PartitionCounts, error)
	// Grow gives the changelog as many partitions as the orders have.
	Grow(ctx context.Context) error
	// Batch is the first offset of the record batch that holds offset, and the offset
	// behind it. The batch need not be readable.
	Batch(ctx context.Context, p int32, offset int64) (first, next int64, err error)
}

// PartitionCounts are the numbers of partitions of the topics.
type PartitionCounts struct {
	Orders, Changelog int32
	ID                [16]byte // of the orders topic
}

// Restorer reads changelog partitions into the state. Safe for concurrent use.
type Restorer interface {
	// CatchUp follows partitions and returns once the state has what is in them now.
	CatchUp(ctx context.Context, partitions []int32) error
	// Follow follows partitions; Release stops, for their owner to take over. It returns
	// the records of commits that a crash has cut, which are not in the state.
	Follow(partitions []int32)
	Release(partitions []int32) (cut map[int32][]state.Change, err error)
	// Err is why nothing is followed any more.
	Err() error
}

// Housekeeper keeps an embedded broker's topics small; called between transactions.
type Housekeeper interface {
	// Rewrite says whether the live records of a changelog partition should be written
	// again, so that what lies before them can be deleted; live counts them.
	Rewrite(p int32, position int64, live func() (int, error)) (bool, error)
	// Rewritten tells the first offset of the live records.
	Rewritten(ctx context.Context, p int32, first int64) error
	// Trim deletes records of the other topics that nobody needs any more; next are the
	// input offsets that are counted.
	Trim(ctx context.Context, next map[int32]int64) error
}

// LoopOptions are what a Loop is made of.
type LoopOptions struct {
	Config      Config
	Topic       string // of the orders, for messages
	Writer      string // transactional id, for the metas
	Interval    time.Duration
	Consent     Consent
	SkipBatches map[int32]int64 // partition -> an offset in the batch to pass
	Reconfigure bool
	Sole        bool          // at least once: no other member may own a partition
	CountEvery  time.Duration // how often partitions are counted; default 10s
	// Wall is the clock that event times are compared with and finals are dated by; it may
	// jump. Nothing is timed by it. Default: time.Now.
	Wall   func() time.Time
	Log    *slog.Logger
	Status *Status

	State     *state.State
	Transport Transport
	Inputs    Inputs
	Restorer  Restorer
	Keeper    Housekeeper // nil: not our broker
	Preparer  Preparer    // nil: records need nothing to be decoded
}

// Loop drives the step over a Transport until its context ends. One goroutine runs it.
type Loop struct {
	opts    LoopOptions
	cfg     *Config
	st      *state.State
	emitter *Emitter

	generation uint64
	parts      map[int32]*activePartition
	hands      []hand // that count
	inputs     int32  // partitions of the orders that exist in the changelog too
	known      int32  // inputs when ownership was looked at last
	restored   bool   // the state has been complete once
	topicID    [16]byte
	nextTick   time.Time
	rested     time.Time // when the next poll may be
	checkpoint time.Time // when the last one was begun
	slow       *slowQueries
	waiting    []Fetched // that cannot be decoded yet
	kept       time.Time
}

// activePartition is an input partition this process owns and has restored.
type activePartition struct {
	*Partition
	since     uint64     // ownership generation that brought it
	first     state.Meta // where it began here
	meta      state.Meta // as sealed last
	batch     *Batch     // filling; on top of a sealed one while that is committed
	fed       bool       // its hand has had records of the batch
	moved     bool       // first differs from the state, by consent
	committed bool       // something, since it is ours
	resumed   bool
	held      bool      // too far ahead of the others in event time
	raised    time.Time // when idleness was looked at last
	heard     time.Time // when the last record came, or it was resumed
}

// maxBatch bounds the records of one transaction, maxDead its refused bytes. For its keys
// see pace.
const (
	maxBatch = 600_000
	maxDead  = 16 << 20

	manyKeys       = 20_000
	gatherAtMost   = time.Second
	gatherIfBehind = 4 * time.Second

	// adoptEvery is how often, if not more often, it is looked for partitions that come and
	// go; others may wait for that.
	adoptEvery = 100 * time.Millisecond
	// resumeEvery is how often it is looked whether partitions can be read, while none is.
	resumeEvery = 20 * time.Millisecond

	checkpointEvery  = time.Second
	checkpointAtMost = 10 * time.Second
	maxDirtyKeys     = 3 << 20 // some 120 MB when they are written
)

// NewLoop returns a loop that has not started.
func NewLoop(opts LoopOptions) *Loop {
	l := &Loop{opts: opts, st: opts.State, parts: make(map[int32]*activePartition)}
	l.cfg = &l.opts.Config
	if l.opts.Wall == nil {
		l.opts.Wall = time.Now
	}
	l.emitter = NewEmitter(l.cfg)
	l.hands = newHands(l.cfg)
	l.slow = newSlowQueries(opts.Inputs, opts.Log, cmp.Or(opts.CountEvery, 10*time.Second))
	return l
}

// Run processes records until ctx ends (nil) or the session is of no use (an error).
func (l *Loop) Run(ctx context.Context) error {
	defer l.slow.stop()
	defer l.work()()
	l.opts.Status.set(Joining)
	l.nextTick = time.Now()
	l.checkpoint = l.nextTick
	for ctx.Err() == nil {
		if err := l.adopt(ctx); err != nil {
			return l.ended(ctx, err)
		}
		fetched, err := l.read(ctx, min(max(0, time.Until(l.nextTick)), adoptEvery))
		if err != nil {
			return l.ended(ctx, err)
		}
		records := l.add(fetched)
		began := time.Now()
		early := began.Before(l.nextTick)
		if (early || l.gathers(records, began)) && !l.full() {
			continue
		}
		if err := l.tick(ctx); err != nil {
			return l.ended(ctx, err)
		}
		if early {
			l.opts.Status.pressed(time.Since(began))
		}
		// From its beginning: what comes while a transaction is under way need not wait
		// longer than what comes at any other time.
		l.nextTick = began.Add(l.interval())
	}
	// What is counted but not committed is counted again at the next start.
	return nil
}

// interval is from one transaction to the next. At first, and while partitions are here of
// which none is read, there is none, and it is only looked for what they wait for.
func (l *Loop) interval() time.Duration {
	waiting := !l.restored || len(l.parts) > 0
	for _, p := range l.parts {
		waiting = waiting && !p.resumed
	}
	if waiting {
		return min(l.opts.Interval, resumeEvery)
	}
	return l.opts.Interval
}

func (l *Loop) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// batch is the batch of p that fills, on top of what was sealed last.
func (l *Loop) batch(p *activePartition) *Batch {
	if p.batch == nil {
		l.await() // it shares the numbering of the drinks with other batches
		g, _ := l.st.Global()
		p.batch, p.fed = p.Begin(p.meta, g.CloseThrough, l.st.NewestClosed()), false
	}
	return p.batch
}

// fed is the batch of p for its hand. All records of it are judged by what is committed
// when the first of them comes.
func (l *Loop) fed(p *activePartition) *Batch {
	b := l.batch(p)
	if !p.fed {
		g, _ := l.st.Global()
		b.Rebase(g.CloseThrough, l.st.NewestClosed())
		p.fed = true
	}
	return b
}

// gathers says whether a transaction that is due waits for more: while there is more to
// read, and so many keys are in it that most of its cost is theirs. A key that comes again
// until the transaction ends costs nothing more. Where much is waiting to be read, a few
// seconds more or less are none to whoever waits for an answer.
//
// records are those of the last poll.
func (l *Loop) gathers(records int, now time.Time) bool {
	_, keys, _ := l.filling()
	most := gatherAtMost
	if records >= fewRecords {
		most = gatherIfBehind
	}
	return records > 0 && keys >= manyKeys && now.Sub(l.nextTick) < most
}

// tick plans a transaction, and commits it if something is due.
func (l *Loop) tick(ctx context.Context) error {
	l.await()
	if l.torn() && !fault.Planted(fault.TornCounts) {
		l.rewind()
		return nil
	}
	if err := l.opts.Restorer.Err(); err != nil {
		return err
	}
	l.slow.refresh(ctx, l.silent() || l.opts.Status.endsWanted(), l.parts[0] != nil)
	if err := l.slow.absent(); err != nil {
		return err
	}
	l.opts.Status.ends(l.slow.latest())
	l.inputs = max(l.inputs, l.slow.partitions())
	if err := l.open(); err != nil {
		return err
	}
	l.opts.Status.stop(l.opts.Transport.Stopped())
	l.level(time.Now())
	l.opts.Status.pause(l.paused())
	t, sealed, em, err := l.plan()
	if err != nil {
		return err
	}
	if t != nil {
		if err := l.commit(ctx, t, sealed, em); err != nil {
			return err
		}
		// What was committed may be the first global record, which partitions waited for.
		if err := l.open(); err != nil {
			return err
		}
	}
	if err := l.checkpointDue(ctx); err != nil {
		return err
	}
	return l.keepHouse(ctx)
}

// checkpointDue writes a checkpoint if it is time. What is written later is written once
// and not each time it changes, so the more keys there are, the longer it waits: a
// checkpoint costs some 2 us a key, in part by what compactions do with it, and may take a
// fifth of a core. What the store lacks is read from the changelog after a crash.
//
// While it is written, the loop reads on.
func (l *Loop) checkpointDue(ctx context.Context) (err error) {
	now, keys := time.Now(), l.st.Dirty()
	wait := min(max(time.Duration(keys)*10*time.Microsecond, checkpointEvery), checkpointAtMost)
	if now.Sub(l.checkpoint) < wait && keys < maxDirtyKeys {
		return nil
	}
	l.checkpoint = now
	fault.Point(fault.BeforeCheck)
	read := l.meanwhile(ctx, func() { err = l.st.Checkpoint(false) })
	if err != nil {
		return err
	}
	fault.Point(fault.Checkpointed)
	return read
}

// open resumes the partitions that take part in the close-through.
func (l *Loop) open() error {
	g, ok := l.st.Global()
	if !ok || !l.restored {
		return nil
	}
	if err := CheckFingerprint(l.st, l.cfg, l.opts.Reconfigure); err != nil {
		return err
	}
	next := make(map[int32]int64)
	for id, p := range l.parts {
		if p.resumed || id >= g.Partitions {
			continue
		}
		if _, known := l.st.Meta(id); !known {
			// It starts at the committed C, so that it cannot reopen what is closed.
			p.meta.Time.CloseThrough = max(p.meta.Time.CloseThrough, g.CloseThrough)
			// A batch begun while it had to wait knows an older C; it has read nothing.
			p.first, p.batch = p.meta, nil
		}
		p.resumed, p.heard = true, time.Now()
		next[id] = p.meta.Next
	}
	if len(next) > 0 {
		fault.Point(fault.Resumed)
		l.opts.Transport.Resume(next)
	}
	l.opts.Status.set(Running)
	return nil
}

// silent are the partitions that may be idle and are not known to be at rest.
func (l *Loop) silent() bool {
	if l.cfg.IdleTimeout == 0 {
		return false
	}
	for _, p := range l.parts {
		if p.resumed && time.Since(p.heard).Milliseconds() >= l.cfg.IdleTimeout {
			return true
		}
	}
	return false
}

// idle raises the partitions that are silent at their end, by last stable offsets that
// were asked for after they fell silent; wall is the wall clock in ms.
func (l *Loop) idle(p *activePartition, b *Batch, now time.Time, wall int64) {
	if l.cfg.IdleTimeout == 0 || !p.resumed || p.held || b.Read > 0 || now.Sub(p.heard).Milliseconds() < l.cfg.IdleTimeout {
		return
	}
	if p.meta.Time.Idle && now.Sub(p.raised) < idleEvery(l.cfg.IdleTimeout) {
		return
	}
	stable, ok := l.slow.stable(p.ID, p.heard)
	if ok && b.Meta.Next >= stable {
		p.raised = now
		b.Idle(l.st, wall)
	}
}

// idleEvery is how often the close-through of an idle partition follows the clock: each
// time is a transaction, until the newest window has closed. A window may close so much
// later.
func idleEvery(timeout int64) time.Duration {
	return min(time.Duration(timeout)*time.Millisecond/20, 5*time.Second)
}

// ids are the owned partitions in order.
func (l *Loop) ids() []int32 { return slices.Sorted(maps.Keys(l.parts)) }
