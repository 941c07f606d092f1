package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"windowed/internal/api"
	"windowed/internal/event"
	"windowed/internal/inspect"
)

// inspected is the report as JSON.
type inspected struct {
	Schema  string                     `json:"schema"`
	Format  string                     `json:"format"`
	Records int                        `json:"records"`
	Broken  int                        `json:"unreadable"`
	Written []inspectedWritten         `json:"written,omitempty"` // of a topic
	Fields  []inspectedField           `json:"fields"`
	Times   []inspectedTime            `json:"times"`
	Choices []inspectedChoice          `json:"choices"`
	Counted int                        `json:"counted"`
	Refused map[string]inspectedReason `json:"refused"`
	Earlier int                        `json:"out_of_order"`
	Most    int64                      `json:"most_out_of_order_ms"`
	Loss    []inspectedLoss            `json:"late_by_grace"`
	Problem string                     `json:"problem,omitempty"`
	Command string                     `json:"command,omitempty"`
}

type inspectedWritten struct {
	Format   string   `json:"format,omitempty"`
	SchemaID uint32   `json:"schema_id,omitempty"`
	Versions []string `json:"registered_as,omitempty"`
	Records  int      `json:"records"`
}

type inspectedReason struct {
	Records int    `json:"records"`
	Example string `json:"example"`
}

type inspectedField struct {
	Path     string         `json:"path"`
	Records  int            `json:"records"`
	Kinds    map[string]int `json:"kinds"`
	Examples []string       `json:"examples"`
}

type inspectedTime struct {
	Path   string `json:"path"`
	Unit   string `json:"unit"`
	Layout string `json:"layout,omitempty"`
	Other  string `json:"or_layout,omitempty"` // with days and months changed round
	Local  bool   `json:"without_zone,omitempty"`
}

type inspectedChoice struct {
	Items    string `json:"items"`
	Name     string `json:"name"`
	Quantity string `json:"quantity"`
	Split    string `json:"split,omitempty"`
	Distinct int    `json:"distinct"`
}

type inspectedLoss struct {
	GraceMillis int64 `json:"grace_ms"`
	Late        int   `json:"late"`
}

const inspectSchema = "windowed.inspect/v1"

func inspectedOf(r *inspect.Report, command string) *inspected {
	p := r.Sample.Profile
	o := &inspected{
		Schema: inspectSchema, Format: r.Sample.Format, Records: len(r.Sample.Records), Broken: p.Broken, Counted: r.Counted,
		Refused: map[string]inspectedReason{}, Earlier: r.Order.Earlier, Most: r.Order.Most.Milliseconds(), Problem: r.Problem, Command: command,
		Fields: []inspectedField{}, Times: []inspectedTime{}, Choices: []inspectedChoice{}, Loss: []inspectedLoss{},
	}
	for _, w := range r.Sample.Written {
		o.Written = append(o.Written, inspectedWritten{w.Format, w.ID, w.Versions, w.Records})
	}
	for _, f := range p.Fields {
		kinds := map[string]int{}
		for k, n := range f.Kinds {
			if n > 0 {
				kinds[inspect.Kind(k).String()] = n
			}
		}
		o.Fields = append(o.Fields, inspectedField{f.Path, f.Records, kinds, append([]string{}, f.Examples...)})
	}
	for _, t := range r.Times {
		o.Times = append(o.Times, inspectedTime{t.Field.Path, t.Unit.String(), t.Layout, t.Other, t.Local})
	}
	for _, c := range r.Choices {
		o.Choices = append(o.Choices, inspectedChoice{c.Items, c.Name, c.Quantity, c.Split, c.Distinct})
	}
	for reason, n := range r.Refused {
		o.Refused[reason.String()] = inspectedReason{n, r.Examples[reason]}
	}
	for _, l := range r.Order.Loss {
		o.Loss = append(o.Loss, inspectedLoss{l.Grace.Milliseconds(), l.Late})
	}
	return o
}

// fieldTable is the fields as rows.
func fieldTable(r *inspect.Report) api.Table {
	t := api.Table{Header: []string{"path", "records", "kinds", "examples"}}
	for _, f := range r.Sample.Profile.Fields {
		t.Rows = append(t.Rows, []string{f.Path, strconv.Itoa(f.Records), strings.Join(kindsOf(f), " "), strings.Join(f.Examples, " ")})
	}
	return t
}

func kindsOf(f *inspect.Field) []string {
	var kinds []string
	for k, n := range f.Kinds {
		if n > 0 {
			kinds = append(kinds, inspect.Kind(k).String())
		}
	}
	return kinds
}

func printInspected(w io.Writer, r *inspect.Report, command string) error {
	p := r.Sample.Profile
	fmt.Fprintf(w, "%s records of %s", group(uint64(len(r.Sample.Records))), r.Sample.Format)
	if p.Broken > 0 {
		fmt.Fprintf(w, ", %s of them unreadable", group(uint64(p.Broken)))
	}
	fmt.Fprint(w, "\n\n")
	printWritten(w, r.Sample)
	if p.Records == 0 {
		return nil
	}
	if err := printFields(w, p); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if r.Sample.Header {
		fmt.Fprintf(w, "%-9s the first row; --header=no if it is a record\n", "names")
	}
	if e := r.Config.Envelope; e != event.NoEnvelope {
		fmt.Fprintf(w, "%-9s %s; paths begin in what it wraps\n", "envelope", e)
	}
	for i, t := range r.Times[:min(len(r.Times), 3)] {
		fmt.Fprintf(w, "%-9s %s\n", place(i, "time"), timeText(&t, r.Document))
	}
	if len(r.Times) == 0 && r.Config.Envelope == event.CloudEvents {
		fmt.Fprintf(w, "%-9s that of the event\n", "time")
	} else if len(r.Times) == 0 {
		fmt.Fprintf(w, "%-9s none found: the record's timestamp\n", "time")
	}
	for i, c := range r.Choices {
		fmt.Fprintf(w, "%-9s %s\n", place(i, "count"), choiceText(&c))
	}
	if r.Counted+len(r.Refused) > 0 {
		printTried(w, r)
	}
	if command != "" {
		fmt.Fprintf(w, "\nto count them:\n\n  %s\n", command)
	}
	return nil
}

// printWritten prints the schemas of a sample, if it has any.
func printWritten(w io.Writer, s *inspect.Sample) {
	shownOne := false
	for _, v := range s.Written {
		if v.ID == 0 {
			continue
		}
		text := fmt.Sprintf("schema id %d", v.ID)
		if v.Format != "" {
			text += ", " + v.Format
		}
		if len(v.Versions) > 0 {
			text += ", " + printable(strings.Join(v.Versions, ", "))
		}
		fmt.Fprintf(w, "%-9s %s: %s records\n", "written", text, group(uint64(v.Records)))
		shownOne = true
	}
	if s.Lacking != "" {
		fmt.Fprintf(w, "%-9s %s\n", "", s.Lacking)
		shownOne = true
	}
	if shownOne {
		fmt.Fprintln(w)
	}
}

// place names the first of several lines; the others are alternatives.
func place(i int, first string) string {
	if i == 0 {
		return first
	}
	return "  or"
}

// shownFields is how many fields are listed.
const shownFields = 40

func printFields(w io.Writer, p *inspect.Profile) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "PATH\tIN\tKINDS\tEXAMPLES")
	shownNow := 0
	for _, f := range p.Fields {
		if f.Path == "" {
			continue
		}
		if shownNow++; shownNow > shownFields {
			fmt.Fprintf(t, "... and %d more\n", len(p.Fields)-shownFields)
			break
		}
		examples := make([]string, len(f.Examples))
		for i, e := range f.Examples {
			examples[i] = shown(e)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", printable(f.Path), inspect.Percent(f.Records, p.Records), strings.Join(kindsOf(f), ", "), strings.Join(examples, "  "))
	}
	return t.Flush()
}

func timeText(t *inspect.Time, p *inspect.Profile) string {
	form := "RFC 3339 or alike"
	switch {
	case t.Layout != "":
		form = "layout " + t.Layout
		if t.Other != "" {
			form += " or " + t.Other + ": the days do not tell"
		}
	case t.Number && t.Field.Kinds[inspect.Text] > 0:
		form = "number of " + t.Unit.String() + ", in quotes"
	case t.Number:
		form = "number of " + t.Unit.String()
	}
	if t.Local {
		form += ", without zone"
	}
	return fmt.Sprintf("%s (%s), in %s of the records", printable(t.Field.Path), form, inspect.Percent(t.Field.Records, p.Records))
}

func choiceText(c *inspect.Choice) string {
	text := printable(c.Name)
	if c.Items != "" {
		text += " of every item in " + printable(c.Items)
	}
	if c.Quantity != "1" {
		text += ", as many as " + printable(c.Quantity)
	}
	if c.Split != "" {
		text += fmt.Sprintf(", split at %q", c.Split)
	}
	if c.Distinct >= 0 {
		text += fmt.Sprintf(": %s different", group(uint64(c.Distinct)))
	}
	return text
}

func printTried(w io.Writer, r *inspect.Report) {
	all := len(r.Sample.Records)
	fmt.Fprintf(w, "%-9s %s records, %s\n", "counted", group(uint64(r.Counted)), inspect.Percent(r.Counted, all))
	for _, reason := range r.Reasons() {
		fmt.Fprintf(w, "%-9s %s records, %s, as %s: %s\n", "refused", group(uint64(r.Refused[reason])), inspect.Percent(r.Refused[reason], all), reason, printable(r.Examples[reason]))
	}
	if len(r.Times) > 0 && r.Times[0].Local && r.Config.TimeField == r.Times[0].Field.Path && r.Config.TimeZone == "" {
		fmt.Fprintf(w, "%-9s times without one are taken for UTC; say with --time-zone if they are not\n", "zone")
	}
	if n := r.Clocks[event.Repeated] + r.Clocks[event.Skipped]; n > 0 {
		fmt.Fprintf(w, "%-9s %s records have a time in an hour that came twice or never\n", "zone", group(uint64(n)))
	}
	d := &r.Order
	if d.Earlier == 0 {
		fmt.Fprintf(w, "%-9s every record is as late as the one before it, or later\n", "order")
		return
	}
	fmt.Fprintf(w, "%-9s %s records are earlier than one before them, by up to %v\n", "order", group(uint64(d.Earlier)), d.Most)
	for i, l := range d.Loss {
		if i > 0 && d.Loss[i-1].Late == l.Late {
			continue
		}
		fmt.Fprintf(w, "%-9s --grace=%v loses %s records from their windows, %s\n", "", spanText(l.Grace), group(uint64(l.Late)), inspect.Percent(l.Late, d.Records))
	}
}
