package engine

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"windowed/internal/event"
	"windowed/state"
	"windowed/window"
)

// TestManyDrinks: more names than a batch numbers, over more windows than it keeps
// dense, in several batches that reuse each other's memory.
func TestManyDrinks(t *testing.T) {
	t.Parallel()
	j := reconfigured(t, Config{Retention: 1 << 40, Grace: 1000})
	want := map[string]uint64{}
	perWindow := map[int64]uint64{}
	name := 0
	for range 4 {
		var batch []Record
		for i := range 20 {
			ts := int64(i%13) * 10
			var items []string
			for k := range 1000 {
				drink, quantity := fmt.Sprintf("d%d", name), uint64(1+name%3)
				if k%10 == 0 {
					drink = fmt.Sprintf("d%d", name/20) // seen before
				}
				name++
				want[drink] += quantity
				perWindow[ts] += quantity
				items = append(items, fmt.Sprintf(`{"drink":%q,"quantity":%d}`, drink, quantity))
			}
			batch = append(batch, Record{Offset: j.next[0], Record: event.Record{Timestamp: ts, Value: []byte(`{"items":[` + strings.Join(items, ",") + `]}`)}})
			j.next[0]++
		}
		j.feed(0, batch...)
	}
	j.finish()
	got := j.allTime()
	if len(got) != len(want) {
		t.Errorf("%d drinks, want %d", len(got), len(want))
	}
	for _, e := range got {
		if e.Count != want[e.Drink] {
			t.Fatalf("%s is %d, want %d", e.Drink, e.Count, want[e.Drink])
		}
	}
	for _, o := range j.outputs {
		if o.Total != perWindow[o.Scope.Start] {
			t.Errorf("window of %d has %d portions, want %d", o.Scope.Start, o.Total, perWindow[o.Scope.Start])
		}
		delete(perWindow, o.Scope.Start)
	}
	if len(perWindow) > 0 {
		t.Errorf("windows without a final: %v", perWindow)
	}
}

// TestOverflow: a count that no signed 64-bit integer holds is an error, before
// anything is committed.
func TestOverflow(t *testing.T) {
	j := reconfigured(t, Config{})
	almost := []state.Change{{Kind: state.CountKind, Scope: window.AllTime, Drink: "latte", Count: math.MaxInt64 - 1}}
	j.must(j.st.Apply(0, almost, 1))
	j.at(1)
	b := j.read(0, Record{Offset: j.next[0], Record: event.Record{Timestamp: 2, Value: []byte(`{"items":[{"drink":"latte","quantity":1}]}`)}})
	if _, err := b.Seal(j.st); !errors.Is(err, state.ErrOverflow) {
		t.Errorf("one more than fits: %v", err)
	}
}

// TestFarTimes: the first and the last millisecond that an order may have, with the
// smallest and the largest window.
func TestFarTimes(t *testing.T) {
	for _, size := range []window.Size{window.MinSize, 3_600_000, window.MaxSize} {
		j := reconfigured(t, Config{Retention: 1 << 50, Grace: 1 << 50})
		j.cfg.Window = size
		j.reopen()
		j.feed(0, Record{Offset: 0, Record: event.Record{Value: []byte(`{"ts":"0001-01-01T00:00:00Z","items":[{"drink":"latte","quantity":1}]}`)}},
			Record{Offset: 1, Record: event.Record{Value: []byte(`{"ts":"9999-12-31T23:59:59.999Z","items":[{"drink":"latte","quantity":2}]}`)}},
			Record{Offset: 2, Record: event.Record{Value: []byte(`{"ts":"10000-01-01T00:00:00Z","items":[{"drink":"latte","quantity":4}]}`)}})
		j.finish()
		if len(j.outputs) != 2 || j.outputs[0].Total != 1 || j.outputs[1].Total != 2 || j.outputs[0].Scope.Start >= j.outputs[1].Scope.Start {
			t.Errorf("window %v: finals are %+v", size.Duration(), j.outputs)
		}
		for i := range j.outputs {
			_, err := j.outputs[i].Value()
			j.must(err)
		}
	}
}
