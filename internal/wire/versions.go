package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/sr"

	"windowed/internal/event"
)

// Version is a version of a subject.
type Version struct {
	Subject string
	Version int
	ID      uint32
	Format  Format
	// Problem is why records of it cannot be counted; "": they can, or nobody knows.
	Problem string
	Note    string // what should be known of it; "": nothing
}

// Of are the versions that a schema is registered as: none if the registry does not tell.
func (s *Schemas) Of(ctx context.Context, id uint32) []Version {
	found, err := s.client.SchemaVersionsByID(ctx, int(id))
	if err != nil {
		return nil
	}
	all := make([]Version, len(found))
	for i, v := range found {
		all[i] = Version{Subject: v.Subject, Version: v.Version, ID: id}
	}
	slices.SortFunc(all, func(a, b Version) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), a.Version-b.Version)
	})
	return all
}

// ErrNoSubject says that the registry answers, and has no such subject.
var ErrNoSubject = errors.New("there is no subject")

// Try says of every version of a subject, the oldest first, whether records of it can be
// counted: it decodes an example, whose texts are all text. It fails if the registry does
// not tell.
func (o *Options) Try(ctx context.Context, subject, text string) ([]Version, error) {
	found, err := o.Schemas.client.Schemas(ctx, subject)
	if isMissing(err) {
		return nil, fmt.Errorf("%w %q at %s", ErrNoSubject, subject, strings.Join(o.Schemas.config.URLs, ", "))
	}
	if err != nil {
		return nil, explained(err)
	}
	slices.SortFunc(found, func(a, b sr.SubjectSchema) int { return a.Version - b.Version })
	all := make([]Version, len(found))
	for i := range found {
		v := &all[i]
		*v = Version{Subject: subject, Version: found[i].Version, ID: uint32(found[i].ID), Format: formatOf(found[i].Type)}
		s, err := o.Schemas.load(ctx, v.ID)
		var useless *uselessError
		switch {
		case err != nil && !errors.As(err, &useless) && !isMissing(err):
			return nil, explained(err)
		case err != nil:
			v.Problem = err.Error()
			continue
		}
		if err := o.try(v, s, text); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// try decodes an example of a version.
func (o *Options) try(v *Version, s *schema, text string) error {
	d, err := o.NewDecoder()
	if err != nil {
		return err
	}
	names, payloads := []string{""}, [][]byte{nil}
	switch s.format {
	case Avro:
		payloads[0], err = s.avro.Example(text)
	case Protobuf:
		names, payloads, err = s.protobuf.Examples(text)
	default:
		v.Note = "a JSON Schema does not tell what records have"
		return nil
	}
	if err != nil {
		v.Note = "there is no example of it: " + err.Error()
		return nil
	}
	read, fault := s.reader(d)
	if fault != nil {
		v.Problem = fault.Error()
		return nil
	}
	for i, payload := range payloads {
		problem, note := o.attempt(read, payload)
		if len(payloads) > 1 {
			note = strings.TrimSuffix(fmt.Sprintf("as message %s; %s", names[i], note), "; ")
		}
		if problem == "" {
			v.Problem, v.Note = "", note
			return nil
		}
		if v.Problem == "" {
			v.Problem = problem
		}
	}
	return nil
}

// attempt decodes an example with all that a record can have beside its value, but for the
// timestamp.
func (o *Options) attempt(read reader, payload []byte) (problem, note string) {
	r := &event.Record{Key: []byte("key"), Value: payload, Timestamp: -1}
	for i := range o.Mapping.Names {
		if n := &o.Mapping.Names[i]; n.From == event.FromHeader {
			r.Headers = append(r.Headers, event.Header{Key: n.Header, Value: []byte("header")})
		}
	}
	_, fault := read.Decode(r, payload)
	switch {
	case fault == nil:
		return "", ""
	case fault.Reason == event.NoTimestamp && o.Mapping.Time != nil:
		return "", fmt.Sprintf("it has no %s: the time is the record's timestamp", o.Mapping.Time)
	case fault.Reason == event.NoTimestamp:
		return "", ""
	}
	return fault.Error(), ""
}
