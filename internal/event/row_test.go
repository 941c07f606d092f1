package event

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestRows has rows of a file with a header, what is in them, and why they are refused.
func TestRows(t *testing.T) {
	m, err := NewMapping(Config{TimeField: "at", Names: []string{"page", "lang"}, NameSeparator: "/", Quantity: "n", MaxRecord: 100})
	if err != nil {
		t.Fatal(err)
	}
	d, err := m.NewRowDecoder(';', []string{"page", "at", "n", "lang"}, 4)
	if err != nil {
		t.Fatal(err)
	}
	for row, want := range map[string]string{
		"/a;1772360150520;2;en":                  "1772360150520 /a/en=2",
		"/a;1772360150520;2;en\r\n":              "1772360150520 /a/en=2",
		`"/a;""b""";"1772360150520";"2";"é"`:     `1772360150520 /a;"b"/é=2`,
		"\"/a\nb\";2026-03-01 10:15:50,52;2;e\"": "1772360150520 /a\nb/e\"=2",
		"/a;;2;en":                               "no_timestamp neither the order nor the record has a timestamp",
		";1772360150520;2;en":                    "invalid_drink page: is empty",
		"/a;1772360150520;;en":                   "invalid_quantity n: is missing",
		"/a;1772360150520;2.0;en":                `invalid_quantity n: "2.0" is not a whole number`,
		"/a;1772360150520;0;en":                  "invalid_quantity n: 0 is not between 1 and 1000000",
		"/a;1772360150520;-1;en":                 `invalid_quantity n: "-1" is not a whole number`,
		"/a;noon;2;en":                           `malformed at: "noon" is not a time such as 2026-03-01T10:15:50Z or 2026-03-01 10:15:50, nor a number`,
		"/a;1772360150520;2":                     "malformed the row has 3 fields, the first one 4",
		"/a;1772360150520;2;en;":                 "malformed the row has 5 fields, the first one 4",
		"":                                       "malformed the row has 1 fields, the first one 4",
		"/\xff;1772360150520;2;en":               "malformed the row is not valid UTF-8",
		`/a;1772360150520;2;"en`:                 "malformed field 4 begins with a quote that is not closed",
		`/a;1772360150520;2;"en"x`:               "malformed field 4 goes on behind its closing quote",
		strings.Repeat("x", 101):                 "too_large the value has 101 bytes, over the limit of 100",
	} {
		e, fault := d.DecodeRecord(&Record{Value: []byte(row), Timestamp: -1})
		have := ""
		if fault != nil {
			have = fault.Reason.String() + " " + fault.Error()
		} else {
			have = fmt.Sprintf("%d %s=%d", e.Time, e.Items[0].Name, e.Items[0].Quantity)
		}
		if have != want {
			t.Errorf("%q:\nhave %s\nwant %s", row, have, want)
		}
	}
}

// TestColumns has mappings that a header does not have, or not once.
func TestColumns(t *testing.T) {
	for want, c := range map[string]struct {
		config Config
		header []string
	}{
		`event: there is no column "at" in the header: a, b`:                                       {Config{TimeField: "at", Names: []string{"a"}}, []string{"a", "b"}},
		`event: the header has two columns "a"`:                                                    {Config{Names: []string{"a"}}, []string{"a", "a"}},
		`event: there is no column 3: the first row has 2`:                                         {Config{Names: []string{"3"}}, []string{"a", "b"}},
		`event: without a header columns are numbers from 1, and "a" is none`:                      {Config{Names: []string{"a"}}, nil},
		`event: there is no column "a" in the header: a;b; is it --delimiter=";"?`:                 {Config{Names: []string{"a"}}, []string{"a;b"}},
		`event: a row is one item, so there is no x[] in it; give --name, and --items= if need be`: {Config{Names: []string{"a"}, Items: "x"}, []string{"a", "b"}},
		`event: rows have no envelope, and none of connect`:                                        {Config{Names: []string{"a"}, Envelope: Connect}, []string{"a", "b"}},
		`<nil>`: {Config{Names: []string{"a.b", "2"}, Quantity: "1"}, []string{"a.b", "b"}},
	} {
		m, err := NewMapping(c.config)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = m.NewRowDecoder(',', c.header, max(len(c.header), 2)); fmt.Sprint(err) != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

// TestDecodersShareNothing: decoders of one mapping may be used at the same time, though
// each remembers what it read of its zone.
func TestDecodersShareNothing(t *testing.T) {
	m, err := NewMapping(Config{TimeField: "1", TimeZone: "America/New_York", Names: []string{"2"}})
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	zones := map[*zone]bool{m.times.zone: true}
	for range 4 {
		d, err := m.NewRowDecoder(',', nil, 2)
		if err != nil {
			t.Fatal(err)
		}
		if zones[d.b.m.times.zone] {
			t.Fatal("two decoders have one zone")
		}
		zones[d.b.m.times.zone] = true
		work.Go(func() {
			for i := range 200 {
				d.DecodeRecord(&Record{Value: fmt.Appendf(nil, "2026-%02d-01 10:00:00,x", i%12+1)})
			}
		})
	}
	work.Wait()
}

// TestRowsDoNotAllocate: a row costs no allocation, with quotes or without.
func TestRowsDoNotAllocate(t *testing.T) {
	m, err := NewMapping(Config{TimeField: "1", Names: []string{"2", "3"}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := m.NewRowDecoder(',', nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"2026-03-01 10:00:00,/a,en", `1772360150520,"/a ""b""","e,n"`} {
		r := &Record{Value: []byte(row), Timestamp: -1}
		allocs := testing.AllocsPerRun(100, func() {
			if _, fault := d.DecodeRecord(r); fault != nil {
				t.Fatal(fault)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations", row, allocs)
		}
	}
}
