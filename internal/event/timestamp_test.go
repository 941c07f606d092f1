package event

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseTime(t *testing.T) {
	cases := []struct {
		text string
		want int64
	}{
		{"1970-01-01T00:00:00Z", 0},
		{"1970-01-01t00:00:00z", 0},
		{"1970-01-01T00:00:00+00:00", 0},
		{"1970-01-01T00:00:00-00:00", 0},
		{"2026-03-01T10:15:50.52Z", 1772360150520},
		{"2026-03-01T10:15:50.5Z", 1772360150500},
		{"2026-03-01T10:15:50.520999999999999999999Z", 1772360150520},
		{"2026-03-01T12:15:50.52+02:00", 1772360150520},
		{"2026-03-01T04:45:50.52-05:30", 1772360150520},
		{"1969-12-31T23:59:59.9999Z", -1},
		{"1969-12-31T23:59:59.0009Z", -1000},
		{"2000-02-29T00:00:00Z", 951782400000},
		{"2024-02-29T23:59:59Z", 1709251199000},
		{"1970-01-02T00:00:00+23:59", 60_000},
		{"1969-12-31T00:01:00-23:59", 0},
		{"0001-01-01T00:00:00Z", minMillis},
		{"9999-12-31T23:59:59.999Z", maxMillis},
		{"9999-12-31T23:59:59.9999999Z", maxMillis},
		{"0000-12-31T23:59:00-00:01", minMillis},
		{"0000-12-31T00:01:00-23:59", minMillis},
		{"9999-12-31T23:59:59.999+00:01", maxMillis - 60_000},
	}
	for _, c := range cases {
		if got, ok := parseTime([]byte(c.text)); !ok || got != c.want {
			t.Errorf("%s: got %d, %v, want %d", c.text, got, ok, c.want)
		}
	}
}

func TestParseTimeRefuses(t *testing.T) {
	texts := []string{
		"", "Z", "2026-03-01", "2026-03-01T10:15:50", "2026-03-01T10:15Z", "2026-03-01 10:15:50Z",
		"2026-03-01T10:15:50.Z", "2026-03-01T10:15:50.", "2026-03-01T10:15:50.5", "2026-03-01T10:15:50,5Z",
		"2026-03-01T10:15:50.5.5Z", "2026-03-01T10:15:50.-5Z", "2026-03-01T10:15:50ZZ", "2026-03-01T10:15:50Z ",
		" 2026-03-01T10:15:50Z", "2026-03-01T10:15:50z+00:00", "2026-03-01T10:15:50+0000", "2026-03-01T10:15:50+00",
		"2026-03-01T10:15:50+00:0", "2026-03-01T10:15:50+00:000", "2026-03-01T10:15:50+24:00",
		"2026-03-01T10:15:50+00:60", "2026-03-01T10:15:50 00:00", "2026-03-01T10:15:50+0a:00", "2026-03-01T10:15:50+00.00",
		"2026-03-01T10:15:50\u221200:00", "2026-03-01T24:00:00Z", "2026-03-01T23:60:00Z", "2026-03-01T23:59:60Z",
		"2016-12-31T23:59:60Z", "2026-03-01T1:15:50Z", "2026-3-01T10:15:50Z", "2026-03-1T10:15:50Z",
		"2026-00-01T10:15:50Z", "2026-13-01T10:15:50Z", "2026-03-00T10:15:50Z", "2026-03-32T10:15:50Z",
		"2026-04-31T10:15:50Z", "2026-02-29T10:15:50Z", "2024-02-30T10:15:50Z", "1900-02-29T00:00:00Z",
		"2100-02-29T00:00:00Z", "+026-03-01T10:15:50Z", "-026-03-01T10:15:50Z", "12026-03-01T10:15:50Z",
		"-0001-03-01T10:15:50Z", "20260301T101550Z", "2026-03-01T10-15-50Z", "2026/03/01T10:15:50Z",
		"2026-03-01T10:15:5xZ", "２026-03-01T10:15:50Z", "0000-12-31T23:59:59.999Z", "0001-01-01T00:00:00+00:01",
		"9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00Z", "now",
	}
	for _, text := range texts {
		if got, ok := parseTime([]byte(text)); ok {
			t.Errorf("%q: read as %d", text, got)
		}
	}
}

// rfc3339 draws a well-formed time. It leans towards the ends of months, of
// years and of the range.
func rfc3339(t *rapid.T) string {
	year := rapid.OneOf(rapid.IntRange(0, 9999), rapid.SampledFrom([]int{0, 1, 4, 100, 400, 1900, 1969, 1970, 2000, 2024, 2100, 9999})).Draw(t, "year")
	month := rapid.IntRange(1, 12).Draw(t, "month")
	lastDay := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	day := rapid.OneOf(rapid.IntRange(1, lastDay), rapid.SampledFrom([]int{1, lastDay})).Draw(t, "day")
	clock := rapid.OneOf(rapid.IntRange(0, 86399), rapid.SampledFrom([]int{0, 86399})).Draw(t, "clock")
	text := fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", year, month, day, clock/3600, clock/60%60, clock%60)
	text += rapid.StringMatching(`(\.[0-9]{1,9})?`).Draw(t, "fraction")
	return text + rapid.StringMatching(`Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]`).Draw(t, "zone")
}

func TestParseTimeAgreesWithStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rfc3339(t)
		std, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatalf("time.Parse refuses %s: %v", text, err)
		}
		want := std.UnixMilli()
		wantOK := std.UTC().Year() >= 1 && std.UTC().Year() <= 9999
		if got, ok := parseTime([]byte(text)); ok != wantOK || (ok && got != want) {
			t.Fatalf("%s: got %d, %v, want %d, %v", text, got, ok, want, wantOK)
		}
		if got, ok := parseTime([]byte(strings.ToLower(text))); ok != wantOK || (ok && got != want) {
			t.Fatalf("%s in lower case: got %d, %v", text, got, ok)
		}
	})
}

// TestParseTimeIsNoLaxer changes one byte of a well-formed time. Whatever is
// still read must be read by the standard library too, and alike.
func TestParseTimeIsNoLaxer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rfc3339(t))
		at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		text[at] = rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte("0123456789:.,+-TtZz "))).Draw(t, "byte")
		got, ok := parseTime(text)
		if !ok {
			return
		}
		std, err := time.Parse(time.RFC3339Nano, strings.ToUpper(string(text)))
		if err != nil || std.UnixMilli() != got {
			t.Fatalf("%q: got %d, the standard library %v, %v", text, got, std, err)
		}
	})
}

// TestDaysSinceEpoch walks every day of the range.
func TestDaysSinceEpoch(t *testing.T) {
	day := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	want := day.Unix() / 86400
	for day.Year() <= 9999 {
		if got := daysSinceEpoch(day.Year(), int(day.Month()), day.Day()); got != want {
			t.Fatalf("%s: got %d, want %d", day.Format(time.DateOnly), got, want)
		}
		day = day.AddDate(0, 0, 1)
		want++
	}
}
