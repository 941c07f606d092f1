package event

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// The names of forms of time that are no layout of Go's.
const (
	LayoutRFC3339 = "rfc3339"
	LayoutISO     = "iso"
)

// timeForm is how times are written.
type timeForm struct {
	form   form
	unit   Unit
	layout string // of formLayout
	zoned  bool   // whether the layout has a zone
	zone   *zone  // of times without one
}

type form uint8

const (
	formRFC3339 form = iota
	formISO
	formLayout
)

func newTimeForm(c *Config, plain bool) (timeForm, error) {
	f := timeForm{unit: c.TimeUnit}
	if c.TimeUnit > Nanoseconds {
		return f, fmt.Errorf("event: %d is no time unit", c.TimeUnit)
	}
	var err error
	if f.zone, err = loadZone(c.TimeZone); err != nil {
		return f, err
	}
	switch c.TimeLayout {
	case "":
		if !plain || c.TimeZone != "" {
			f.form = formISO
		}
	case LayoutRFC3339:
		if c.TimeZone != "" {
			return f, fmt.Errorf("event: times of RFC 3339 have a zone, so %s is never used; the layout for times without is %s", c.TimeZone, LayoutISO)
		}
	case LayoutISO:
		f.form = formISO
	default:
		f.form, f.layout = formLayout, c.TimeLayout
		f.zoned, err = checkLayout(c.TimeLayout)
	}
	return f, err
}

// checkLayout refuses a layout that does not tell the day, and says whether it tells the
// zone.
func checkLayout(layout string) (zoned bool, err error) {
	if !utf8.ValidString(layout) {
		return false, fmt.Errorf("event: time layout %q is not valid UTF-8", layout)
	}
	example := time.Date(2011, 12, 21, 22, 43, 54, 0, time.FixedZone("WDT", -3*3600))
	text := example.Format(layout)
	back, err := time.Parse(layout, text)
	if err != nil || back.Year() != 2011 || back.YearDay() != example.YearDay() {
		return false, fmt.Errorf("event: time layout %q does not tell the day; it is written like Go's %q, or is %s or %s",
			layout, "2006-01-02 15:04:05", LayoutRFC3339, LayoutISO)
	}
	return text != shifted(example).Format(layout), nil
}

// shifted is the same reading of the clock in another zone.
func shifted(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.FixedZone("WST", 3600))
}

func (f *timeForm) name() string {
	switch f.form {
	case formISO:
		return LayoutISO
	case formLayout:
		return f.layout
	}
	return LayoutRFC3339
}

func (f *timeForm) zoneName() string { return f.zone.name }

// expected says in a few words what a time should be.
func (f *timeForm) expected() string {
	switch f.form {
	case formISO:
		return "is not a time such as 2026-03-01T10:15:50Z or 2026-03-01 10:15:50, nor a number"
	case formLayout:
		return fmt.Sprintf("is not a time written like %q", f.layout)
	}
	return "is not an RFC 3339 time with a zone"
}

// text reads a time that is written as a text.
func (f *timeForm) text(s []byte) (ms int64, local Local, fault string) {
	ok := false
	switch f.form {
	case formRFC3339:
		ms, ok = parseTime(s)
	case formLayout:
		ms, local, ok = f.byLayout(string(s))
	case formISO:
		if ms, local, ok = parseISO(s, f.zone); ok {
			break
		}
		if isDecimal(s) {
			ms, fault = f.number(s)
			return ms, Exact, fault
		}
	}
	if !ok || !inRange(ms) {
		return 0, Exact, excerpt(`"`+string(s)+`"`) + " " + f.expected()
	}
	return ms, local, ""
}

// number reads a time that is written as a number; raw is JSON's.
func (f *timeForm) number(raw []byte) (ms int64, fault string) {
	if f.form == formLayout {
		ms, _, fault = f.text(raw)
		return ms, fault
	}
	ok, decimal := false, f.form == formISO
	if decimal {
		ms, ok = decimalMillis(raw, f.unit)
	} else if n, whole := parseInteger(raw); whole {
		ms, ok = f.unit.millis(n)
	}
	if unit, other := f.unit.mistaken(raw, ms, ok); other && (decimal || isInteger(raw)) {
		return 0, fmt.Sprintf("%s would be in the year %s as %s; as %s it is plausible: --time-unit=%s",
			excerpt(raw), yearText(ms, ok), f.unit, unit, unit)
	}
	if ok {
		return ms, ""
	}
	if decimal {
		return 0, fmt.Sprintf("%s is not a number of %s within the years 0001 to 9999", excerpt(raw), f.unit)
	}
	return 0, fmt.Sprintf("%s is not a whole number of %s within the years 0001 to 9999", excerpt(raw), f.unit)
}

func yearText(ms int64, ok bool) string {
	if !ok {
		return "10000 or later"
	}
	return time.UnixMilli(ms).UTC().Format("2006")
}

func (f *timeForm) byLayout(s string) (ms int64, local Local, ok bool) {
	t, err := time.ParseInLocation(f.layout, s, f.zone.location)
	if err != nil {
		return 0, Exact, false
	}
	if !f.zoned {
		// The text is read once more, since the package does not say which of two
		// hours it has taken.
		if t, err = time.Parse(f.layout, s); err != nil {
			return 0, Exact, false
		}
		seconds, local := f.zone.seconds(t.Unix())
		return seconds*1000 + int64(t.Nanosecond()/1e6), local, true
	}
	// A zone's letters that mean nothing are taken for UTC by the package.
	if name, offset := t.Zone(); offset == 0 && strings.Contains(f.layout, "MST") && name != "UTC" && name != "GMT" && name != "WET" && name != "" {
		return 0, Exact, false
	}
	return t.UnixMilli(), Exact, true
}

// Times reads times of a configured form. Not safe for concurrent use.
type Times struct{ form timeForm }

// NewTimes returns a reader of times as the configuration has them. It fails when the
// configuration is no good.
func NewTimes(c Config) (*Times, error) {
	m, err := NewMapping(c)
	if err != nil {
		return nil, err
	}
	return &Times{m.times}, nil
}

// Read reads the text of a time, in milliseconds since 1970-01-01 UTC.
func (t *Times) Read(text string) (ms int64, ok bool) {
	ms, _, fault := t.form.text([]byte(text))
	return ms, fault == ""
}
