package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"weak"

	"windowed/internal/event"
	"windowed/state"
	"windowed/window"
)

// response are records of one partition that lie in one block of memory, as fetched ones do.
type response struct {
	partition int32
	first     int64
	values    [][]byte
	at, done  int
	torn      bool          // the last value cannot be read
	gate      chan struct{} // if not nil, closed before it can be read
}

func newResponse(partition int32, first int64, values ...string) (*response, weak.Pointer[byte]) {
	block := make([]byte, 0, 1<<20)
	r := &response{partition: partition, first: first}
	for _, v := range values {
		at := len(block)
		block = append(block, v...)
		r.values = append(r.values, block[at:len(block):len(block)])
	}
	return r, weak.Make(&block[0])
}

func (r *response) Partition() int32 { return r.partition }
func (r *response) Len() int         { return len(r.values) }
func (r *response) Done()            { r.done, r.values = r.done+1, nil }
func (r *response) Again()           { r.at = 0 }
func (r *response) Next(to *Record) bool {
	if r.gate != nil {
		<-r.gate
	}
	if r.at == len(r.values) || r.Err() != nil {
		return false
	}
	*to = Record{Record: event.Record{Value: r.values[r.at], Timestamp: 500}, Offset: r.first + int64(r.at)}
	r.at++
	return true
}

func (r *response) Err() error {
	if r.torn && r.at == len(r.values)-1 {
		return errors.New("torn")
	}
	return nil
}

// handed is a loop whose hands work, and which owns two partitions that one hand counts, as
// if it had two cores.
func handed(t *testing.T) *Loop {
	t.Helper()
	l := accounting(t)
	l.hands = l.hands[:1]
	l.cfg.MaxFuture = 1 << 40
	for id := range int32(2) {
		part, err := NewPartition(id, l.cfg)
		if err != nil {
			t.Fatal(err)
		}
		part.names = &l.hand(id).names
		l.parts[id] = &activePartition{Partition: part, meta: state.NewMeta(0), resumed: true}
	}
	t.Cleanup(l.work())
	return l
}

func cup(drink string) string {
	return fmt.Sprintf(`{"items":[{"drink":%q,"quantity":2}]}`, drink)
}

// What was fetched is given back, and out of memory, once it is counted, whether or not the
// partition ever has another record. A dead letter has a copy of its own.
func TestHandLetsGo(t *testing.T) {
	t.Run("few, counted by the loop", func(t *testing.T) { handLetsGo(t, 1) })
	t.Run("many, counted by the hand", func(t *testing.T) { handLetsGo(t, manyRecords) })
}

func handLetsGo(t *testing.T, teas uint64) {
	l := handed(t)
	values := slices.Repeat([]string{cup("tea")}, int(teas))
	tea, teaMemory := newResponse(0, 0, append(values, cup("mate"), cup("tea"))...)
	bad, badMemory := newResponse(1, 0, cup("tea"), "{}")
	l.add([]Fetched{tea, bad})
	l.await()
	runtime.GC()
	if tea.done != 1 || bad.done != 1 {
		t.Errorf("given back %d and %d times", tea.done, bad.done)
	}
	if teaMemory.Value() != nil || badMemory.Value() != nil {
		t.Error("counted orders are kept in memory")
	}
	if len(l.parts[1].batch.Dead) != 1 || string(l.parts[1].batch.Dead[0].Value) != "{}" {
		t.Errorf("the dead letter lost its value: %v", l.parts[1].batch.Dead)
	}
	if got := l.parts[0].batch.counts.Numbers(window.Size(1000).Start(500)); got.Portions != 2*teas+4 || got.Records != teas+2 {
		t.Errorf("counted %+v", got)
	}
	if p := l.parts[0]; p.heard.IsZero() || time.Since(p.heard) > time.Minute {
		t.Errorf("heard of it at %v", p.heard)
	}
}

// While the hand has something to do, the loop leaves it the little ones, too: they share
// the numbering of the drinks, and may be of the same partition.
func TestHandIsLeftAlone(t *testing.T) {
	l := handed(t)
	large, _ := newResponse(0, 0, slices.Repeat([]string{cup("tea")}, manyRecords)...)
	large.gate = make(chan struct{})
	little, _ := newResponse(0, manyRecords, cup("tea"))
	l.add([]Fetched{large})
	l.add([]Fetched{little})
	if little.done != 0 || l.rest() {
		t.Error("the loop counts while the hand does")
	}
	close(large.gate)
	l.await()
	if large.done != 1 || little.done != 1 || !l.rest() || l.parts[0].batch.Read != manyRecords+1 {
		t.Errorf("done %d and %d times, %d records counted", large.done, little.done, l.parts[0].batch.Read)
	}
}

// A transaction is full by all that its hands were given, and the next one begins empty.
func TestFull(t *testing.T) {
	l := handed(t)
	check := func(name string, full bool, records, keys, dead int64) {
		t.Helper()
		l.await()
		r, k, d := l.filling()
		if r != records || k != keys || d != dead || l.full() != full {
			t.Errorf("%s: %d records, %d keys, %d bytes, full: %v; want %d, %d, %d, %v", name, r, k, d, l.full(), records, keys, dead, full)
		}
	}
	one, _ := newResponse(0, 0, cup("tea"), cup("mate"), "{}")
	two, _ := newResponse(1, 0, cup("tea"), "null")
	l.add([]Fetched{one, two})
	check("two responses", false, 5, 6, 6) // each drink of all time and in its window
	l.opts.Status.pace.most = 6
	check("as many keys as the brokers are good for", true, 5, 6, 6)
	tx, sealed, _, err := l.plan()
	if err != nil || len(sealed) != 2 || tx.changes() != 6+2+2 { // counts, numbers of the window, metas
		t.Fatalf("%d batches, %d changes: %v", len(sealed), tx.changes(), err)
	}
	check("the next one", false, 0, 0, 0)
	again, _ := newResponse(1, 2, cup("tea"))
	l.add([]Fetched{again})
	check("the same drink in the next batch", false, 1, 2, 0)
	other := &response{partition: 7}
	l.add([]Fetched{other})
	check("a partition of somebody else", false, 1, 2, 0)
}

// rewound is a Transport that only takes note of Resume.
type rewound struct {
	Transport
	next map[int32]int64
}

func (r *rewound) Resume(next map[int32]int64) { r.next = next }

// Behind what cannot be read nothing may be committed: all is read again from what is.
func TestTorn(t *testing.T) {
	l, transport := handed(t), new(rewound)
	l.opts.Transport = transport
	for i := range l.parts {
		l.parts[i].first = state.NewMeta(0)
	}
	torn, _ := newResponse(0, 0, cup("tea"), cup("mate"))
	torn.torn = true
	behind, _ := newResponse(0, 2, cup("tea"))
	other, _ := newResponse(1, 0, cup("tea"))
	l.add([]Fetched{other})
	l.await()
	if l.torn() {
		t.Error("torn by what can be read")
	}
	l.add([]Fetched{torn, behind})
	if err := l.tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(transport.next) != 2 || transport.next[0] != 0 || transport.next[1] != 0 {
		t.Errorf("resumed at %v", transport.next)
	}
	if records, keys, _ := l.filling(); records != 0 || keys != 0 || l.torn() || l.parts[0].batch != nil || l.parts[1].batch != nil {
		t.Errorf("%d records of %d keys are kept; torn: %v", records, keys, l.torn())
	}
}

// polled is a Transport that gives what it has once, and schemas a Preparer that lacks the
// one that "new" needs until it is known.
type (
	polled struct {
		Transport
		all []Fetched
	}
	schemas struct{ known bool }
)

func (p *polled) Poll(context.Context, time.Duration) ([]Fetched, error) {
	all := p.all
	p.all = nil
	return all, nil
}

func (s *schemas) Ready(value []byte) bool  { return s.known || !strings.Contains(string(value), "new") }
func (s *schemas) Known(value []byte) bool  { return s.Ready(value) }
func (s *schemas) Changed() <-chan struct{} { return nil }
func (s *schemas) Trouble() string          { return "" }

// What comes behind records that wait for a schema waits with them: counted before them, it
// would make them old, and they would be skipped.
func TestPreparedInOrder(t *testing.T) {
	l, preparer := handed(t), new(schemas)
	first, _ := newResponse(0, 0, cup("new"), cup("tea"))
	behind, _ := newResponse(0, 2, cup("tea"))
	other, _ := newResponse(1, 0, cup("tea"))
	l.opts.Transport, l.opts.Preparer = &polled{all: []Fetched{first, behind, other}}, preparer
	for _, want := range []struct{ read, other int }{{0, 1}, {3, 1}} {
		got, err := l.read(t.Context(), time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		l.add(got)
		l.await()
		read, skipped := 0, 0
		if b := l.parts[0].batch; b != nil {
			read, skipped = b.Read, b.Skipped
		}
		if read != want.read || skipped != 0 || l.parts[1].batch.Read != want.other {
			t.Errorf("%d records read, %d skipped, %d of the other partition, want %+v", read, skipped, l.parts[1].batch.Read, want)
		}
		preparer.known = true
	}
}

// With few keys nothing waits; with many, a second, or four where much is waiting.
func TestGathers(t *testing.T) {
	for _, c := range []struct {
		records, keys int
		due           time.Duration // how long ago
		want          bool
	}{
		{20_000, manyKeys - 1, 0, false},
		{1, manyKeys, gatherAtMost - 1, true},
		{1, manyKeys, gatherAtMost, false},
		{fewRecords - 1, manyKeys, gatherAtMost, false},
		{fewRecords, manyKeys, gatherAtMost, true},
		{fewRecords, manyKeys, gatherIfBehind, false},
		{0, manyKeys, 0, false},
	} {
		l := accounting(t)
		l.hands[0].filled.keys.Store(int64(c.keys))
		l.nextTick = time.Now()
		if got := l.gathers(c.records, l.nextTick.Add(c.due)); got != c.want {
			t.Errorf("%d records read, %d keys, due for %v: %v", c.records, c.keys, c.due, got)
		}
	}
}
