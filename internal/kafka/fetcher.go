package kafka

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
	"windowed/internal/fault"
)

// fetcher fetches orders for a session by requests of its own. It asks a broker for more as
// soon as it knows the headers of the record batches that came, and leaves all the rest to
// who reads the records, on all cores. The client's consumer makes a struct of each record
// first, and asks for more when all of them are taken (docs/performance.md).
//
// It only does what goes well: the first error, of whatever kind, is its end, and the
// client's consumer, which heals or reports it, takes over; see intake. Its methods are
// called by one goroutine, but for fail and tell.
type fetcher struct {
	cfg        *Config
	topic      string
	described  kadm.TopicDetail // when it began
	brokers    kadm.BrokerDetails
	decompress kgo.Decompressor // lends from bytes
	bytes      *bytesPool
	pool       *recordPool
	hook       kgo.Hook // nil: none

	ctx     context.Context
	cancel  context.CancelFunc
	working sync.WaitGroup
	out     chan delivery
	failed  chan struct{} // closed at the first error

	mu      sync.Mutex
	err     error
	moves   int // that there were
	streams map[int32]*stream
	sources map[lane]*source
}

// lane is one of the connections to a broker, each of which has its share of the partitions.
type lane struct{ broker, number int32 }

// lanes are how many connections there are to a broker: while the answer of one is on its
// way and taken, the broker gathers that of the other. With one, two cores that it shares
// with the broker count a sixth less.
const lanes = 2

// stream is the reading of one partition.
type stream struct {
	source    *source
	partition int32
	epoch     int32 // of its leader
	next      int64 // offset to ask for
	last      int32 // epoch of the leader that wrote what is before it; -1 if it is not known
	moved     int   // another number each time it is resumed: what was asked for before is not wanted
	held      bool
}

// delivery is what one answer has brought.
type delivery struct {
	pieces []piece
	taken  chan struct{} // if not nil, closed by who takes it
}

// piece is what an answer has brought of one partition.
type piece struct {
	partition int32
	records   engine.Fetched // nil: none
	moved     int            // of its stream when it was asked for
	from      int64          // what was asked for
	next      int64          // behind it
	epoch     int32          // of the leader that wrote the last batch
}

// pollEnough is how many records of several answers go into one poll.
const pollEnough = 10_000

// newFetcher asks for the leaders of the partitions. Nothing is fetched before resume.
func newFetcher(ctx context.Context, cfg *Config, cl *kgo.Client, bytes *bytesPool, hook kgo.Hook) (*fetcher, error) {
	topic := cfg.Topics.Orders
	all, err := kadm.NewClient(cl).Metadata(ctx, topic)
	if err == nil {
		err = all.Topics[topic].Err
	}
	if err != nil {
		return nil, fmt.Errorf("describe %s: %w", topic, err)
	}
	f := &fetcher{
		cfg: cfg, topic: topic, described: all.Topics[topic], brokers: all.Brokers, hook: hook, bytes: bytes, pool: newRecordPool(),
		out: make(chan delivery, 1), failed: make(chan struct{}),
		streams: make(map[int32]*stream), sources: make(map[lane]*source),
	}
	f.decompress, _ = cl.OptValue(kgo.WithDecompressor).(kgo.Decompressor)
	f.ctx, f.cancel = context.WithCancel(cl.Context())
	return f, nil
}

// stop ends all fetching. What was delivered can still be read.
func (f *fetcher) stop() {
	f.cancel()
	f.working.Wait()
}

// resume fetches a partition from where part stands.
func (f *fetcher) resume(p int32, part *intakePartition) {
	d, ok := f.described.Partitions[p]
	if !ok || d.Leader < 0 {
		f.fail(fmt.Errorf("%s partition %d has no leader: %w", f.topic, p, cmp.Or(d.Err, error(kerr.LeaderNotAvailable))))
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.streams[p]
	if s == nil {
		s = &stream{partition: p, epoch: d.LeaderEpoch, source: f.source(lane{d.Leader, p % lanes})}
		s.source.streams = append(s.source.streams, s)
		f.streams[p] = s
	}
	f.moves++
	s.next, s.last, s.held, s.moved = part.next, part.epoch, part.held, f.moves
	s.source.wake()
}

// broker is where a broker was when the fetcher began.
func (f *fetcher) broker(id int32) (kadm.BrokerDetail, bool) {
	i := slices.IndexFunc(f.brokers, func(b kadm.BrokerDetail) bool { return b.NodeID == id })
	if i < 0 {
		return kadm.BrokerDetail{}, false
	}
	return f.brokers[i], true
}

// source is the one of a lane. f.mu is locked.
func (f *fetcher) source(of lane) *source {
	s := f.sources[of]
	if s == nil {
		s = &source{fetcher: f, broker: of.broker, awake: make(chan struct{}, 1)}
		f.sources[of] = s
		f.working.Go(s.run)
	}
	return s
}

// hold stops fetching a partition, or goes on with it.
func (f *fetcher) hold(p int32, held bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.streams[p]; s != nil {
		s.held = held
		s.source.wake()
	}
}

// forget stops fetching a partition, and drops what was fetched of it.
func (f *fetcher) forget(p int32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.streams[p]; s != nil {
		s.moved = 0
		s.source.drop(s)
		delete(f.streams, p)
	}
}

// fail ends the fetching. It may be called by any goroutine.
func (f *fetcher) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil && f.ctx.Err() == nil {
		f.err = err
		close(f.failed)
	}
}

// tell counts a batch. It may be called by any goroutine.
func (f *fetcher) tell(m kgo.FetchBatchMetrics) {
	if h, ok := f.hook.(kgo.HookFetchBatchRead); ok {
		h.OnFetchBatchRead(kgo.BrokerMetadata{}, f.topic, 0, m)
	}
}

// poll returns what was fetched; it waits at most wait for something. An error says why
// nothing more will come of a partition at least.
func (f *fetcher) poll(ctx context.Context, wait time.Duration) ([]piece, error) {
	select {
	case <-f.failed:
		return nil, f.failure()
	default:
	}
	all := f.ready(nil)
	if len(all) > 0 || wait <= 0 {
		return all, nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case d := <-f.out:
		return f.ready(f.accept(nil, d)), nil
	case <-f.failed:
		return nil, f.failure()
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil, nil
}

func (f *fetcher) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// ready adds to all what needs no waiting.
func (f *fetcher) ready(all []piece) []piece {
	for {
		records := 0
		for i := range all {
			if all[i].records != nil {
				records += all[i].records.Len()
			}
		}
		if records >= pollEnough {
			return all
		}
		select {
		case d := <-f.out:
			all = f.accept(all, d)
		default:
			return all
		}
	}
}

// accept adds to all what is wanted of d.
func (f *fetcher) accept(all []piece, d delivery) []piece {
	if d.taken != nil {
		close(d.taken)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range d.pieces {
		if s := f.streams[p.partition]; s != nil && (s.moved == p.moved || fault.Planted(fault.OlderFetch)) {
			all = append(all, p)
		}
	}
	return all
}
