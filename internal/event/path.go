package event

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Path leads from a document or an item to a value in it: member names, the place of an
// element such as [2], and [], which is every element of an array. The empty path is the
// document or item itself.
//
// Its text has a point between the steps: order.lines[].product or tags[0]. One may stand
// before the first too, and a point alone is the empty path. A name with characters that
// mean something is quoted as in Go: "a.b".c.
type Path []Step

// Step is one step of a Path.
type Step struct {
	Name  string // of a member; "" for an element
	Index int    // of an element, if it is not negative
	kind  stepKind
}

type stepKind uint8

const (
	memberStep stepKind = iota
	indexStep
	everyStep
)

// maxIndex is the largest place of an element that a path can name.
const maxIndex = 9999

// IsMember says whether the step is to the member Name of an object.
func (s *Step) IsMember() bool { return s.kind == memberStep }

// IsEvery says whether the step is to every element of an array.
func (s *Step) IsEvery() bool { return s.kind == everyStep }

// ParsePath reads the text of a path.
func ParsePath(text string) (Path, error) {
	rest := strings.TrimPrefix(text, ".")
	var path Path
	for first := true; rest != ""; first = false {
		var step Step
		var err error
		if strings.HasPrefix(rest, "[") {
			step, rest, err = parseElement(rest)
		} else {
			if !first {
				var ok bool
				if rest, ok = strings.CutPrefix(rest, "."); !ok {
					return nil, fmt.Errorf("event: path %q: a point is missing before %q", text, rest)
				}
			}
			step, rest, err = parseMember(rest)
		}
		if err != nil {
			return nil, fmt.Errorf("event: path %q: %w", text, err)
		}
		path = append(path, step)
	}
	return path, nil
}

func parseElement(text string) (Step, string, error) {
	inside, rest, ok := strings.Cut(text[1:], "]")
	if !ok {
		return Step{}, "", fmt.Errorf("%q has no closing bracket", text)
	}
	if inside == "" {
		return Step{kind: everyStep, Index: -1}, rest, nil
	}
	index, err := strconv.Atoi(inside)
	if err != nil || index < 0 || index > maxIndex {
		return Step{}, "", fmt.Errorf("[%s] is no place from 0 to %d", inside, maxIndex)
	}
	return Step{kind: indexStep, Index: index}, rest, nil
}

func parseMember(text string) (Step, string, error) {
	name, rest := text, ""
	if strings.HasPrefix(text, `"`) {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return Step{}, "", fmt.Errorf("%s has no closing quote", text)
		}
		rest = text[len(quoted):]
		if name, err = strconv.Unquote(quoted); err != nil {
			return Step{}, "", fmt.Errorf("%s is not quoted as in Go", quoted)
		}
	} else if end := strings.IndexAny(text, ".["); end >= 0 {
		name, rest = text[:end], text[end:]
		if name == "" {
			return Step{}, "", fmt.Errorf("there is no name before %q", rest)
		}
	}
	if !utf8.ValidString(name) {
		return Step{}, "", fmt.Errorf("%q is not valid UTF-8", name)
	}
	if rest == "." {
		return Step{}, "", fmt.Errorf("it ends in a point")
	}
	return Step{Name: name, Index: -1}, rest, nil
}

// String is the text of the path, which ParsePath reads.
func (p Path) String() string {
	var text []byte
	for i := range p {
		text = p[i].append(text, len(text) > 0)
	}
	return string(text)
}

// append adds the step's text, after a point if it is a name and not the first.
func (s *Step) append(text []byte, point bool) []byte {
	switch s.kind {
	case everyStep:
		return append(text, "[]"...)
	case indexStep:
		return append(strconv.AppendInt(append(text, '['), int64(s.Index), 10), ']')
	}
	if point {
		text = append(text, '.')
	}
	if s.Name == "" || strings.ContainsAny(s.Name, `.[]" `) || s.Name != strings.ToValidUTF8(s.Name, "") {
		return strconv.AppendQuote(text, s.Name)
	}
	return append(text, s.Name...)
}

// every counts the steps to every element.
func (p Path) every() int {
	n := 0
	for i := range p {
		if p[i].IsEvery() {
			n++
		}
	}
	return n
}

// Member is the step to the member of the given name.
func Member(name string) Step { return Step{Name: name, Index: -1} }

// Every is the step to every element of an array.
func Every() Step { return Step{kind: everyStep, Index: -1} }
