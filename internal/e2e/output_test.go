//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// headersOf are the names of a record's headers, sorted.
func headersOf(r *kgo.Record) []string {
	var all []string
	for _, h := range r.Headers {
		all = append(all, h.Key)
	}
	slices.Sort(all)
	return all
}

// TestOutput checks the records of the output topic: snapshots while it runs, a final
// for the window that closes.
func TestOutput(t *testing.T) {
	t.Parallel()
	p := newPlace(t, append([]string{"--flush=100ms", "--top=2"}, steady...)...)
	p.topics(1, nil)
	g := p.start().running()
	o := g.broker()
	o.send(to(0, orderAt(noon+1500, item{"a <b> & \"c\"", 3}, item{"tea", 2}, item{"mocha", 2})))
	o.send(to(0, one(noon+hour+61_000, "tea", 5))) // closes the hour: grace is a minute
	g.reaches(map[int32]int64{0: 2})
	var records []*kgo.Record
	eventually(t, "a final, and a snapshot of both orders", func() error {
		records = o.committed(names.Output)[0]
		if len(finals(o, names.Output)) == 0 {
			return fmt.Errorf("no final in %d records", len(records))
		}
		if last := lastOf(records, "all-time"); last == nil || !bytes.Contains(last.Value, []byte(`"records":2`)) {
			return fmt.Errorf("the last snapshot is %v", last)
		}
		return nil
	})

	want := map[string]string{
		"2026-03-01T12:00:00Z final": `{"schema":"windowed.top/v1","scope":"window","start":"2026-03-01T12:00:00Z","end":"2026-03-01T13:00:00Z","revision":0,"records":1,"total":7,` +
			`"top":[{"rank":1,"drink":"a <b> & \"c\"","count":3},{"rank":2,"drink":"mocha","count":2}]}`,
		"all-time snapshot": `{"schema":"windowed.top/v1","scope":"all-time","records":2,"total":12,"top":[{"rank":1,"drink":"tea","count":7},{"rank":2,"drink":"a <b> & \"c\"","count":3}]}`,
		"2026-03-01T13:00:00Z snapshot": `{"schema":"windowed.top/v1","scope":"window","start":"2026-03-01T13:00:00Z","end":"2026-03-01T14:00:00Z","revision":0,"records":1,"total":5,` +
			`"top":[{"rank":1,"drink":"tea","count":5}]}`,
	}
	for name, value := range want {
		key, kind, _ := strings.Cut(name, " ")
		r := lastOf(slices.DeleteFunc(slices.Clone(records), func(r *kgo.Record) bool { return headerOf(r, "type") != kind }), key)
		if r == nil {
			t.Errorf("no %s", name)
			continue
		}
		if string(r.Value) != value {
			t.Errorf("%s is\n%s, not\n%s", name, r.Value, value)
		}
	}
	for _, r := range records {
		checkOutputHeaders(t, r)
	}
	g.stop()
}

// lastOf is the last record with a key.
func lastOf(records []*kgo.Record, key string) (last *kgo.Record) {
	for _, r := range records {
		if string(r.Key) == key {
			last = r
		}
	}
	return last
}

func checkOutputHeaders(t *testing.T, r *kgo.Record) {
	t.Helper()
	for _, key := range []string{"type", "schema", "revision", "positions", "instance", "emitted"} {
		if headerOf(r, key) == "" {
			t.Errorf("the %s of %s has no header %q: %v", headerOf(r, "type"), r.Key, key, headersOf(r))
		}
	}
	if kind := headerOf(r, "type"); kind == "final" && headerOf(r, "positions") != "0=2" {
		t.Errorf("the final of %s was computed from positions %q", r.Key, headerOf(r, "positions"))
	}
	if headerOf(r, "schema") != "windowed.top/v1" || headerOf(r, "revision") != "0" {
		t.Errorf("headers: %v", r.Headers)
	}
	emitted, err := time.Parse(time.RFC3339, headerOf(r, "emitted"))
	if err != nil || time.Since(emitted) > patience || time.Since(r.Timestamp) > patience {
		t.Errorf("emitted at %q, record time %v", headerOf(r, "emitted"), r.Timestamp)
	}
}

// TestDeadLetters checks what becomes of every kind of bad record.
func TestDeadLetters(t *testing.T) {
	t.Parallel()
	p := newPlace(t, steady...)
	p.topics(1, nil)
	g := p.start().running()
	o := g.broker()
	stamp := time.UnixMilli(noon + 123).UTC()
	send := func(key, value []byte) {
		o.send(&kgo.Record{Topic: names.Orders, Key: key, Value: value, Timestamp: stamp})
	}
	send(nil, one(noon+10*hour, "latte", 1))
	for value := range bad {
		send([]byte("some key"), []byte(value))
	}
	send([]byte("null"), nil)
	send(nil, one(time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), "latte", 1))
	send(nil, one(noon, "late latte", 7))
	long := []byte(`{"items":[{"drink":"` + strings.Repeat("x", 100_000) + `","quantity":1}]}`)
	send([]byte(strings.Repeat("k", 5000)), long)
	huge := []byte(`{"note":"` + strings.Repeat("y", 1<<20) + `","items":[{"drink":"latte","quantity":1}]}`)
	send(nil, huge)
	g.reaches(o.ends(names.Orders))

	bad := o.committed(names.Orders)
	longAt, hugeAt := int64(len(bad[0])-2), int64(len(bad[0])-1)
	regular := map[int32][]*kgo.Record{0: bad[0][:longAt]}
	e, err := expect(hourly, regular)
	if err != nil {
		t.Fatal(err)
	}
	e.letters[spot{0, longAt}] = letter{reason: "invalid_drink", counted: "none", value: long[:64<<10]}
	e.letters[spot{0, hugeAt}] = letter{reason: "too_large", counted: "none", value: huge[:64<<10]}
	e.checkLetters(t, o, false)
	for _, r := range o.committed(names.DeadLetters)[0] {
		at, _ := spotOf(r)
		checkLetterForm(t, r, bad[0][at.offset], e.letters[at])
	}
	if s := g.status(); s.Late != 1 || s.Portions != 8 || s.Counted != 1 {
		t.Errorf("%d late, %d portions, %d counted", s.Late, s.Portions, s.Counted)
	}
	g.stop()
}

// checkLetterForm compares a dead letter with the record it is of.
func checkLetterForm(t *testing.T, r, of *kgo.Record, want letter) {
	t.Helper()
	headers := []string{"counted", "error", "offset", "partition", "reason", "timestamp", "topic"}
	if len(of.Value) > 64<<10 {
		headers = []string{"counted", "error", "offset", "original-size", "partition", "reason", "timestamp", "topic", "truncated"}
		if size := headerOf(r, "original-size"); size != strconv.Itoa(len(of.Value)) || headerOf(r, "truncated") != "true" {
			t.Errorf("truncated %q, original-size %q; it has %d bytes", headerOf(r, "truncated"), size, len(of.Value))
		}
	}
	if have := headersOf(r); !slices.Equal(have, headers) {
		t.Errorf("headers of %s: %v, not %v", want.reason, have, headers)
	}
	if !bytes.Equal(r.Value, want.value) || (r.Value == nil) != (of.Value == nil) {
		t.Errorf("the value of %s has %d bytes, not %d", want.reason, len(r.Value), len(want.value))
	}
	if len(of.Key) <= 4096 && !bytes.Equal(r.Key, of.Key) {
		t.Errorf("the key of %s is %q, not %q", want.reason, r.Key, of.Key)
	}
	if headerOf(r, "timestamp") != "2026-03-01T12:00:00.123Z" {
		t.Errorf("timestamp %q", headerOf(r, "timestamp"))
	}
	if len(headerOf(r, "error")) > 500 {
		t.Errorf("an error of %d bytes", len(headerOf(r, "error")))
	}
}

// TestDeadLettersAgain sends in again what the dead letters say was not counted: that is
// all they are for.
func TestDeadLettersAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t, steady...)
	p.topics(1, nil)
	g := p.start().running()
	o := g.broker()
	o.send(to(0, one(noon+10*hour, "latte", 1)), to(0, []byte(`{"items":[{"drink":"latte","quantity":0}]}`)), to(0, one(noon, "latte", 5)))
	g.reaches(o.ends(names.Orders))
	for _, r := range o.committed(names.DeadLetters)[0] {
		if headerOf(r, "counted") != "none" {
			continue
		}
		var v order
		if err := json.Unmarshal(r.Value, &v); err != nil {
			t.Fatal(err)
		}
		v.Items[0].Quantity = 2 // repaired
		b, _ := json.Marshal(v)
		o.send(&kgo.Record{Topic: names.Orders, Value: b, Timestamp: time.UnixMilli(noon + 10*hour)})
	}
	g.reaches(o.ends(names.Orders)).counts(8)
	g.stop()
}
