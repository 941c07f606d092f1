package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
	"windowed/internal/fault"
)

// intake reads the orders of a session: with a fetcher as long as all goes well, else
// through the consumer of the client, for carefulFor after the last error. Where a
// partition stands is known here alone, so that each goes on where the other ended. Not
// safe for concurrent use.
type intake struct {
	cfg     *Config
	cl      *kgo.Client
	bytes   *bytesPool
	hook    kgo.Hook
	faults  *faults
	parts   map[int32]*intakePartition // those that were resumed
	fetcher *fetcher                   // nil: the client's consumer reads
	careful time.Time                  // when that began
	asked   time.Time                  // for leaders that had moved
}

// intakePartition is where the reading of a partition stands.
type intakePartition struct {
	next  int64 // behind the last record handed out
	epoch int32 // of the leader that wrote that; -1 if it is not known
	moved bool  // who reads does not know next yet
	held  bool
}

// errClient says that it was the client that had an error.
var errClient = errors.New("the client has an error to tell")

// carefulFor is how long after an error the client's consumer reads.
const carefulFor = 10 * time.Second

func newIntake(cfg *Config, cl *kgo.Client, bytes *bytesPool, hook kgo.Hook) *intake {
	return &intake{cfg: cfg, cl: cl, bytes: bytes, hook: hook, faults: newFaults(cfg), parts: make(map[int32]*intakePartition)}
}

func (in *intake) stop() {
	if in.fetcher != nil {
		in.fetcher.stop()
		in.fetcher = nil
	}
}

// resume reads partitions from the given offsets on, from the next poll on. One that was
// stopped is tried again, by the client's consumer.
func (in *intake) resume(next map[int32]int64) {
	for p, offset := range next {
		in.parts[p] = &intakePartition{next: offset, epoch: -1, moved: true}
		if in.fetcher != nil {
			in.fetcher.forget(p)
		}
		if err := in.faults.forget(p); err != nil {
			in.end(err)
		}
	}
}

// hold stops and goes on reading partitions.
func (in *intake) hold(partitions []int32, held bool) {
	stopped := in.faults.all()
	for _, p := range partitions {
		part := in.parts[p]
		if part == nil {
			continue
		}
		part.held = held
		switch {
		case part.moved || stopped[p] != nil: // nobody reads it
		case in.fetcher != nil:
			in.fetcher.hold(p, held)
		default:
			in.pause([]int32{p}, held)
		}
	}
}

// settle takes note that the client may have moved its consumer.
func (in *intake) settle() {
	for _, part := range in.parts {
		part.moved = part.moved || in.fetcher == nil
	}
}

// pause stops and goes on reading partitions by the client.
func (in *intake) pause(partitions []int32, paused bool) {
	which := map[string][]int32{in.cfg.Topics.Orders: partitions}
	if paused {
		in.cl.PauseFetchPartitions(which)
	} else {
		in.cl.ResumeFetchPartitions(which)
	}
}

// keep forgets all partitions but those.
func (in *intake) keep(owned map[int32]uint64) {
	for p := range in.parts {
		if _, ok := owned[p]; ok {
			continue
		}
		delete(in.parts, p)
		_ = in.faults.forget(p)
		if in.fetcher != nil {
			in.fetcher.forget(p)
		}
	}
}

// poll returns what has come; it waits at most wait for something.
func (in *intake) poll(ctx context.Context, wait time.Duration) ([]engine.Fetched, error) {
	if in.fetcher == nil && time.Since(in.careful) >= carefulFor && time.Since(in.faults.last) >= carefulFor {
		in.begin(ctx, wait)
	}
	in.move()
	read := in.fetch
	if in.fetcher == nil {
		read = in.consume
	}
	all, err := read(ctx, wait)
	for range all {
		fault.Point(fault.Polled)
	}
	return all, err
}

// fetch polls the fetcher.
func (in *intake) fetch(ctx context.Context, wait time.Duration) ([]engine.Fetched, error) {
	// The client has no records then, but it may have an error to tell.
	var now context.Context // nil: only what is there already
	before := in.faults.last
	if err := in.faults.take(in.cl.PollRecords(now, 1), in.cl, in.at); err != nil {
		return nil, err
	}
	if in.faults.last != before {
		in.end(errClient)
		return nil, nil
	}
	pieces, err := in.fetcher.poll(ctx, wait)
	var loss *kgo.ErrDataLoss
	switch {
	case errors.As(err, &loss):
		return nil, in.faults.fatal(loss.Topic, loss.Partition, err)
	case err != nil:
		in.end(err)
		return nil, nil
	}
	all := make([]engine.Fetched, 0, len(pieces))
	for _, p := range pieces {
		part := in.parts[p.partition]
		if p.from != part.next {
			in.end(fmt.Errorf("%s partition %d: records from %d on came, want those from %d on", in.cfg.Topics.Orders, p.partition, p.from, part.next))
			break
		}
		part.next, part.epoch = p.next, p.epoch
		if p.records != nil {
			all = append(all, p.records)
		}
	}
	return all, nil
}

// begin lets a fetcher read what the client's consumer has read so far.
func (in *intake) begin(ctx context.Context, wait time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, max(wait, time.Second))
	defer cancel()
	f, err := newFetcher(ctx, in.cfg, in.cl, in.bytes, in.hook)
	if err != nil {
		in.end(err)
		return
	}
	in.fetcher = f
	for p, part := range in.parts {
		part.moved = true
		in.pause([]int32{p}, true)
	}
}

// end lets the client's consumer read; or another fetcher, if a leader has moved for the
// first time in a while. That one says where it has read up to by which leader, so that a
// new one whose log is another can tell (KIP-595).
func (in *intake) end(err error) {
	in.stop()
	for _, part := range in.parts {
		part.moved = true
	}
	if hasMoved(err) && time.Since(in.asked) >= carefulFor {
		in.asked = time.Now()
		return
	}
	in.careful = time.Now()
	if in.cfg.Log != nil {
		in.cfg.Log.LogAttrs(context.Background(), slog.LevelDebug, "the client's consumer reads the orders until there is no more trouble",
			slog.Any("error", err), slog.Duration("for", carefulFor))
	}
}

// move tells who reads where partitions go on that were resumed, or that another has read.
func (in *intake) move() {
	stopped := in.faults.all()
	var partitions, held []int32
	offsets := make(map[int32]kgo.EpochOffset)
	for p, part := range in.parts {
		switch {
		case !part.moved || stopped[p] != nil:
			continue
		case in.fetcher != nil:
			in.fetcher.resume(p, part)
		default:
			offsets[p] = kgo.EpochOffset{Epoch: part.epoch, Offset: part.next}
			if part.held {
				held = append(held, p)
			} else {
				partitions = append(partitions, p)
			}
		}
		part.moved = false
	}
	if len(offsets) == 0 {
		return
	}
	// In this order: setting offsets ends the fetch that is under way, which would keep
	// resumed partitions waiting until it ends. Nothing polls in between.
	in.pause(held, true)
	in.pause(partitions, false)
	in.cl.SetOffsets(map[string]map[int32]kgo.EpochOffset{in.cfg.Topics.Orders: offsets})
}

// consume polls the client's consumer.
func (in *intake) consume(ctx context.Context, wait time.Duration) ([]engine.Fetched, error) {
	var poll context.Context // nil: only what is there already
	if wait > 0 {
		var cancel context.CancelFunc
		poll, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
	}
	fetches := in.cl.PollRecords(poll, pollMax)
	if err := in.faults.take(fetches, in.cl, in.at); err != nil {
		return nil, err
	}
	var all []engine.Fetched
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		n := len(p.Records)
		part := in.parts[p.Partition]
		if n == 0 || part == nil || part.moved {
			return
		}
		part.next, part.epoch = p.Records[n-1].Offset+1, p.Records[n-1].LeaderEpoch
		all = append(all, &fetched{partition: p.Partition, records: p.Records})
	})
	return all, nil
}

// at is the offset behind the last record handed out.
func (in *intake) at(p int32) int64 {
	if part := in.parts[p]; part != nil {
		return part.next
	}
	return 0
}
