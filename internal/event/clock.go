package event

import (
	"fmt"
	"math"
	"strconv"
)

// clock is a time that has been found.
type clock struct {
	ms    int64
	local Local
	found bool
	fault string // what is wrong with it; "" is nothing
}

func (c *clock) text(f *timeForm, text []byte) {
	c.found = true
	c.ms, c.local, c.fault = f.text(text)
}

func (c *clock) number(f *timeForm, raw []byte) {
	c.found, c.local = true, Exact
	c.ms, c.fault = f.number(raw)
}

// Time gives a time that is written as a text.
func (b *Builder) Time(text []byte) { b.time.text(&b.m.times, text) }

// TimeNumber gives a time that is written as a number in the way of JSON.
func (b *Builder) TimeNumber(raw []byte) { b.time.number(&b.m.times, raw) }

// TimeInteger gives a time as a number of the configured unit.
func (b *Builder) TimeInteger(n int64) {
	var digits [20]byte
	b.TimeNumber(strconv.AppendInt(digits[:0], n, 10))
}

// TimeFloat gives a time as a number of the configured unit.
func (b *Builder) TimeFloat(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		b.TimeFault(strconv.FormatFloat(f, 'g', -1, 64) + " is not a time")
		return
	}
	var digits [32]byte
	b.TimeNumber(strconv.AppendFloat(digits[:0], f, 'f', -1, 64))
}

// TimeMillis gives a time that says itself in milliseconds what it is.
func (b *Builder) TimeMillis(ms int64) {
	b.time = clock{ms: ms, found: true}
	if !inRange(ms) {
		b.time.fault = "is outside the years 0001 to 9999"
	}
}

// TimeLocal gives a time that is a reading of the clock without a zone, as if it were
// UTC: it is that of the configured zone.
func (b *Builder) TimeLocal(ms int64) {
	if !inRange(ms) {
		b.TimeMillis(ms)
		return
	}
	seconds, local := b.m.times.zone.seconds(floorDiv(ms, 1000))
	b.TimeMillis(seconds*1000 + ms - floorDiv(ms, 1000)*1000)
	b.time.local = local
}

// TimeFault gives a time that is none: detail says why.
func (b *Builder) TimeFault(detail string) { b.time = clock{found: true, fault: detail} }

// when is the event's time: the document's, or else its envelope's, or the record's.
func (b *Builder) when() (ms int64, local Local, fault *Error) {
	c, path := &b.time, b.m.Time
	if !c.found && b.spare.found {
		c, path = &b.spare, Path{{Name: "time"}}
	}
	if !c.found {
		ms, fault = checkRecordTime(b.record.Timestamp)
		return ms, Exact, fault
	}
	if c.fault != "" {
		return 0, Exact, refuse(Malformed, string(appendPath(nil, path, nil)), c.fault)
	}
	return c.ms, c.local, nil
}

func checkRecordTime(ms int64) (int64, *Error) {
	if ms < 0 {
		return 0, refuse(NoTimestamp, "", "neither the order nor the record has a timestamp")
	}
	if !inRange(ms) {
		return 0, refuse(Malformed, "", fmt.Sprintf("the record's timestamp %d is past the year 9999", ms))
	}
	return ms, nil
}
