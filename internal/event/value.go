package event

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// readTarget reads a value that means something. An item that ends before it was asked
// for all it needs is incomplete, not this value.
func (d *Decoder) readTarget(n *node) *Error {
	raw, err := d.json.ReadValue()
	if err != nil {
		return d.targetFault(err, n)
	}
	if n.target&toName != 0 {
		for _, part := range n.parts {
			if fault := d.takeName(raw, part); fault != nil {
				return fault
			}
		}
	}
	if n.target&toQuantity != 0 {
		if fault := d.takeQuantity(raw); fault != nil {
			return fault
		}
	}
	if n.target&toTime != 0 {
		d.takeTime(&d.time, &d.m.times, raw)
	}
	if n.target&toSpareTime != 0 {
		d.takeTime(&d.spare, &envelopeTimes, raw)
	}
	if n.target&toOperation != 0 {
		return d.takeOperation(raw)
	}
	return nil
}

// targetFault tells a value that is not UTF-8, or opens a container, from a syntax error.
// The library reports all of them alike.
func (d *Decoder) targetFault(err error, n *node) *Error {
	container := d.containerAhead(n.element)
	switch {
	case n.target&toName != 0:
		path := d.namePath(n.parts[0])
		if container != "" {
			return refuse(InvalidName, path, container+d.notName())
		}
		var syntax *jsontext.SyntacticError
		if errors.As(err, &syntax) && syntax.Err != io.ErrUnexpectedEOF && d.stringAhead(n.element) &&
			isBadText(d.value[syntax.ByteOffset:]) {
			return refuse(InvalidName, path, fmt.Sprintf("is not valid UTF-8 at byte %d", syntax.ByteOffset))
		}
	case n.target&toQuantity != 0 && container != "":
		return refuse(InvalidQuantity, d.quantityPath(), container+" is not a whole number")
	}
	return syntaxFault(err)
}

func (d *Decoder) notName() string {
	if d.m.Plain {
		return " is not a string"
	}
	return " is not a string, a number or a boolean"
}

// takeName takes a part of a name. It is part of the value, or of the arena when it was
// escaped.
func (d *Decoder) takeName(raw []byte, part int) *Error {
	end := d.position()
	start := end - len(raw)
	switch {
	case raw[0] == '"':
		start, end = start+1, end-1
	case raw[0] == 'n' && !d.m.Plain:
		return nil // as if it were missing
	case d.m.Plain || raw[0] == '{' || raw[0] == '[':
		return d.kindFault(raw, InvalidName, d.namePath(part), d.notName()[1:])
	}
	text := d.value[start:end:end]
	if bytes.IndexByte(text, '\\') >= 0 {
		at := len(d.arena)
		d.arena = unquote(d.arena, raw)
		text = d.arena[at:len(d.arena):len(d.arena)]
	}
	return d.Name(part, text)
}

// takeQuantity takes a quantity: an integer literal within the limits.
func (d *Decoder) takeQuantity(raw []byte) *Error {
	quantity, ok := parseInteger(raw)
	if ok && quantity >= 1 && quantity <= d.m.scope.quantity {
		d.quantity = quantity
		return nil
	}
	detail := "is not a whole number"
	if isInteger(raw) {
		detail = fmt.Sprintf("is not between 1 and %d", d.m.scope.quantity)
	}
	return d.kindFault(raw, InvalidQuantity, d.quantityPath(), detail)
}

// takeTime takes a time, which is judged after the whole document.
func (d *Decoder) takeTime(c *clock, form *timeForm, raw []byte) {
	switch {
	case raw[0] == 'n':
		*c = clock{}
	case raw[0] == '"':
		text := raw[1 : len(raw)-1]
		if bytes.IndexByte(raw, '\\') >= 0 {
			d.scratch = unquote(d.scratch[:0], raw)
			text = d.scratch
		}
		c.text(form, text)
	case raw[0] == '-' || isDigit(raw[0]):
		c.number(form, raw)
	default:
		*c = clock{found: true, fault: "is neither a string nor a number"}
	}
}

// takeOperation takes the kind of a change: only what is new can be counted.
func (d *Decoder) takeOperation(raw []byte) *Error {
	if d.operation {
		return refuse(Malformed, "op", "is there twice: alone and in payload")
	}
	d.operation = true
	switch string(raw) {
	case `"c"`, `"r"`:
		return nil
	case `"u"`, `"d"`, `"t"`:
		return refuse(Update, "op", string(raw)+" changes or removes what was there, and counts only grow")
	}
	return refuse(Malformed, "op", excerpt(raw)+" is not the kind of a change")
}

// kindFault refuses the value just read, raw, unless it is not JSON to its end:
// the library reads 01 as 0 and complains about the 1 only when asked to go on,
// but that is a syntax error and no quantity.
func (d *Decoder) kindFault(raw []byte, reason Reason, path, detail string) *Error {
	switch raw[0] {
	case '{':
		return refuse(reason, path, "an object "+detail)
	case '[':
		return refuse(reason, path, "an array "+detail)
	case '"':
	default:
		if at := d.position(); at < len(d.value) && !endsLiteral(d.value[at]) {
			if _, err := d.json.ReadToken(); err != nil {
				return syntaxFault(err)
			}
		}
	}
	return refuse(reason, path, excerpt(raw)+" "+detail)
}
