package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"windowed/internal/event"
)

// params reads the parameters of a request and collects what is wrong with them, so that
// an answer names every mistake at once.
type params struct {
	values url.Values
	faults []Fault
}

// Fault is one wrong parameter.
type Fault struct {
	Parameter string `json:"parameter"`
	Detail    string `json:"detail"`
}

// newParams takes the query of a request. A parameter that is not allowed is a fault: a
// typing error must not be ignored.
func newParams(query string, allowed []string) *params {
	values, err := url.ParseQuery(query)
	p := &params{values: values}
	if err != nil {
		p.wrong("", "the query cannot be read: %v", err)
	}
	for name, given := range values {
		switch {
		case !slices.Contains(allowed, name):
			p.wrong(name, "parameter %q is unknown; there are %s", name, listed(allowed))
		case len(given) > 1:
			p.wrong(name, "parameter %q is given %d times", name, len(given))
		}
	}
	return p
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (p *params) wrong(name, format string, args ...any) {
	p.faults = append(p.faults, Fault{Parameter: strings.ToValidUTF8(name, "�"), Detail: fmt.Sprintf(format, args...)})
}

func (p *params) has(name string) bool    { return p.values.Has(name) }
func (p *params) text(name string) string { return p.values.Get(name) }

func (p *params) integer(name string, otherwise, low, high int) int {
	if !p.has(name) {
		return otherwise
	}
	n, err := strconv.Atoi(p.text(name))
	if err != nil || n < low || n > high {
		p.wrong(name, "%s is %q, not a number from %d to %d", name, p.text(name), low, high)
	}
	return n
}

func (p *params) choice(name, otherwise string, choices ...string) string {
	if !p.has(name) {
		return otherwise
	}
	if !slices.Contains(choices, p.text(name)) {
		p.wrong(name, "%s is %q; it is one of %s", name, p.text(name), listed(choices))
	}
	return p.text(name)
}

// instant reads a time; form says what it may be.
func (p *params) instant(name, form string) (ms int64, ok bool) {
	return readInstant(p.text(name), name, form, p)
}

func readInstant(text, name, form string, p *params) (ms int64, ok bool) {
	t, err := time.Parse(time.RFC3339, text)
	switch {
	case err != nil:
		p.wrong(name, "%s is %q; %s", name, text, form)
		return 0, false
	case t.Nanosecond()%int(time.Millisecond) != 0:
		p.wrong(name, "%s is %q; times go down to milliseconds", name, text)
		return 0, false
	}
	return t.UnixMilli(), true
}

// problem is all that is wrong; nil if nothing is.
func (p *params) problem() error {
	if len(p.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(p.faults, func(a, b Fault) int { return strings.Compare(a.Parameter, b.Parameter) })
	details := make([]string, len(p.faults))
	for i, f := range p.faults {
		details[i] = f.Detail
	}
	all := problem(http.StatusBadRequest, "invalid-parameter", "%s", strings.Join(details, "; "))
	all.Errors = p.faults
	return all
}

// validDrink says whether a name can be that of a drink.
func validDrink(name string) bool {
	return name != "" && len(name) <= event.DefaultMaxName && utf8.ValidString(name)
}
