package kafka

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/internal/engine"
)

// deliveries is a fetcher of partitions 3, 4 and 5, each of another broker, none of which
// answers; it has room for so many deliveries.
func deliveries(room int) *fetcher {
	f := testFetcher()
	f.out, f.streams, f.sources = make(chan delivery, room), make(map[int32]*stream), make(map[lane]*source)
	f.described.Partitions = make(kadm.PartitionDetails)
	for p := range int32(6) {
		f.described.Partitions[p] = kadm.PartitionDetail{Leader: p}
		f.sources[lane{p, p % lanes}] = &source{fetcher: f, broker: p, awake: make(chan struct{}, 1)}
	}
	return f
}

// of is what an answer to a request of now brings of a partition.
func (f *fetcher) of(p int32, records int, next int64) piece {
	s := f.streams[p]
	return piece{partition: p, records: &chunk{fetcher: f, partition: p, count: records}, moved: s.moved, from: s.next, next: next}
}

// What was asked for before a partition was resumed, or forgotten, is not handed out: its
// offsets say nothing of what is to be read.
func TestDeliveryOfAnOlderRequest(t *testing.T) {
	f := deliveries(3)
	for p := range int32(3) {
		f.resume(3+p, &intakePartition{next: 90})
	}
	old, same, gone := f.of(3, 1, 100), f.of(4, 1, 107), f.of(5, 1, 150)
	f.resume(3, &intakePartition{next: 10})
	f.forget(5)
	f.resume(5, &intakePartition{next: 50})
	taken := make(chan struct{})
	f.out <- delivery{pieces: []piece{old, same}, taken: taken}
	f.out <- delivery{pieces: []piece{gone}}
	f.out <- delivery{pieces: []piece{f.of(3, 1, 20)}}
	got, err := f.poll(context.Background(), 0)
	if err != nil || len(got) != 2 || got[0].next != 107 || got[1].next != 20 {
		t.Errorf("handed out %d pieces of older requests, want those up to 107 and 20: %v", len(got), err)
	}
	select {
	case <-taken:
	default:
		t.Error("the source was not told")
	}
}

// One poll takes what is there, but not without end.
func TestPollIsBounded(t *testing.T) {
	f := deliveries(5)
	f.resume(3, &intakePartition{})
	for range 5 {
		f.out <- delivery{pieces: []piece{f.of(3, pollEnough/2, 1)}}
	}
	for _, want := range []int{2, 2, 1, 0} {
		if got, err := f.poll(context.Background(), time.Millisecond); err != nil || len(got) != want {
			t.Errorf("%d pieces, want %d: %v", len(got), want, err)
		}
	}
}

// A broker that fails is heard of, however much comes from the others: its partitions would
// wait as long as that.
func TestFailureIsHeardAtOnce(t *testing.T) {
	f := deliveries(1)
	f.resume(3, &intakePartition{})
	f.out <- delivery{pieces: []piece{f.of(3, 1, 1)}}
	gone := errors.New("gone")
	f.fail(gone)
	if got, err := f.poll(context.Background(), 0); !errors.Is(err, gone) {
		t.Errorf("%d pieces, error %v", len(got), err)
	}
}

// A log that was cut behind what was read, as an unclean election leaves it, ends the
// session: who goes on misses what has taken its place.
func TestLogThatWasCut(t *testing.T) {
	f := deliveries(1)
	f.resume(3, &intakePartition{next: 70, epoch: 4})
	req, of := f.streams[3].source.request()
	if p := req.Topics[0].Partitions[0]; p.FetchOffset != 70 || p.LastFetchedEpoch != 4 {
		t.Errorf("asked for %d behind epoch %d", p.FetchOffset, p.LastFetchedEpoch)
	}
	rp := kmsg.NewFetchResponseTopicPartition()
	rp.Partition, rp.DivergingEpoch.Epoch, rp.DivergingEpoch.EndOffset = 3, 3, 60
	_, err := f.streams[3].source.take(&kmsg.FetchResponse{Topics: []kmsg.FetchResponseTopic{{Partitions: []kmsg.FetchResponseTopicPartition{rp}}}}, new(answer), of)
	var loss *kgo.ErrDataLoss
	if !errors.As(err, &loss) || loss.Partition != 3 || loss.ResetTo != 60 {
		t.Fatalf("error %v", err)
	}
	f.fail(err)
	in := intakeOf(t, f)
	if _, err := in.fetch(context.Background(), 0); !errors.Is(err, engine.ErrFatal) {
		t.Errorf("the session goes on: %v", err)
	}
}

// intakeOf is an intake that reads by f, beside a client without brokers.
func intakeOf(t *testing.T, f *fetcher) *intake {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers("127.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	in := newIntake(&Config{Topics: Topics{Orders: "orders"}}, cl, nil, nil)
	in.fetcher, f.cancel = f, func() {}
	return in
}

// Records behind a gap are not handed out, wherever it comes from.
func TestGapIsNotHandedOut(t *testing.T) {
	f := deliveries(1)
	in := intakeOf(t, f)
	in.resume(map[int32]int64{3: 10, 4: 10})
	in.move()
	good, gap := f.of(3, 1, 12), f.of(4, 1, 20)
	gap.from = 11
	f.out <- delivery{pieces: []piece{good, gap, f.of(3, 1, 12)}}
	got, err := in.fetch(context.Background(), 0)
	if err != nil || len(got) != 1 || got[0].Partition() != 3 || in.fetcher != nil || in.at(3) != 12 || in.at(4) != 10 {
		t.Errorf("%d pieces (%v), at %d and %d", len(got), err, in.at(3), in.at(4))
	}
}

// The partitions of a broker are shared out over its lanes, and each is in one of them.
func TestLanes(t *testing.T) {
	f := deliveries(1)
	for p := range f.described.Partitions {
		f.described.Partitions[p] = kadm.PartitionDetail{Leader: p / 3}
	}
	f.sources = make(map[lane]*source)
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.cancel() // nobody fetches
	for p := range int32(6) {
		f.resume(p, &intakePartition{next: 1})
	}
	f.working.Wait()
	want := map[lane][]int32{{0, 0}: {0, 2}, {0, 1}: {1}, {1, 0}: {4}, {1, 1}: {3, 5}}
	got := make(map[lane][]int32)
	for of, s := range f.sources {
		for _, st := range s.streams {
			got[of] = append(got[of], st.partition)
		}
		if s.broker != of.broker {
			t.Errorf("lane %v is of broker %d", of, s.broker)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("partitions by lane %v, want %v", got, want)
	}
}
