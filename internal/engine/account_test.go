package engine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/internal/event"
	"windowed/state"
	"windowed/window"
)

// accounting is a loop of which only the state and the status are used.
func accounting(t *testing.T) *Loop {
	t.Helper()
	cfg := Config{Window: 1000}
	st, err := state.Open("state", state.Options{FS: vfs.NewMem(), Window: cfg.Lifecycle()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Abandon() })
	return NewLoop(LoopOptions{Config: cfg, State: st, Status: new(Status)})
}

// TestAccount tells the status of two transactions: what they added is counted, not what
// the metas hold since the beginning of time.
func TestAccount(t *testing.T) {
	l := accounting(t)
	before := state.NewMeta(5)
	before.Counters = state.Counters{Records: 1000, Counted: 900, Portions: 5000, Late: 50}
	if err := l.st.Apply(0, []state.Change{{Kind: state.MetaKind, Meta: &before}}, 1); err != nil {
		t.Fatal(err)
	}
	after := before
	after.Counters.Records, after.Counters.Counted, after.Counters.Portions, after.Counters.Late = 1007, 904, 5020, 52
	after.Counters.Invalid[event.Future] = 1
	fresh := state.NewMeta(0)
	fresh.Time.Watermark = 1_001_000 // two seconds before the commit
	fresh.Counters = state.Counters{Records: 3, Counted: 3, Portions: 4}
	var late Histogram
	late.addMillis(400, ageBounds)
	late.addMillis(1<<62, ageBounds)
	end := int64(1_000_000)
	em := &Emission{
		snapshot: true,
		Outputs: []Output{
			{Type: Snapshot, Scope: window.AllTime}, {Type: Final, End: end}, {Type: Final, End: end + 1000}, {Type: Final, End: end, Revision: 1},
		},
		Changes: []state.Change{{Kind: state.EmittedKind}, {Kind: state.EmittedKind, Deleted: true}, {Kind: state.GlobalKind}},
	}
	tx := &Transaction{Now: end + 3000, Dead: []DeadLetter{{Reason: event.Late}, {Reason: event.Late}, {Reason: event.Future}}}
	l.account(tx, map[int32]*Batch{0: {Meta: after, Ages: late}, 1: {Meta: fresh}}, em)
	l.account(&Transaction{Now: end + 9000}, nil, new(Emission))

	now := l.opts.Status.Now()
	want := state.Counters{Records: 10, Counted: 7, Portions: 24, Late: 2}
	want.Invalid[event.Future] = 1
	if now.Counted != want {
		t.Errorf("counted %+v, want %+v", now.Counted, want)
	}
	if now.Finals != 2 || now.Revised != 1 || now.Expired != 1 || now.Dead != 3 || now.Shots != 1 || !now.Snapshot.Equal(time.UnixMilli(end+3000)) {
		t.Errorf("%+v", now)
	}
	if h := now.CloseDelays; h.Count != 2 || h.Sum != 5 {
		t.Errorf("close delays %+v", h)
	}
	if h := now.EventLags; h.Count != 1 || h.Sum != 2 {
		t.Errorf("event time lags %+v", h)
	}
	if h := now.Lateness; h.Count != 2 || h.Cumulative()[.5] != 1 || h.Sum < 1e15 {
		t.Errorf("lateness %+v", h)
	}
}

// TestRefused remembers the last five records of each reason, the newest first.
func TestRefused(t *testing.T) {
	l := accounting(t)
	dead := func(reason event.Reason, offsets ...int64) (all []DeadLetter) {
		for _, offset := range offsets {
			all = append(all, DeadLetter{Partition: 1, Offset: offset, Reason: reason, Detail: fmt.Sprint("why ", offset)})
		}
		return all
	}
	for i, all := range [][]DeadLetter{dead(event.Malformed, 1, 2, 3), dead(event.Late, 4), dead(event.Malformed, 5, 6, 7), dead(event.Late, 8, 9, 10, 11, 12, 13, 14)} {
		l.account(&Transaction{Now: int64(i), Dead: all}, nil, new(Emission))
		if i == 2 {
			early := l.opts.Status.Now() // a copy must not change
			defer func() {
				if len(early.Invalid[event.Late]) != 1 {
					t.Errorf("a copy has changed: %+v", early.Invalid)
				}
			}()
		}
	}
	have := make(map[event.Reason][]int64)
	for reason, list := range l.opts.Status.Now().Invalid {
		for _, r := range list {
			if r.Partition != 1 || r.Detail != fmt.Sprint("why ", r.Offset) {
				t.Errorf("%+v", r)
			}
			have[reason] = append(have[reason], r.Offset)
		}
	}
	if want := map[event.Reason][]int64{event.Malformed: {7, 6, 5, 3, 2}, event.Late: {14, 13, 12, 11, 10}}; !reflect.DeepEqual(have, want) {
		t.Errorf("remembered are %v, want %v", have, want)
	}
}

func TestHistogram(t *testing.T) {
	var s Status
	for _, ms := range []int{0, 5, 6, 100, 150, 20_000} {
		s.committed(time.Duration(ms) * time.Millisecond)
	}
	h := s.Now().CommitTimes
	c := h.Cumulative()
	if h.Count != 6 || c[.005] != 2 || c[.01] != 3 || c[.1] != 4 || c[.2] != 5 || c[10] != 5 || h.Sum < 20.2 || h.Sum > 20.3 {
		t.Errorf("%+v: %v", h, c)
	}
}

// TestStop: no phase comes after the last one.
func TestStop(t *testing.T) {
	var s Status
	s.set(Running)
	s.Stop()
	s.set(Running)
	s.rebuilt(errors.New("late"))
	if now := s.Now(); now.Phase != Stopping || now.Rebuilds != 1 {
		t.Errorf("%+v", now)
	}
}

// asking is an Inputs that answers when it is let.
type asking struct {
	Inputs
	asked chan chan Ends
}

func (a *asking) Stable(ctx context.Context) (Ends, error) {
	answer := make(chan Ends)
	a.asked <- answer
	return <-answer, nil
}

func (a *asking) Partitions(context.Context) (PartitionCounts, error) {
	return PartitionCounts{Orders: 1, Changelog: 1}, nil
}

// TestEndsWanted asks for the ends while somebody looks at them, and only then.
func TestEndsWanted(t *testing.T) {
	var s Status
	if s.endsWanted() {
		t.Error("wanted by nobody")
	}
	s.WantEnds()
	if !s.endsWanted() {
		t.Error("not wanted")
	}
	s.wanted.Store(time.Now().Add(-2 * wantFor).Unix())
	if s.endsWanted() {
		t.Error("wanted for ever")
	}
}

// TestEndsAge: while a question is under way, the old answer is not taken for a new one.
// A partition that was worked off long ago would be idle by an offset from before its
// last records.
func TestEndsAge(t *testing.T) {
	in := &asking{asked: make(chan chan Ends)}
	q := newSlowQueries(in, nil, time.Hour)
	defer q.stop()
	before := time.Now()
	q.refresh(context.Background(), true, false)
	(<-in.asked) <- Ends{Orders: map[int32]int64{0: 7}}
	for deadline := time.Now().Add(10 * time.Second); q.latest().At.IsZero(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no answer")
		}
	}
	if offset, ok := q.stable(0, before); !ok || offset != 7 {
		t.Errorf("%d, %v", offset, ok)
	}
	silent := time.Now()
	q.mu.Lock()
	q.asked = q.asked.Add(-stableEvery)
	q.mu.Unlock()
	q.refresh(context.Background(), true, false)
	answer := <-in.asked
	if _, ok := q.stable(0, silent); ok {
		t.Error("the old answer is taken for the new one")
	}
	answer <- Ends{Orders: map[int32]int64{0: 9}}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if offset, ok := q.stable(0, silent); ok {
			if offset != 9 {
				t.Errorf("offset %d", offset)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no new answer")
		}
	}
}
