package inspect

import (
	"sort"
	"strings"

	"windowed/internal/event"
)

// Time is a field that can be the event time.
type Time struct {
	Field  *Field
	Unit   event.Unit
	Layout string  // "" for the forms that need no layout
	Other  string  // layout with days and months changed round that fits as well; "": none
	Local  bool    // the values have no zone
	Number bool    // they are numbers, in quotes or not
	Share  float64 // of the values that are times
	fine   int     // digits of the clock that it tells
}

// layouts are forms of time that need one, the more telling first.
var layouts = []string{
	"2006/01/02 15:04:05", "2006/01/02 15:04", "02/Jan/2006:15:04:05 -0700", "01/02/2006 15:04:05", "01/02/2006 15:04", "1/2/2006 15:04", "02/01/2006 15:04:05", "02/01/2006 15:04",
	"1/2/2006 3:04:05 PM", "1/2/2006 3:04 PM", "2/1/2006 3:04:05 PM", "2006-01-02 03:04:05 PM", "Jan 2, 2006 3:04:05 PM",
	"02.01.2006 15:04:05", "02.01.2006 15:04", "20060102150405", "20060102T150405Z", "20060102T150405",
	"Mon Jan 02 15:04:05 -0700 2006", "Mon, 02 Jan 2006 15:04:05 MST", "Mon, 02 Jan 2006 15:04:05 -0700", "Mon Jan _2 15:04:05 2006",
	"Jan 2, 2006 15:04:05", "2 Jan 2006 15:04:05", "2006/01/02", "02/01/2006", "01/02/2006", "02.01.2006", "20060102",
}

// daysFirst changes months and days round.
var daysFirst = strings.NewReplacer("01/02/", "02/01/", "1/2/", "2/1/", "02/01/", "01/02/")

// enough is the share of values that must be times.
const enough = 0.9

// Times are the fields that can be the event time, the best first.
func (p *Profile) Times() []Time {
	var all []Time
	for _, f := range p.Fields {
		if f.scalars() == 0 || strings.Contains(f.Path, "[]") || f.Kinds[Boolean] > 0 {
			continue
		}
		if t, ok := p.timeOf(f); ok {
			t.Local, t.Number = t.isLocal(), numeric(f)
			all = append(all, t)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].score(p) > all[j].score(p) })
	return all
}

func (p *Profile) timeOf(f *Field) (Time, bool) {
	try := func(unit event.Unit, layout string) (Time, bool) {
		form, err := event.NewTimes(event.Config{TimeField: "t", TimeUnit: unit, TimeLayout: layout, Names: []string{"n"}})
		if err != nil {
			return Time{}, false
		}
		t := Time{Field: f, Unit: unit, Layout: layout}
		good, all := 0, 0
		for text, n := range f.distinct {
			if text == "" {
				continue
			}
			all += n
			if ms, ok := form.Read(text); ok && plausible(ms) {
				good += n
			}
		}
		t.Share = float64(good) / float64(max(1, all))
		return t, all > 0 && t.Share >= enough
	}
	if f.Kinds[Number] == 0 || f.Kinds[Text] > 0 {
		if t, ok := try(event.Milliseconds, event.LayoutISO); ok {
			t.Layout, t.fine = "", clockDigits(f)
			return t, true
		}
	}
	for _, unit := range []event.Unit{event.Milliseconds, event.Seconds, event.Microseconds, event.Nanoseconds} {
		if t, ok := try(unit, event.LayoutISO); ok && numeric(f) {
			t.Layout, t.fine = "", 6
			return t, true
		}
	}
	for _, layout := range layouts {
		if t, ok := try(event.Milliseconds, layout); ok {
			t.fine = 2 * (strings.Count(layout, "15") + strings.Count(layout, "3:") + strings.Count(layout, "04") + strings.Count(layout, "05"))
			if other := daysFirst.Replace(layout); other != layout {
				if _, ok := try(event.Milliseconds, other); ok {
					t.Other = other
				}
			}
			return t, true
		}
	}
	return Time{}, false
}

// isLocal says whether the values mean another time in another zone.
func (t *Time) isLocal() bool {
	layout := t.Layout
	if layout == "" {
		layout = event.LayoutISO
	}
	c := event.Config{TimeField: "t", TimeUnit: t.Unit, TimeLayout: layout, Names: []string{"n"}}
	here, err := event.NewTimes(c)
	c.TimeZone = "Asia/Tokyo"
	there, err2 := event.NewTimes(c)
	if err != nil || err2 != nil {
		return false
	}
	for text := range t.Field.distinct {
		a, ok := here.Read(text)
		if b, _ := there.Read(text); ok && a != b {
			return true
		}
	}
	return false
}

// plausible times are from 1990 to 2100: other numbers are hardly times.
func plausible(ms int64) bool { return 631_152_000_000 <= ms && ms < 4_102_444_800_000 }

func numeric(f *Field) bool {
	for text := range f.distinct {
		if text != "" && !event.IsNumber(text) {
			return false
		}
	}
	return true
}

// clockDigits is 0 for dates without a clock.
func clockDigits(f *Field) int {
	for _, e := range f.Examples {
		if strings.Count(e, ":") >= 2 {
			return 6
		}
		if strings.Contains(e, ":") {
			return 4
		}
	}
	return 0
}

// timeNames are parts of the names of times, the surest last.
var timeNames = []string{"date", "_at", "time", "timestamp", "event_time", "ts"}

func (t *Time) score(p *Profile) float64 {
	score := t.Share*float64(t.Field.Records)/float64(max(1, p.Records)) + float64(t.fine)/4
	name := strings.ToLower(t.Field.Path)
	for i, part := range timeNames {
		if strings.HasSuffix(name, part) {
			score += 0.1 + float64(i)/20
			break
		}
	}
	return score - float64(strings.Count(t.Field.Path, "."))/10
}
