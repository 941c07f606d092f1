package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"windowed/internal/event"
	"windowed/window"
)

// Sample is the records that were looked at, in the order of their partitions.
type Sample struct {
	Format  string // such as json or csv
	Records []Record
	Profile *Profile
	Header  bool      // the columns' names are those of the first row
	Written []Written // what the values of a topic are written in
	Lacking string    // what it would take to read those that could not be; "": nothing
	// Decoder returns a new decoder of the records.
	Decoder func(*event.Mapping) (event.Reader, error)
}

// Written is how some of the records are written.
type Written struct {
	Format   string   // "" if nobody knows
	ID       uint32   // of the schema; 0 if they have none
	Versions []string // that the schema is registered as, if that is known
	Records  int
}

// Record is one record of a sample.
type Record struct {
	Partition int32
	event.Record
}

// Given is what the user has decided; zero values are left to the sample.
type Given struct {
	Config    event.Config
	TimeField bool // whether Config has the time
	Window    window.Size
	Grace     time.Duration // at least
}

// Report is what was found.
type Report struct {
	Sample   *Sample
	Document *Profile // of what the envelope wraps
	Times    []Time
	Choices  []Choice
	Config   event.Config // the proposal
	Problem  string       // why there is none
	Counted  int
	Refused  map[event.Reason]int
	Examples map[event.Reason]string
	Clocks   map[event.Local]int
	Order    Disorder
	Grace    time.Duration
}

// maxChoices is how many choices are told.
const maxChoices = 5

// Look makes a report of a sample.
func Look(s *Sample, given Given) *Report {
	r := &Report{Sample: s, Refused: map[event.Reason]int{}, Examples: map[event.Reason]string{}, Clocks: map[event.Local]int{}}
	if s.Profile.Records == 0 {
		r.Problem = cmp.Or(s.Lacking, "no record could be read")
		return r
	}
	envelope := given.Config.Envelope
	if envelope == event.NoEnvelope && len(given.Config.Names) == 0 && !given.TimeField {
		envelope = s.envelope()
	}
	document := s.inside(envelope)
	r.Document, r.Times = document, document.Times()
	var clock *Field
	if len(r.Times) > 0 {
		clock = r.Times[0].Field
	}
	choices := document.Choices(clock)
	lists := document.Lists(choices)
	r.Choices = append(choices[:min(len(choices), maxChoices)], lists[:min(len(lists), 1)]...)
	r.Config = given.Config
	r.Config.Envelope = envelope
	r.propose(&given)
	if r.Problem == "" {
		r.try(given.Window, given.Grace)
	}
	return r
}

// propose completes the configuration by what fits the sample best.
func (r *Report) propose(given *Given) {
	c := &r.Config
	if len(c.Names) == 0 {
		if len(r.Choices) == 0 {
			r.Problem = "nothing in the records looks like a name to be counted; say with --name"
			return
		}
		best := r.Choices[0]
		c.Items, c.Names, c.Quantity = best.Items, []string{best.Name}, best.Quantity
	}
	if given.TimeField {
		return
	}
	c.TimeField = ""
	if len(r.Times) > 0 {
		t := r.Times[0]
		c.TimeField, c.TimeUnit, c.TimeLayout = t.Field.Path, t.Unit, t.Layout
	}
}

// try decodes the sample by the proposal.
func (r *Report) try(size window.Size, least time.Duration) {
	m, err := event.NewMapping(r.Config)
	if err == nil {
		err = r.decode(m, size)
	}
	if err != nil {
		r.Problem = strings.TrimPrefix(err.Error(), "event: ")
		return
	}
	if r.Counted == 0 {
		most := r.Reasons()[0]
		r.Problem = fmt.Sprintf("no record would be counted, %d of %d as %v: %s", r.Refused[most], len(r.Sample.Records), most, r.Examples[most])
	}
	r.Grace = r.Order.Grace(least)
}

func (r *Report) decode(m *event.Mapping, size window.Size) error {
	d, err := r.Sample.Decoder(m)
	if err != nil {
		return err
	}
	var moments []Moment
	for i := range r.Sample.Records {
		record := &r.Sample.Records[i]
		e, fault := d.DecodeRecord(&record.Record)
		if fault != nil {
			r.Refused[fault.Reason]++
			if r.Examples[fault.Reason] == "" {
				r.Examples[fault.Reason] = fault.Error()
			}
			continue
		}
		r.Counted++
		r.Clocks[e.Local]++
		moments = append(moments, Moment{Partition: record.Partition, Time: e.Time, Items: len(e.Items)})
	}
	r.Order = DisorderOf(moments, size)
	return nil
}

// Flags are those of the proposal that differ from the defaults of orders.
func (r *Report) Flags() []string {
	c := r.Config.WithDefaults()
	var flags []string
	add := func(name, value string) { flags = append(flags, "--"+name+"="+quote(value)) }
	if c.TimeField != "ts" {
		add("time-field", c.TimeField)
	}
	if c.TimeUnit != event.Milliseconds {
		add("time-unit", c.TimeUnit.String())
	}
	if c.TimeLayout != "" {
		add("time-layout", c.TimeLayout)
	}
	if c.TimeZone != "" {
		add("time-zone", c.TimeZone)
	}
	if m, err := event.NewMapping(c); err != nil || !m.Plain {
		add("items", c.Items)
		names := make([]string, len(c.Names))
		for i, name := range c.Names {
			names[i] = strings.ReplaceAll(name, ",", `\,`) // a list is parted at commas
		}
		add("name", strings.Join(names, ","))
		add("quantity", c.Quantity)
	}
	if len(c.Names) > 1 && c.NameSeparator != " " {
		add("name-separator", c.NameSeparator)
	}
	if c.Split != "" {
		add("split", c.Split)
	}
	if c.Envelope != event.NoEnvelope {
		add("envelope", c.Envelope.String())
	}
	return flags
}

// quote makes a word of a shell's of text.
func quote(text string) string {
	plain := func(c rune) bool {
		return c == '_' || c == '-' || c == '.' || c == '/' || c == ':' || c == ',' || c == '+' || c == '@' || c == '%' || c == '=' ||
			'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	if strings.IndexFunc(text, func(c rune) bool { return !plain(c) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Quote makes a word of a POSIX shell's of text.
func Quote(text string) string { return quote(text) }

// Reasons are those for which records were refused, the most frequent first.
func (r *Report) Reasons() []event.Reason {
	reasons := slices.Collect(maps.Keys(r.Refused))
	slices.SortFunc(reasons, func(a, b event.Reason) int {
		if d := r.Refused[b] - r.Refused[a]; d != 0 {
			return d
		}
		return int(a) - int(b)
	})
	return reasons
}

// Percent writes a share.
func Percent(part, all int) string {
	if all == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.3g %%", 100*float64(part)/float64(all))
}
