package kafka

import (
	"context"
	"testing"
	"time"
)

// What was asked for before a partition was resumed, or forgotten, is not handed out: its
// offsets say nothing of what is to be read.
func TestDeliveryOfAnOlderRequest(t *testing.T) {
	f := testFetcher()
	f.streams, f.out = map[int32]*stream{3: {partition: 3, moved: 2}, 4: {partition: 4, moved: 1}}, make(chan delivery, 3)
	of := func(p int32, moved int, next int64) piece {
		return piece{Fetched: &chunk{fetcher: f, partition: p, count: 1}, moved: moved, next: next}
	}
	taken := make(chan struct{})
	f.out <- delivery{pieces: []piece{of(3, 1, 100), of(4, 1, 7)}, taken: taken}
	f.out <- delivery{pieces: []piece{of(5, 0, 50)}}
	f.out <- delivery{pieces: []piece{of(3, 2, 20), of(4, 2, 8)}}
	got, err := f.poll(context.Background(), 0)
	if err != nil || len(got) != 2 || got[0].next != 7 || got[1].next != 20 {
		t.Errorf("handed out %d pieces of older requests, want those up to 7 and 20: %v", len(got), err)
	}
	select {
	case <-taken:
	default:
		t.Error("the source was not told")
	}
}

// One poll takes what is there, but not without end.
func TestPollIsBounded(t *testing.T) {
	f := testFetcher()
	f.streams, f.out = map[int32]*stream{0: {}}, make(chan delivery, 5)
	for range 5 {
		f.out <- delivery{pieces: []piece{{Fetched: &chunk{fetcher: f, count: pollEnough / 2}}}}
	}
	for _, want := range []int{2, 2, 1, 0} {
		if got, err := f.poll(context.Background(), time.Millisecond); err != nil || len(got) != want {
			t.Errorf("%d pieces, want %d: %v", len(got), want, err)
		}
	}
}
