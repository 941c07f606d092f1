package inspect

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"windowed/internal/event"
)

// TestTimes has fields that are times, with the unit or the layout, and such that are none.
func TestTimes(t *testing.T) {
	at := func(i int) time.Time { return time.Date(2026, 3, 1, 10, 15, i, 520_123_000, time.UTC) }
	layout := func(l string) func(i int) string {
		return func(i int) string { return fmt.Sprintf(`{"t":%q}`, at(i*4000).Format(l)) }
	}
	number := func(format string, n func(time.Time) any) func(i int) string {
		return func(i int) string { return fmt.Sprintf(`{"t":`+format+`}`, n(at(i))) }
	}
	for name, c := range map[string]struct {
		document func(i int) string
		want     string
	}{
		"RFC 3339":                {layout(time.RFC3339Nano), "t ms"},
		"a space, no zone":        {layout("2006-01-02 15:04:05"), "t ms"},
		"a comma":                 {layout("2006-01-02 15:04:05,000"), "t ms"},
		"a zone without colon":    {layout("2006-01-02T15:04:05-0700"), "t ms"},
		"a date":                  {layout("2006-01-02"), "t ms"},
		"slashes":                 {layout("2006/01/02 15:04"), "t ms 2006/01/02 15:04"},
		"a web server's":          {layout("02/Jan/2006:15:04:05 -0700"), "t ms 02/Jan/2006:15:04:05 -0700"},
		"a mail's":                {layout("Mon, 02 Jan 2006 15:04:05 -0700"), "t ms Mon, 02 Jan 2006 15:04:05 -0700"},
		"a mail's with letters":   {layout("Mon, 02 Jan 2006 15:04:05 MST"), "t ms Mon, 02 Jan 2006 15:04:05 MST"},
		"points":                  {layout("02.01.2006 15:04:05"), "t ms 02.01.2006 15:04:05"},
		"digits":                  {layout("20060102150405"), "t ms 20060102150405"},
		"basic ISO":               {layout("20060102T150405Z"), "t ms 20060102T150405Z"},
		"without leading zeros":   {layout("1/2/2006 15:04"), "t ms 1/2/2006 15:04 or 2/1/2006 15:04"},
		"days first":              {func(i int) string { return fmt.Sprintf(`{"t":"%02d/10/2026 10:00"}`, 1+i%31) }, "t ms 02/01/2006 15:04"},
		"days or months first":    {func(i int) string { return fmt.Sprintf(`{"t":"%02d/10/2026 10:00"}`, 1+i%12) }, "t ms 01/02/2006 15:04 or 02/01/2006 15:04"},
		"with AM and PM":          {layout("01/02/2006 03:04:05 PM"), "t ms 1/2/2006 3:04:05 PM or 2/1/2006 3:04:05 PM"},
		"as C has it":             {layout("Mon Jan _2 15:04:05 2006"), "t ms Mon Jan _2 15:04:05 2006"},
		"an early network's":      {layout("Mon Jan 02 15:04:05 -0700 2006"), "t ms Mon Jan 02 15:04:05 -0700 2006"},
		"milliseconds":            {number("%d", func(t time.Time) any { return t.UnixMilli() }), "t ms"},
		"seconds":                 {number("%d", func(t time.Time) any { return t.Unix() }), "t s"},
		"decimal seconds":         {number("%.3f", func(t time.Time) any { return float64(t.UnixMilli()) / 1000 }), "t s"},
		"microseconds":            {number("%d", func(t time.Time) any { return t.UnixMicro() }), "t us"},
		"nanoseconds":             {number("%d", func(t time.Time) any { return t.UnixNano() }), "t ns"},
		"microseconds in quotes":  {number(`"%d"`, func(t time.Time) any { return t.UnixMicro() }), "t us"},
		"seconds in quotes":       {number(`"%d"`, func(t time.Time) any { return t.Unix() }), "t s"},
		"in an object":            {func(i int) string { return fmt.Sprintf(`{"m":{"t":%d}}`, at(i).UnixMilli()) }, "m.t ms"},
		"in an array":             {func(i int) string { return fmt.Sprintf(`{"t":[{"t":%d}]}`, at(i).UnixMilli()) }, ""},
		"a number of another use": {func(i int) string { return fmt.Sprintf(`{"t":%d}`, 1000+i) }, ""},
		"a word":                  {func(i int) string { return `{"t":"noon"}` }, ""},
		"a truth":                 {func(i int) string { return `{"t":true}` }, ""},
		"nothing":                 {func(i int) string { return `{"t":null}` }, ""},
		"one in five is bad":      {func(i int) string { return fmt.Sprintf(`{"t":%d}`, at(i).UnixMilli()*int64(min(1, i%5))) }, ""},
		"one in twenty is bad":    {func(i int) string { return fmt.Sprintf(`{"t":%d}`, at(i).UnixMilli()*int64(min(1, i%20))) }, "t ms"},
	} {
		var have []string
		for _, f := range sampleOf(many(40, c.document)...).Profile.Times() {
			text := strings.TrimSpace(fmt.Sprintf("%s %v %s", f.Field.Path, f.Unit, f.Layout))
			if f.Other != "" {
				text += " or " + f.Other
			}
			have = append(have, text)
		}
		check(t, name, strings.Join(have, ", "), c.want)
	}
}

// TestLocal: whether times have a zone is told by reading them in two.
func TestLocal(t *testing.T) {
	for value, want := range map[string]bool{
		`"2026-03-01 10:00:00"`: true, `"2026-03-01T10:00:00Z"`: false, `"2026-03-01 10:00:00+0100"`: false, `"2026-03-01"`: true,
		`1772360150520`: false, `"01/Mar/2026:10:15:50 +0000"`: false, `"2026/03/01 10:15"`: true,
	} {
		all := sampleOf(`{"t":` + value + `}`).Profile.Times()
		if len(all) != 1 || all[0].Local != want || all[0].Number != (value == `1772360150520`) {
			t.Errorf("%s: %+v", value, all)
		}
	}
}

// TestTheBestTime: of several times the one that tells the clock, is in all records and is
// called so comes first.
func TestTheBestTime(t *testing.T) {
	p := sampleOf(many(20, func(i int) string {
		return fmt.Sprintf(`{"day":"2026-03-01","sent":"2026-03-01T10:00:%02d","event":{"time":%d},"event_ts":%d%s}`,
			i, 1772360150520+i, 1772360150520+i, strings.Repeat(`,"seen_at":"2026-03-01T10:00:00"`, i%2))
	})...).Profile
	var have []string
	for _, f := range p.Times() {
		have = append(have, f.Field.Path)
	}
	check(t, "times", strings.Join(have, " "), "event_ts event.time sent seen_at day")
}

// TestProposedTimesAreRead: what is proposed reads all values of the sample.
func TestProposedTimesAreRead(t *testing.T) {
	for _, unit := range []event.Unit{event.Seconds, event.Milliseconds, event.Microseconds, event.Nanoseconds} {
		scale := map[event.Unit]int64{event.Seconds: 1, event.Milliseconds: 1e3, event.Microseconds: 1e6, event.Nanoseconds: 1e9}[unit]
		r := Look(sampleOf(many(30, func(i int) string {
			return fmt.Sprintf(`{"when":%d,"page":"/%d"}`, (1772360150+int64(i))*scale, i%3)
		})...), Given{Window: hour(t)})
		if r.Problem != "" || r.Counted != 30 || r.Config.TimeUnit != unit {
			t.Errorf("%v: %s, %d counted by %v", unit, r.Problem, r.Counted, r.Flags())
		}
	}
}
