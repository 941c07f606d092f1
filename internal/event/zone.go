package event

import (
	"fmt"
	"time"
	_ "time/tzdata" // machines and images without zones know them too
)

// Local says how a time without a zone was read.
type Local uint8

const (
	// Exact: there was one such time.
	Exact Local = iota
	// Repeated: clocks were set back, and the time came twice. It is taken for the
	// first.
	Repeated
	// Skipped: clocks were set forward over the time. It is moved forward by as much.
	Skipped
)

// zone reads the clocks of one place. Not safe for concurrent use.
type zone struct {
	name     string
	location *time.Location
	utc      bool
	// from and to are seconds of the local clock between which offset is right and
	// no clock was set within two days: where the last time was.
	from, to, offset int64
}

func loadZone(name string) (*zone, error) {
	if name == "" {
		name = "UTC"
	}
	location, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, fmt.Errorf("event: time zone %q is not one of the IANA database, such as UTC or America/New_York", name)
	}
	return &zone{name: name, location: location, utc: location == time.UTC}, nil
}

// margin is more than a clock is ever set by, or two zones differ.
const margin = 2 * 24 * 3600

// seconds turns the reading of a clock, in seconds since it read 1970-01-01T00:00:00,
// into seconds since that time in UTC.
func (z *zone) seconds(clock int64) (int64, Local) {
	if z.utc {
		return clock, Exact
	}
	if z.from <= clock && clock < z.to {
		return clock - z.offset, Exact
	}
	around := time.Unix(clock, 0).In(z.location)
	start, end := around.ZoneBounds()
	_, offset := around.Zone()
	now := int64(offset)
	far := true
	for _, bound := range []time.Time{start, end} {
		if bound.IsZero() {
			continue
		}
		at := bound.Unix()
		before, after := offsetAt(z.location, at-1), offsetAt(z.location, at)
		if clock-at < margin && at-clock < margin {
			far = false
		}
		// Between at+before and at+after the clock was set forward, or back.
		switch {
		case at+before <= clock && clock < at+after:
			return clock - before, Skipped
		case at+after <= clock && clock < at+before:
			return clock - before, Repeated
		}
		switch {
		case bound.Equal(start) && clock < at+min(before, after):
			now = before
		case bound.Equal(end) && clock >= at+max(before, after):
			now = after
		}
	}
	if far {
		z.remember(start, end, now)
	}
	return clock - now, Exact
}

func offsetAt(location *time.Location, seconds int64) int64 {
	_, offset := time.Unix(seconds, 0).In(location).Zone()
	return int64(offset)
}

// remember keeps what is right well within the given bounds.
func (z *zone) remember(start, end time.Time, offset int64) {
	const always = 1 << 40
	z.from, z.to, z.offset = -always, always, offset
	if !start.IsZero() {
		z.from = start.Unix() + margin
	}
	if !end.IsZero() {
		z.to = end.Unix() - margin
	}
}

// steady says whether the clock is not set around the hour that begins at ms.
func (z *zone) steady(ms int64) bool {
	if z.utc {
		return true
	}
	at := ms / 1000
	offset := offsetAt(z.location, at)
	return offsetAt(z.location, at-margin) == offset && offsetAt(z.location, at+margin) == offset
}
