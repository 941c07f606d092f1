package main

import (
	"strings"

	"windowed/internal/api"
	"windowed/internal/event"
	"windowed/internal/exit"
)

// mappingFlags say where in a record the time and the items are.
type mappingFlags struct {
	TimeField  string `help:"Path to the event time; empty: the record's timestamp." default:"ts" placeholder:"PATH"`
	TimeUnit   string `help:"Unit of times that are numbers: ms, s, us, ns." enum:"ms,s,us,ns" default:"ms"`
	TimeLayout string `help:"How times are written: rfc3339 (the default for orders), iso (also with a space, without zone, with -0700, numbers in quotes or with decimals; the default with --name), or a layout of Go such as '2006/01/02 15:04'." placeholder:"LAYOUT"`
	TimeZone   string `help:"Zone of times without one, such as America/New_York; UTC if not given. An hour that came twice is taken for the first; one that was skipped is moved forward." placeholder:"ZONE"`

	Items         *string  `help:"Path to the array of items: order.lines, or baskets[].lines through arrays. Empty: the record is one item. Default: items; with --name the record." placeholder:"PATH"`
	Name          []string `help:"Path in an item to its name (drink); several are joined. '.' is the item itself, 'key' the record's key, 'header:x' its header x, '.key' a member called key." placeholder:"PATH"`
	NameSeparator string   `help:"What joins the parts of a name." default:" "`
	Quantity      string   `help:"Path in an item to its quantity; 1: one of each. Default: quantity; with --name 1." placeholder:"PATH"`
	Split         string   `help:"The name is a list with this between the names: one item each." placeholder:"SEPARATOR"`
	Noun          string   `help:"What is counted, for tables and the page: page, or city,cities. Default: drink." default:"drink"`
	Envelope      string   `help:"What the document is wrapped in: none, connect (payload), cloudevents (data, time), debezium (after; only op c and r count)." enum:"none,connect,cloudevents,debezium" default:"none"`
}

// config is the mapping as the decoder takes it.
func (f *mappingFlags) config() (event.Config, error) {
	unit, err := event.ParseUnit(f.TimeUnit)
	if err != nil {
		return event.Config{}, exit.Errorf(exit.Usage, "--time-unit: %w", err)
	}
	envelope, err := event.ParseEnvelope(f.Envelope)
	if err != nil {
		return event.Config{}, exit.Errorf(exit.Usage, "--envelope: %w", err)
	}
	c := event.Config{
		TimeField: f.TimeField, TimeUnit: unit, TimeLayout: f.TimeLayout, TimeZone: f.TimeZone,
		Names: f.Name, NameSeparator: f.NameSeparator, Quantity: f.Quantity, Split: f.Split, Envelope: envelope,
	}
	if f.Items != nil {
		c.Items = *f.Items
		if c.Items == "" && len(c.Names) == 0 {
			return c, exit.Errorf(exit.Usage, "--items is empty, so the record is one item: say with --name where its name is")
		}
	}
	c = c.WithDefaults()
	if _, err := event.NewDecoder(c); err != nil {
		return c, exit.Errorf(exit.Usage, "the mapping of records: %w", trimmed{err, "event: "})
	}
	return c, nil
}

// words are what the things counted are called.
func (f *mappingFlags) words() (*api.Words, error) {
	w, err := api.NewWords(f.Noun)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "--noun: %w", err)
	}
	return w, nil
}

// trimmed is an error without its package's name, which says nothing to a user.
type trimmed struct {
	error
	prefix string
}

func (t trimmed) Error() string { return strings.TrimPrefix(t.error.Error(), t.prefix) }
func (t trimmed) Unwrap() error { return t.error }
