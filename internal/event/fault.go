package event

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Error says why and where a record was refused. It keeps no part of the record
// value, so it stays valid as long as needed.
//
// Decode returns it by its own type: compare with nil before storing it in a
// variable of type error.
type Error struct {
	// Reason is the verdict.
	Reason Reason
	// Path is the member at fault, such as items[2].quantity; empty when the
	// fault is in the record as a whole. A very long path is cut.
	Path string
	// Detail says what is wrong with it, in a few words.
	Detail string
}

// Error returns the path and the detail, such as
// "items[2].quantity: 2.5 is not a whole number".
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Detail
	}
	return e.Path + ": " + e.Detail
}

func refuse(reason Reason, path, detail string) *Error {
	return &Error{Reason: reason, Path: path, Detail: detail}
}

// syntaxFault makes the library's error one of ours. Everything the library
// itself refuses is malformed, save for what targetFault has picked out before.
func syntaxFault(err error) *Error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		// Only io.EOF comes unwrapped: there was nothing but white space.
		return refuse(Malformed, "", "the value is blank")
	}
	detail := fmt.Sprintf("%v at byte %d", syntax.Err, syntax.ByteOffset)
	return refuse(Malformed, pointerPath(syntax.JSONPointer), detail)
}

// Lengths at which text taken from a record is cut: an error becomes a header
// and a log line, and must not carry a megabyte.
const (
	maxPath    = 120
	maxExcerpt = 40
)

// pointerPath writes a JSON pointer the way people write paths. A number is
// shown as an index, even where it is in truth a name: the pointer cannot tell.
func pointerPath(pointer jsontext.Pointer) string {
	var path []byte
	for token := range pointer.Tokens() {
		switch {
		case isIndex(token):
			path = append(append(append(path, '['), token...), ']')
		case len(path) == 0:
			path = append(path, nameText(token)...)
		default:
			path = append(append(path, '.'), nameText(token)...)
		}
		if len(path) > maxPath {
			return string(path) + "..."
		}
	}
	return string(path)
}

// nameText returns a member name as it appears in a path: as it is when plain,
// otherwise quoted.
func nameText(name string) string {
	name = excerpt(name)
	for i := range len(name) {
		c := name[i] | 0x20
		if (c < 'a' || c > 'z') && !isDigit(name[i]) && name[i] != '_' && name[i] != '-' && name[i] != '.' {
			return strconv.Quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

func isIndex(token string) bool {
	for i := range len(token) {
		if !isDigit(token[i]) {
			return false
		}
	}
	return token != "" && len(token) <= len("1000000")
}

// excerpt cuts text that came from a record to a length fit for an error.
func excerpt[T string | []byte](text T) string {
	if len(text) <= maxExcerpt {
		return string(text)
	}
	end := maxExcerpt
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return string(text[:end]) + "..."
}
