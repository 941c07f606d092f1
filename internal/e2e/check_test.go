//go:build unix

package e2e

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// maxTop is the longest list that can be asked for.
const maxTop = 1000

// shown is how many faults of one kind a failure lists.
const shown = 5

// faults collects what is wrong, and shows the first few of it.
type faults struct {
	t    *testing.T
	what string
	n    int
}

func (f *faults) add(format string, args ...any) {
	f.t.Helper()
	if f.n++; f.n <= shown {
		f.t.Errorf(f.what+": "+format, args...)
	}
}

func (f *faults) end() int {
	f.t.Helper()
	if f.n > shown {
		f.t.Errorf("%s: and %d more", f.what, f.n-shown)
	}
	return f.n
}

// lastValues are the last values by key of a compacted topic's partition, without
// tombstones and without control records, whose keys begin with 0xFF.
func lastValues(records []*kgo.Record) map[string]uint64 {
	last := make(map[string]uint64)
	for _, r := range records {
		switch {
		case len(r.Key) > 0 && r.Key[0] == 0xFF:
		case r.Value == nil:
			delete(last, string(r.Key))
		case len(r.Value) == 8:
			last[string(r.Key)] = binary.BigEndian.Uint64(r.Value)
		default:
			last[string(r.Key)] = 0 // no count is 0
		}
	}
	return last
}

// checkChangelog compares the changelog, last value by key, with the counts of each
// input partition. It returns how many counters it compared, and how many are wrong.
func (e *expectation) checkChangelog(t *testing.T, o *outside) (compared, wrong int) {
	t.Helper()
	f := faults{t: t, what: "changelog"}
	for p, records := range o.committed(o.topics.Changelog) {
		have, want := lastValues(records), e.partitions[p].counts
		for key, n := range want {
			if compared++; have[key] != n {
				f.add("partition %d: %q is %d, not %d", p, key, have[key], n)
			}
		}
		for key, n := range have {
			if _, ok := want[key]; !ok {
				f.add("partition %d: %q is %d, but was never counted", p, key, n)
			}
		}
	}
	return compared, f.end()
}

// checkAnswers compares what is answered over HTTP: all of time, every window, and the
// numbers of status. complete says that the input has no windows that have expired.
func (e *expectation) checkAnswers(t *testing.T, g *program) {
	t.Helper()
	f := faults{t: t, what: "answer"}
	defer f.end()
	var all topAnswer
	g.answer("/v1/top?n=1000", &all)
	e.allTime.compare(&f, "all-time", &all)
	for _, start := range e.starts() {
		var top topAnswer
		if err := g.ask(fmt.Sprintf("/v1/top?scope=window&window=%s&n=%d", label(start), maxTop), &top); err != nil {
			f.add("window %s: %v", label(start), err)
			continue
		}
		e.windows[start].compare(&f, label(start), &top)
	}
	e.checkList(&f, g.windows())
	e.checkStatus(&f, g.status())
}

// compare compares a top list, its order included, with the counts.
func (t *tally) compare(f *faults, scope string, have *topAnswer) {
	if have.Records != t.orders || have.Total != t.portions || have.Drinks != uint64(len(t.drinks)) {
		f.add("%s: %d orders, %d portions, %d drinks; not %d, %d, %d", scope, have.Records, have.Total, have.Drinks, t.orders, t.portions, len(t.drinks))
	}
	want := t.top(maxTop)
	if !slices.Equal(have.Top, want) {
		f.add("%s: the list is %v, not %v", scope, have.Top, want)
	}
}

// checkList compares the list of windows, newest first, as far as it goes.
func (e *expectation) checkList(f *faults, have windowsAnswer) {
	starts := e.starts()
	slices.Reverse(starts)
	if !have.Truncated && len(have.Windows) != len(starts) {
		f.add("%d windows are listed, not %d", len(have.Windows), len(starts))
	}
	for i := range min(len(have.Windows), len(starts)) {
		w, want := &have.Windows[i], e.windows[starts[i]]
		if w.Start != label(starts[i]) || w.End != label(starts[i]+e.window.Milliseconds()) {
			f.add("window %d of the list is %s to %s, not %s", i, w.Start, w.End, label(starts[i]))
			return
		}
		if w.Records != want.orders || w.Total != want.portions || w.Drinks != uint64(len(want.drinks)) {
			f.add("list: window %s has %d orders, %d portions, %d drinks; not %d, %d, %d", w.Start, w.Records, w.Total, w.Drinks, want.orders, want.portions, len(want.drinks))
		}
		if w.LateRecords != want.late {
			f.add("list: window %s has %d late orders, not %d", w.Start, w.LateRecords, want.late)
		}
	}
}

func (e *expectation) checkStatus(f *faults, have statusAnswer) {
	late, amended := e.late, uint64(0)
	if e.amend {
		late, amended = 0, e.late
	}
	if have.Late != late || have.Amended != amended || have.LateIdle != 0 {
		f.add("status: %d late, %d amended, %d late by idleness; not %d, %d, 0", have.Late, have.Amended, have.LateIdle, late, amended)
	}
	if have.Counted != e.allTime.orders-e.late || have.Portions != e.allTime.portions {
		f.add("status: %d counted in time, %d portions; not %d, %d", have.Counted, have.Portions, e.allTime.orders-e.late, e.allTime.portions)
	}
	for reason, n := range have.Invalid {
		if n != e.invalid[reason] {
			f.add("status: %d %s, not %d", n, reason, e.invalid[reason])
		}
	}
	records := e.allTime.orders
	for _, n := range e.invalid {
		records += n
	}
	if have.Records != records {
		f.add("status: %d records, not %d", have.Records, records)
	}
}

// finalValue is the value of a window's final, its members in this order.
type finalValue struct {
	Schema   string   `json:"schema"`
	Scope    string   `json:"scope"`
	Start    string   `json:"start"`
	End      string   `json:"end"`
	Revision uint32   `json:"revision"`
	Records  uint64   `json:"records"`
	Total    uint64   `json:"total"`
	Top      []ranked `json:"top"`
}

// final is the value, to the byte, of the first final of a window.
func (e *expectation) final(start int64, n int) []byte {
	w := e.windows[start]
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(finalValue{
		Schema: "windowed.top/v1", Scope: "window", Start: label(start), End: label(start + e.window.Milliseconds()),
		Records: w.orders, Total: w.portions, Top: w.top(n),
	})
	return bytes.TrimSpace(b.Bytes())
}

// finals are the finals in the output topic, in its order.
func finals(o *outside, topic string) []*kgo.Record {
	o.t.Helper()
	var all []*kgo.Record
	for _, r := range o.committed(topic)[0] {
		if headerOf(r, "type") == "final" {
			all = append(all, r)
		}
	}
	return all
}

// checkFinals checks that every window has exactly one final, in window order, with the
// right key and value. cut says that a kill may have cut a commit of the embedded broker,
// which then may miss a final or have it twice, but never a wrong one.
func (e *expectation) checkFinals(t *testing.T, o *outside, n int, cut bool) {
	t.Helper()
	f := faults{t: t, what: "final"}
	defer f.end()
	want, seen := e.starts(), make(map[string]int)
	byLabel := make(map[string]int64, len(want))
	for _, start := range want {
		byLabel[label(start)] = start
	}
	for i, r := range finals(o, o.topics.Output) {
		key := string(r.Key)
		seen[key]++
		start, ok := byLabel[key]
		if !ok {
			f.add("of %q, which has no order", key)
			continue
		}
		if value := e.final(start, n); !bytes.Equal(r.Value, value) {
			f.add("of %s is\n%s, not\n%s", key, r.Value, value)
		}
		if !cut && (i >= len(want) || want[i] != start) {
			f.add("number %d is of %s: not in window order", i, key)
		}
	}
	for _, start := range want {
		if k := seen[label(start)]; k != 1 && !cut {
			f.add("window %s has %d finals", label(start), k)
		}
	}
}

// checkLetters checks that every refused or late record has exactly one dead letter that
// says why. cut is as in checkFinals.
func (e *expectation) checkLetters(t *testing.T, o *outside, cut bool) {
	t.Helper()
	f := faults{t: t, what: "dead letter"}
	defer f.end()
	seen := make(map[spot]int)
	for _, records := range o.committed(o.topics.DeadLetters) {
		for _, r := range records {
			at, err := spotOf(r)
			want, ok := e.letters[at]
			if err != nil || !ok {
				f.add("of %v, which is no bad record (%v)", at, err)
				continue
			}
			if seen[at]++; seen[at] > 1 && !cut {
				f.add("%v has %d of them", at, seen[at])
			}
			want.compare(&f, at, o.topics.Orders, r)
		}
	}
	if len(seen) != len(e.letters) && !cut {
		f.add("%d of %d bad records have one", len(seen), len(e.letters))
	}
}

func (l letter) compare(f *faults, at spot, topic string, r *kgo.Record) {
	if reason, counted := headerOf(r, "reason"), headerOf(r, "counted"); reason != l.reason || counted != l.counted {
		f.add("of %v has reason %q, counted %q; not %q, %q", at, reason, counted, l.reason, l.counted)
	}
	if headerOf(r, "topic") != topic || headerOf(r, "error") == "" || headerOf(r, "timestamp") == "" {
		f.add("of %v misses headers: %v", at, r.Headers)
	}
	if !bytes.Equal(r.Value, l.value) && headerOf(r, "truncated") == "" {
		f.add("of %v has another value: %q", at, r.Value)
	}
}

// spotOf is where the record of a dead letter is.
func spotOf(r *kgo.Record) (spot, error) {
	p, err := strconv.ParseInt(headerOf(r, "partition"), 10, 32)
	if err != nil {
		return spot{}, err
	}
	offset, err := strconv.ParseInt(headerOf(r, "offset"), 10, 64)
	return spot{int32(p), offset}, err
}
