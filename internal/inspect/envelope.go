package inspect

import (
	"strings"

	"windowed/internal/event"
)

// binaryHeader is the header of CloudEvents whose value is the document.
const binaryHeader = "ce_specversion"

// envelope is what the documents of a sample are wrapped in, by the members that nearly
// all of them have.
func (s *Sample) envelope() event.Envelope {
	p := s.Profile
	switch {
	case p.isChange("") || p.isChange("payload."):
		return event.Debezium
	case p.most("specversion", Text) && p.most("data", Object) || s.binaryEvents():
		return event.CloudEvents
	case p.most("schema", Object) && p.most("payload", Object) && p.members() == 2:
		return event.Connect
	}
	return event.NoEnvelope
}

// most says whether nearly all records have a value of the kind at the path.
func (p *Profile) most(path string, kind Kind) bool {
	f := p.byPath[path]
	return f != nil && float64(f.Kinds[kind]) >= enough*float64(p.Records)
}

// isChange says whether the documents are change events, below a path.
func (p *Profile) isChange(around string) bool {
	if !p.most(around+"op", Text) || p.byPath[around+"after"] == nil || p.byPath[around+"before"] == nil {
		return false
	}
	for op := range p.byPath[around+"op"].distinct {
		if len(op) != 1 || !strings.Contains("crudt", op) {
			return false
		}
	}
	return true
}

// members is how many members the documents have.
func (p *Profile) members() int {
	n := 0
	for _, f := range p.Fields {
		if len(f.steps) == 1 {
			n++
		}
	}
	return n
}

func (s *Sample) binaryEvents() bool {
	n := 0
	for i := range s.Records {
		for _, h := range s.Records[i].Headers {
			if h.Key == binaryHeader {
				n++
				break
			}
		}
	}
	return n > 0 && float64(n) >= enough*float64(len(s.Records))
}

// inside is the profile of what the envelope wraps, whose paths begin there.
func (s *Sample) inside(e event.Envelope) *Profile {
	switch p := s.Profile; e {
	case event.Connect:
		return p.below("payload")
	case event.Debezium:
		if p.byPath["payload.after"] != nil {
			return p.below("payload", "after")
		}
		return p.below("after")
	case event.CloudEvents:
		if !s.binaryEvents() {
			return p.below("data")
		}
	}
	return s.Profile
}

// below is the profile of the objects that are the members of these names.
func (p *Profile) below(names ...string) *Profile {
	inner := NewProfile()
	for _, f := range p.Fields {
		if len(f.steps) < len(names) {
			continue
		}
		same := true
		for i, name := range names {
			same = same && f.steps[i].IsMember() && f.steps[i].Name == name
		}
		if !same {
			continue
		}
		part := *f
		part.steps = f.steps[len(names):]
		part.Path = part.steps.String()
		if part.Path == "" {
			inner.Records = part.Kinds[Object]
		}
		inner.Fields = append(inner.Fields, &part)
		inner.byPath[part.Path] = &part
	}
	return inner
}
