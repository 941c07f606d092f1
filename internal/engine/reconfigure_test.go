package engine

import (
	"testing"

	"windowed/internal/event"
	"windowed/state"
	"windowed/window"
)

func reconfigured(t *testing.T, cfg Config) *job {
	cfg.Window, cfg.Top, cfg.MaxFuture, cfg.Order = 10, 3, 1<<50, event.Config{TimeField: "ts"}
	j := newJob(t, cfg, 1)
	t.Cleanup(j.close)
	return j
}

// at feeds one order a time, in one batch.
func (j *job) at(times ...int64) {
	var all []Record
	for _, ts := range times {
		s := &sample{time: ts, items: []state.Entry{{Drink: "latte", Count: 1}}}
		all = append(all, Record{Offset: j.next[0], Record: event.Record{Timestamp: ts, Value: []byte(`{"items":` + itemsJSON(s.items) + `}`)}})
		j.next[0]++
	}
	j.feed(0, all...)
}

// TestLongerRetention: what has expired stays so when a restart brings a longer
// retention; an amendment must not make a second, partial final of it.
func TestLongerRetention(t *testing.T) {
	j := reconfigured(t, Config{Retention: 20, Late: AmendLate})
	j.at(1, 2, 11, 100)
	if _, ok, _ := j.st.Window(0); ok {
		t.Fatal("the first window has not expired")
	}
	j.cfg.Retention = 1000
	j.reopen()
	finals := len(j.outputs)
	j.at(3)
	if k := j.st.Totals(); k.Late != 1 || k.Amended != 0 {
		t.Errorf("an order for an expired window: %+v", k)
	}
	if _, ok, _ := j.st.Window(0); ok || len(j.outputs) != finals {
		t.Errorf("the expired window is back: %v", j.outputs[finals:])
	}
	j.at(12)
	if last := j.outputs[len(j.outputs)-1]; last.Scope != window.At(10) || last.Revision != 1 || last.Total != 2 {
		t.Errorf("an order for a window that is retained leads to %+v", last)
	}
}

// TestShorterRetention: what the longer one kept expires at once.
func TestShorterRetention(t *testing.T) {
	j := reconfigured(t, Config{Retention: 1000})
	j.at(1, 11, 21, 31)
	j.cfg.Retention = 0
	j.reopen()
	j.settle()
	all, err := j.st.Windows(-1000, 1000, 100)
	if err != nil {
		t.Fatal(err)
	}
	// The newest closed window stays until a newer one has its final.
	if len(all) != 2 || all[0].Start != 30 || all[1].Start != 20 {
		t.Errorf("windows are %+v", all)
	}
}

// TestReconfigure: another grace and late mode act on what is not closed yet, and the
// global record says so.
func TestReconfigure(t *testing.T) {
	j := reconfigured(t, Config{Retention: 1000})
	j.at(5, 25)
	j.at(6)
	if k := j.st.Totals(); k.Late != 1 {
		t.Fatalf("%+v", k)
	}
	j.cfg.Grace, j.cfg.Late = 100, AmendLate
	j.reopen()
	j.settle()
	if g, _ := j.st.Global(); g.Fingerprint != j.cfg.Fingerprint() {
		t.Errorf("the global record is %+v", g)
	}
	if m, _ := j.st.Meta(0); m.Time.CloseThrough != 25 {
		t.Errorf("a longer grace opens what was closed: %+v", m.Time)
	}
	j.at(7)
	if last := j.outputs[len(j.outputs)-1]; last.Scope != window.At(0) || last.Revision != 1 || last.Total != 2 {
		t.Errorf("an amendment leads to %+v", last)
	}
	j.at(60)
	j.at(35)
	if k := j.st.Totals(); k.Late != 1 || k.Amended != 1 || k.Counted != 4 {
		t.Errorf("%+v", k)
	}
}

// TestExpiryBetweenFinals: time that closes nothing may still let a window expire.
func TestExpiryBetweenFinals(t *testing.T) {
	j := reconfigured(t, Config{Retention: 15, Flush: 1 << 40}) // no snapshots that carry C along
	j.at(1, 11, 21, 24)
	if _, ok, _ := j.st.Window(0); !ok {
		t.Fatal("the first window has expired too early")
	}
	finals := len(j.outputs)
	j.at(25)
	_, there, _ := j.st.Window(0)
	_, emitted, _ := j.st.Emitted(0)
	if there || emitted || len(j.outputs) != finals {
		t.Errorf("at 25 the first window is there: %v, its final: %v, new finals: %v", there, emitted, j.outputs[finals:])
	}
}
