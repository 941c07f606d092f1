package engine

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"windowed/internal/event"
	"windowed/state"
)

// sample is one input record and what the reference model needs to know of it, so that
// the model never decodes anything.
type sample struct {
	rec     Record
	time    int64
	items   []state.Entry // drink and quantity, in document order
	invalid event.Reason  // None: a good order
}

// modelDrinks are names that have caught others: a name that is the prefix of another,
// one that looks like a changelog key, characters that tsv and JSON must escape.
var modelDrinks = []string{"latte", "latte:iced", "latte:iced:10", "mocha", "tea:all", "é", "a\tb\\\"", "Z"}

// newSample makes a record of event time t at the given offset; now is the wall clock.
func newSample(r *rand.Rand, offset, t, now int64) *sample {
	s := &sample{time: t, rec: Record{Offset: offset, Record: event.Record{Timestamp: now, Key: []byte("k")}}}
	if r.IntN(25) == 0 {
		s.rec.Control = true
		return s
	}
	for range 1 + r.IntN(3) {
		name := modelDrinks[r.IntN(len(modelDrinks))]
		if r.IntN(8) == 0 {
			name = "n" + strconv.Itoa(r.IntN(40))
		}
		s.items = append(s.items, state.Entry{Drink: name, Count: uint64(1 + r.IntN(5))})
	}
	if r.IntN(20) == 0 {
		s.spoil(r)
		return s
	}
	ts := fmt.Sprintf(`"ts":%d,`, t)
	switch r.IntN(5) {
	case 0:
		ts = fmt.Sprintf(`"ts":%q,`, time.UnixMilli(t).UTC().Format("2006-01-02T15:04:05.000Z07:00"))
	case 1:
		s.rec.Timestamp, s.rec.AppendTime = t-int64(r.IntN(120)), true
	case 2:
		if t >= 0 {
			ts, s.rec.Timestamp, s.rec.AppendTime = "", t, r.IntN(2) == 0
		}
	}
	s.rec.Value = []byte(`{"order_id":` + strconv.FormatInt(offset, 10) + `,` + ts + `"items":` + itemsJSON(s.items) + `}`)
	return s
}

func itemsJSON(items []state.Entry) string {
	var b strings.Builder
	for i, it := range items {
		b.WriteByte("[,"[min(i, 1)])
		fmt.Fprintf(&b, `{"drink":%s,"quantity":%d}`, strconv.Quote(it.Drink), it.Count)
	}
	return b.String() + "]"
}

// spoil makes s one of the records that must not count.
func (s *sample) spoil(r *rand.Rand) {
	switch r.IntN(6) {
	case 0:
		s.invalid = event.NullValue
	case 1:
		s.invalid, s.rec.Value = event.Malformed, []byte(`{"items":[]}`)
	case 2:
		s.invalid, s.rec.Value = event.Malformed, []byte(`{"items":[{"drink":"latte","quantity":1}]`)
	case 3:
		s.invalid, s.rec.Value = event.InvalidQuantity, []byte(`{"items":[{"drink":"latte","quantity":1},{"drink":"latte","quantity":0}]}`)
	case 4:
		s.invalid, s.rec.Value = event.InvalidName, []byte(`{"items":[{"drink":"","quantity":1}]}`)
	case 5:
		s.invalid, s.rec.Value = event.NoTimestamp, []byte(`{"items":[{"drink":"latte","quantity":1}]}`)
		s.rec.Timestamp = -1
	}
}
