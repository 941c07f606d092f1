package event

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestTimeForms has every form of time, what it means, and what is refused.
func TestTimeForms(t *testing.T) {
	iso := Config{TimeField: "t", Names: []string{"n"}}
	with := func(c Config, change func(*Config)) Config { change(&c); return c }
	unit := func(u Unit) Config { return with(iso, func(c *Config) { c.TimeUnit = u }) }
	layout := func(l string) Config { return with(iso, func(c *Config) { c.TimeLayout = l }) }
	zone := func(z string) Config { return with(iso, func(c *Config) { c.TimeZone = z }) }
	cases := []struct {
		id     string
		config Config
		value  string
		want   string // the time, or part of the error
	}{
		{"RFC 3339", iso, `"2026-03-01T10:15:50.52Z"`, "2026-03-01T10:15:50.52Z"},
		{"lower case", iso, `"2026-03-01t10:15:50z"`, "2026-03-01T10:15:50Z"},
		{"offset", iso, `"2026-03-01T10:15:50+02:00"`, "2026-03-01T08:15:50Z"},
		{"offset without colon", iso, `"2019-04-25T18:00:00-0700"`, "2019-04-26T01:00:00Z"},
		{"hours of offset", iso, `"2026-03-01 10:15:50+02"`, "2026-03-01T08:15:50Z"},
		{"a space, no zone", iso, `"2024-08-29 08:00:00"`, "2024-08-29T08:00:00Z"},
		{"a space before the zone", iso, `"2024-08-29 08:00:00 +0100"`, "2024-08-29T07:00:00Z"},
		{"UTC", iso, `"2024-08-29 08:00:00 UTC"`, "2024-08-29T08:00:00Z"},
		{"C23, comma", iso, `"2021-09-01 20:02:00,025"`, "2021-09-01T20:02:00.025Z"},
		{"no seconds", iso, `"2024-08-29T08:01"`, "2024-08-29T08:01:00Z"},
		{"a date", iso, `"2024-08-29"`, "2024-08-29T00:00:00Z"},
		{"C18, microseconds are cut", iso, `"2020-11-17T15:21:34.471010"`, "2020-11-17T15:21:34.471Z"},
		{"before 1970", iso, `"1969-12-31 23:59:59.9999"`, "1969-12-31T23:59:59.999Z"},
		{"leap day", iso, `"2024-02-29"`, "2024-02-29T00:00:00Z"},
		{"no leap day", iso, `"2025-02-29"`, "is not a time such as"},
		{"hour 24", iso, `"2024-02-29 24:00"`, "is not a time such as"},
		{"leap second", iso, `"2016-12-31T23:59:60Z"`, "is not a time such as"},
		{"a point and nothing", iso, `"2024-08-29 08:00:00."`, "is not a time such as"},
		{"no colon", iso, `"2024-08-29 0800"`, "is not a time such as"},
		{"a word", iso, `"noon"`, `t: "noon" is not a time such as`},
		{"empty", iso, `""`, "is not a time such as"},

		{"milliseconds", iso, `1772360150520`, "2026-03-01T10:15:50.52Z"},
		{"in quotes", iso, `"1772360150520"`, "2026-03-01T10:15:50.52Z"},
		{"seconds", unit(Seconds), `1331923247`, "2012-03-16T18:40:47Z"},
		{"decimal seconds", unit(Seconds), `1331923247.0629`, "2012-03-16T18:40:47.062Z"},
		{"decimal seconds in quotes", unit(Seconds), `"1331923247.5"`, "2012-03-16T18:40:47.5Z"},
		{"exponent", unit(Seconds), `1.331923247123E9`, "2012-03-16T18:40:47.123Z"},
		{"microseconds", unit(Microseconds), `1772360150520123`, "2026-03-01T10:15:50.52Z"},
		{"nanoseconds", unit(Nanoseconds), `1772360150520123456`, "2026-03-01T10:15:50.52Z"},
		{"negative, rounded down", unit(Seconds), `-0.0005`, "1969-12-31T23:59:59.999Z"},
		{"leading zero", unit(Seconds), `"01331923247"`, "is not a time such as"},
		{"no number", unit(Seconds), `"1331923247s"`, "is not a time such as"},
		{"hexadecimal", unit(Seconds), `"0x4f638c7f"`, "is not a time such as"},
		{"C11", iso, `1709315512577`, "2024-03-01T17:51:52.577Z"},
		{"C15, seconds as milliseconds", iso, `1605626494`, "t: 1605626494 would be in the year 1970 as ms; as s it is plausible: --time-unit=s"},
		{"C15, orders", Config{TimeField: "t"}, `1605626494`, "as s it is plausible: --time-unit=s"},
		{"C15, milliseconds as seconds", unit(Seconds), `1605626494471`, "would be in the year 10000 or later as s; as ms it is plausible: --time-unit=ms"},
		{"C15, microseconds as milliseconds", iso, `1605626494471001`, "as us it is plausible"},
		{"C15, nanoseconds as microseconds", unit(Microseconds), `1605626494471001002`, "as ns it is plausible"},
		{"C15, in quotes", iso, `"1605626494"`, "as s it is plausible"},
		{"long ago, whatever the unit", iso, `-1`, "1969-12-31T23:59:59.999Z"},
		{"1970, whatever the unit", iso, `5000`, "1970-01-01T00:00:05Z"},
		{"too large for any", iso, `1e30`, "is not a number of ms within the years"},
		{"a huge exponent", iso, `1e999`, "is not a number of ms within the years"},
		{"true", iso, `true`, "is neither a string nor a number"},

		{"a layout", layout("2006/01/02 15:04"), `"2001/01/01 00:47"`, "2001-01-01T00:47:00Z"},
		{"another form than the layout", layout("2006/01/02 15:04"), `"2001-01-01 00:47"`, `is not a time written like "2006/01/02 15:04"`},
		{"a layout of digits", layout("20060102150405"), `20260301101550`, "2026-03-01T10:15:50Z"},
		{"a layout of a web server", layout("02/Jan/2006:15:04:05 -0700"), `"10/Oct/2000:13:55:36 -0700"`, "2000-10-10T20:55:36Z"},
		{"letters of a zone that is not known", layout("2006-01-02 15:04 MST"), `"2026-03-01 10:15 XYZ"`, "is not a time written like"},
		{"letters of UTC", layout("2006-01-02 15:04 MST"), `"2026-03-01 10:15 UTC"`, "2026-03-01T10:15:00Z"},

		{"a place", zone("America/New_York"), `"2026-03-01 10:00:00"`, "2026-03-01T15:00:00Z"},
		{"a place, with a zone", zone("America/New_York"), `"2026-03-01 10:00:00Z"`, "2026-03-01T10:00:00Z"},
		{"an hour that came twice", zone("America/New_York"), `"2026-11-01 01:30:00"`, "2026-11-01T05:30:00Z repeated"},
		{"an hour that never was", zone("America/New_York"), `"2026-03-08 02:30:00"`, "2026-03-08T07:30:00Z skipped"},
		{"half an hour that came twice", zone("Australia/Lord_Howe"), `"2026-04-05 01:45"`, "2026-04-04T14:45:00Z repeated"},
		{"a day that never was", zone("Pacific/Apia"), `"2011-12-30 12:00"`, "2011-12-30T22:00:00Z skipped"},
		{"a date in a place", zone("Asia/Kathmandu"), `"2026-03-01"`, "2026-02-28T18:15:00Z"},
		{"orders in a place", Config{TimeField: "t", TimeZone: "Europe/Paris"}, `"2026-07-01 12:00:00"`, "2026-07-01T10:00:00Z"},
		{"orders are strict", Config{TimeField: "t"}, `"2026-07-01 12:00:00"`, "is not an RFC 3339 time with a zone"},
		{"orders are strict with numbers", Config{TimeField: "t"}, `1772360150.5`, "is not a whole number of ms"},
	}
	for _, c := range cases {
		t.Run(c.id, func(t *testing.T) {
			document := fmt.Sprintf(`{"n":"x","t":%s,"items":[{"drink":"x","quantity":1}]}`, c.value)
			d := mustDecoder(t, c.config)
			for range 3 { // the third by its shape
				event, fault := d.Decode([]byte(document), recordTime)
				got := fmt.Sprint(fault)
				if fault == nil {
					got = time.UnixMilli(event.Time).UTC().Format(time.RFC3339Nano) + [...]string{"", " repeated", " skipped"}[event.Local]
				}
				if got != c.want && (fault == nil || !strings.Contains(got, c.want)) {
					t.Errorf("%s: got %s, want %s", c.value, got, c.want)
				}
				if fault != nil && fault.Reason != Malformed {
					t.Errorf("%s: reason %v", c.value, fault.Reason)
				}
			}
		})
	}
}

// TestZones compares a clock's reading with all times at which the clock reads so.
func TestZones(t *testing.T) {
	zones := []string{"UTC", "America/New_York", "Europe/Dublin", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu", "America/Sao_Paulo", "Africa/Casablanca", "Asia/Manila"}
	rapid.Check(t, func(t *rapid.T) {
		z, err := loadZone(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		base := rapid.Int64Range(-3_000_000_000, 4_000_000_000).Draw(t, "base")
		if _, end := time.Unix(base, 0).In(z.location).ZoneBounds(); !end.IsZero() && !oneIn(t, 3) {
			base = end.Unix() // near where clocks are set
		}
		for range 10 {
			clock := base + rapid.Int64Range(-150_000, 150_000).Draw(t, "clock")
			got, local := z.seconds(clock)
			var at []int64
			offsets := map[int64]bool{}
			for u := clock - 2*margin; u <= clock+2*margin; u += 1800 {
				offsets[offsetAt(z.location, u)] = true
			}
			for offset := range offsets {
				if offsetAt(z.location, clock-offset) == offset {
					at = append(at, clock-offset)
				}
			}
			want := map[int]Local{0: Skipped, 1: Exact, 2: Repeated}[len(at)]
			if local != want {
				t.Fatalf("%s: the clock reads %d at %v, and that is %v", z.name, clock, at, local)
			}
			switch {
			case local == Skipped:
				// It is as far behind the jump as it would have been without one.
				forward := got + offsetAt(z.location, got) - clock
				if forward <= 0 || offsetAt(z.location, got-forward) != clock-got {
					t.Fatalf("%s: %d is moved to %d", z.name, clock, got)
				}
			case got != min(at[0], at[len(at)-1]):
				t.Fatalf("%s: %d is %d of %v", z.name, clock, got, at)
			}
		}
	})
}

func TestLayoutsRefused(t *testing.T) {
	for layout, want := range map[string]string{
		"15:04": "does not tell the day", "2006": "does not tell the day", "hello": "does not tell the day",
		"2006-01": "does not tell the day", "RFC3339": "does not tell the day", "2006-02": "does not tell the day", "\xff": "UTF-8",
	} {
		_, err := NewMapping(Config{TimeField: "t", TimeLayout: layout})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", layout, err)
		}
	}
	for _, zone := range []string{"Mars", "Local", "../etc/passwd", "EST5"} {
		if _, err := NewMapping(Config{TimeField: "t", TimeZone: zone}); err == nil {
			t.Errorf("there is a zone %q", zone)
		}
	}
	if _, err := NewMapping(Config{TimeField: "t", TimeZone: "Europe/Paris", TimeLayout: LayoutRFC3339}); err == nil {
		t.Error("a zone that is never used is taken")
	}
}
