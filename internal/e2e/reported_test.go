//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestReported has records that others reported to end programs of this kind, by the
// numbers of the collection, with what must become of them.
func TestReported(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(*schemed){
		"C17 a record without a timestamp": (*schemed).noTimestamp,
		"C21 malformed, and a restart":     (*schemed).malformedThenRestart,
		"C22 null values and names":        (*schemed).nulls,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(onFake(t))
		})
	}
}

// noTimestamp: the order's own time counts; without one the record is refused, and what
// comes next counts.
func (j *schemed) noTimestamp() {
	g := j.place.start().running()
	for _, value := range [][]byte{orderAt(noon, item{"latte", 2}), []byte(`{"items":[{"drink":"latte","quantity":4}]}`), orderAt(noon, item{"tea", 1})} {
		r := j.order(0, value)
		r.Timestamp = time.UnixMilli(-1)
		j.send(r)
	}
	j.counted(item{"latte", 2})
	j.counted(item{"tea", 1})
	j.refused["no_timestamp"]++
	j.settled(g)
	if have := fmt.Sprint(j.refusals(0)); have != "[neither the order nor the record has a timestamp]" {
		j.t.Error(have)
	}
	g.stop()
}

// malformedThenRestart: the job goes past a record that it cannot read, once, whether it
// stops in order or not.
func (j *schemed) malformedThenRestart() {
	g := j.place.start().running()
	j.good(0, orderAt(noon, item{"latte", 1}), item{"latte", 1})
	j.bad(0, []byte(`{"items":[{"drink":"latte",`), "malformed")
	g.reaches(j.ends(j.topics.Orders))
	g.stop()
	g = j.place.start().running()
	j.good(0, orderAt(noon, item{"latte", 2}), item{"latte", 2})
	g.reaches(j.ends(j.topics.Orders))
	g.kill()
	g = j.place.start().running()
	j.good(0, orderAt(noon, item{"latte", 4}), item{"latte", 4})
	j.settled(g)
	letters := j.committed(j.topics.DeadLetters)[0]
	if len(letters) != 1 || headerOf(letters[0], "topic") != j.topics.Orders || headerOf(letters[0], "partition") != "0" || headerOf(letters[0], "offset") != "1" {
		j.t.Errorf("%d dead letters", len(letters))
	}
	g.stop()
}

// nulls: a tombstone and a name that is null or empty are refused, each for its reason; a
// key that is null means nothing.
func (j *schemed) nulls() {
	g := j.place.start().running()
	j.tombstone(0)
	j.bad(0, []byte(`{"items":[{"drink":null,"quantity":1}]}`), "invalid_drink")
	j.bad(0, []byte(`{"items":[{"drink":"","quantity":1}]}`), "invalid_drink")
	j.send(&kgo.Record{Topic: j.topics.Orders, Key: nil, Value: orderAt(noon, item{"tea", 1})})
	j.counted(item{"tea", 1})
	j.settled(g)
	want := "the record has no value; items[0].drink: null is not a string; items[0].drink: is empty"
	if have := strings.Join(j.refusals(0), "; "); have != want {
		j.t.Errorf("refused for %s, not %s", have, want)
	}
	g.stop()
}
