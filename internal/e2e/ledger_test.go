//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/state"
	"windowed/window"
)

// ledger is a plain model that goes along with a job: it reads the changelog commit by
// commit, counts the input of each the slow and obvious way, and says what is wrong. What
// only a clock decides, it takes from the job, and checks that it may be so.
type ledger struct {
	rules
	t         *testing.T
	o         *outside
	retention time.Duration
	idle      bool // partitions may be raised while they are silent
	clock     *jumpingClock
	maxFuture time.Duration

	e        *expectation
	accounts []*account
	at       map[string]map[int32]int64 // topic -> partition -> offset to read next
	closes   history                    // C
	emitted  map[int64]state.Emitted    // as the changelog has it
	finals   map[string]uint64          // window and revision -> total, of all time
	newest   history                    // starts of windows with a final
	closed   map[int64]time.Time        // when a window had its first final
	letters  map[spot]string            // dead letter -> reason
	f        faults
	commits  int // that were checked
	counters int // that were compared
	wrong    int
	expired  int // windows
	raised   int // times a silent partition was
}

// account is one partition of the job.
type account struct {
	input    []*kgo.Record // not counted yet
	meta     state.Meta
	counts   map[string]uint64 // what its changelog must hold, by key
	numbers  map[int64]window.Numbers
	last     map[string][]byte // what it does hold
	offset   int64             // of its last record
	through  history           // L_p
	gone     history           // expired-through
	counters map[int64]state.Counters
}

// history is how a value rose: what it was at a time is the last one up to then.
type history []struct {
	at    time.Time
	value int64
}

func (h *history) rise(at time.Time, value int64) {
	if n := len(*h); n == 0 || (*h)[n-1].value < value {
		*h = append(*h, struct {
			at    time.Time
			value int64
		}{at, value})
	}
}

func (h history) by(at time.Time) int64 {
	for i := len(h) - 1; i >= 0; i-- {
		if !h[i].at.After(at) {
			return h[i].value
		}
	}
	return window.None
}

func newLedger(t *testing.T, o *outside, r rules, partitions int) *ledger {
	l := &ledger{
		rules: r, t: t, o: o, e: newExpectation(r, partitions), at: make(map[string]map[int32]int64), emitted: make(map[int64]state.Emitted),
		finals: make(map[string]uint64), letters: make(map[spot]string), closed: make(map[int64]time.Time), f: faults{t: t, what: "changelog"},
	}
	for p := range partitions {
		l.accounts = append(l.accounts, &account{
			meta: state.NewMeta(0), counts: l.e.partitions[p].counts, numbers: make(map[int64]window.Numbers),
			last: make(map[string][]byte), offset: -1, counters: make(map[int64]state.Counters),
		})
	}
	return l
}

// fresh are the committed records of a topic that were not read yet, up to the given
// offsets, or to what is stable now.
func (l *ledger) fresh(topic string, ends map[int32]int64) map[int32][]*kgo.Record {
	l.t.Helper()
	if ends == nil {
		ends = l.stable(topic)
	}
	if l.at[topic] == nil {
		l.at[topic] = make(map[int32]int64)
		for p := range ends {
			l.at[topic][p] = 0
		}
	}
	all := l.o.between(topic, l.at[topic], ends)
	for p, end := range ends {
		l.at[topic][p] = max(l.at[topic][p], end)
	}
	return all
}

func (l *ledger) stable(topic string) map[int32]int64 {
	l.t.Helper()
	return l.o.offsets(topic, l.o.adm.ListCommittedOffsets)
}

// entry is what one transaction has written to one changelog partition.
type entry struct {
	partition int32
	at        time.Time
	changes   []state.Change
	records   []*kgo.Record
	meta      *state.Meta
}

// cut are ends of the changelog between which nothing is missing. The brokers are asked one
// after another, so partition 0 must be the same before the others and after them: it goes
// by what they have, and they by what it has.
func (l *ledger) cut() map[int32]int64 {
	l.t.Helper()
	for {
		before := l.stable(l.o.topics.Changelog)[0]
		ends := l.stable(l.o.topics.Changelog)
		if after := l.stable(l.o.topics.Changelog)[0]; after == before {
			ends[0] = after
			return ends
		}
	}
}

// catchUp reads and checks all that was committed since the last time. The outputs are read
// less far.
func (l *ledger) catchUp() {
	l.t.Helper()
	outputs := l.stable(l.o.topics.Output)
	ends := l.cut()
	changelog := l.fresh(l.o.topics.Changelog, ends)
	for p, records := range l.fresh(l.o.topics.Orders, nil) {
		l.accounts[p].input = append(l.accounts[p].input, records...)
	}
	for _, records := range l.fresh(l.o.topics.DeadLetters, nil) {
		for _, r := range records {
			if at, err := spotOf(r); err != nil {
				l.f.add("a dead letter of nothing: %v", err)
			} else if _, twice := l.letters[at]; twice {
				l.f.add("%v has two dead letters", at)
			} else {
				l.letters[at] = headerOf(r, "reason")
			}
		}
	}
	var entries []*entry
	for p := range l.accounts {
		entries = append(entries, l.entries(int32(p), changelog[int32(p)])...)
	}
	for _, g := range entries {
		l.remember(g)
	}
	for _, g := range entries {
		l.check(g)
	}
	l.commits += len(entries)
	l.output(l.fresh(l.o.topics.Output, outputs)[0])
	l.wrong += l.f.end()
	l.f.n = 0
}

// entries are the transactions in the records of a changelog partition: each ends with the
// meta.
func (l *ledger) entries(p int32, records []*kgo.Record) (all []*entry) {
	g := &entry{partition: p}
	for _, r := range records {
		c, err := state.DecodeChange(r.Key, r.Value)
		if err != nil {
			l.f.add("partition %d offset %d: %v", p, r.Offset, err)
			continue
		}
		g.changes, g.records = append(g.changes, c), append(g.records, r)
		if c.Kind == state.MetaKind {
			g.meta, g.at = c.Meta, r.Timestamp
			all = append(all, g)
			g = &entry{partition: p}
		}
	}
	if len(g.changes) > 0 {
		l.f.add("partition %d: %d records without a meta behind them", p, len(g.changes))
	}
	return all
}

// remember takes note of when the times rose, which other partitions go by.
func (l *ledger) remember(g *entry) {
	a := l.accounts[g.partition]
	a.through.rise(g.at, g.meta.Time.CloseThrough)
	a.gone.rise(g.at, g.meta.ExpiredThrough)
	for i := range g.changes {
		switch c := &g.changes[i]; {
		case c.Kind == state.EmittedKind && !c.Deleted:
			l.newest.rise(g.at, c.Scope.Start)
			if _, again := l.closed[c.Scope.Start]; !again {
				l.closed[c.Scope.Start] = g.at
			}
		case c.Kind == state.GlobalKind:
			if n := len(l.closes); n > 0 && c.Global.CloseThrough < l.closes[n-1].value {
				l.f.add("C goes back from %d to %d", l.closes[n-1].value, c.Global.CloseThrough)
			}
			l.closes.rise(g.at, c.Global.CloseThrough)
		}
	}
}

// output checks the finals in the output topic: each is in the changelog, once, and says
// what the window holds.
func (l *ledger) output(records []*kgo.Record) {
	for _, r := range records {
		if headerOf(r, "type") != "final" {
			continue
		}
		name := string(r.Key) + " r" + headerOf(r, "revision")
		total, known := l.finals[name]
		switch start, err := time.Parse(time.RFC3339, string(r.Key)); {
		case err != nil || !known || l.e.windows[start.UnixMilli()] == nil:
			l.f.add("final %s is not in the changelog (%v)", name, err)
		case total == 0:
			l.f.add("final %s was written twice", name)
		case l.amend && !strings.Contains(string(r.Value), fmt.Sprintf(`"total":%d,`, total)):
			l.f.add("final %s does not say %d: %s", name, total, r.Value)
		case !l.amend && string(r.Value) != string(l.e.final(start.UnixMilli(), 10)):
			l.f.add("final %s is %s, not %s", name, r.Value, l.e.final(start.UnixMilli(), 10))
		}
		l.finals[name] = 0
	}
}
