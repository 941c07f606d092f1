package order

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// readItems reads the value of the items member.
func (d *Decoder) readItems() *Error {
	last, fault := d.readToken()
	if fault != nil {
		return fault
	}
	if last != '[' {
		return refuse(Malformed, nameItems, "is not an array")
	}
	for {
		last, fault = d.readToken()
		if fault != nil {
			return fault
		}
		switch {
		case last == ']' && len(d.items) == 0:
			return refuse(Malformed, nameItems, "is empty")
		case last == ']':
			return nil
		case last != '{':
			return refuse(Malformed, itemPath(len(d.items), ""), "is not an object")
		case len(d.items) == d.config.MaxItems:
			return refuse(TooLarge, nameItems, fmt.Sprintf("has more than %d items", d.config.MaxItems))
		}
		if fault = d.readItem(len(d.items)); fault != nil {
			return fault
		}
	}
}

// readItem reads the members of the item with the given index and keeps it.
func (d *Decoder) readItem(index int) *Error {
	var item Item
	for {
		name, fault := d.readName()
		if fault != nil {
			return fault
		}
		if name == nil {
			break
		}
		switch string(name) {
		case nameDrink:
			item.Drink, fault = d.readDrink(index)
		case nameQuantity:
			item.Quantity, fault = d.readQuantity(index)
		default:
			if _, err := d.json.ReadValue(); err != nil {
				fault = syntaxFault(err)
			}
		}
		if fault != nil {
			return fault
		}
	}
	// Neither can be empty or zero once it was read.
	if item.Drink == nil {
		return refuse(InvalidDrink, itemPath(index, nameDrink), "is missing")
	}
	if item.Quantity == 0 {
		return refuse(InvalidQuantity, itemPath(index, nameQuantity), "is missing")
	}
	d.items = append(d.items, item)
	return nil
}

// readDrink reads a drink name. The result is part of the value, or of the
// arena when it was escaped.
func (d *Decoder) readDrink(index int) ([]byte, *Error) {
	raw, err := d.json.ReadValue()
	if err != nil {
		return nil, d.drinkFault(err, index)
	}
	if raw[0] != '"' {
		return nil, d.kindFault(raw, InvalidDrink, itemPath(index, nameDrink), "is not a string")
	}
	end := d.position() - 1
	drink := d.value[end-len(raw)+2 : end : end]
	if bytes.IndexByte(raw, '\\') >= 0 {
		start := len(d.arena)
		d.arena = unquote(d.arena, raw)
		drink = d.arena[start:len(d.arena):len(d.arena)]
	}
	switch {
	case len(drink) == 0:
		return nil, refuse(InvalidDrink, itemPath(index, nameDrink), "is empty")
	case len(drink) > d.config.MaxDrink:
		return nil, refuse(InvalidDrink, itemPath(index, nameDrink),
			fmt.Sprintf("has %d bytes, over the limit of %d", len(drink), d.config.MaxDrink))
	}
	return drink, nil
}

// readQuantity reads a quantity: an integer literal within the limits.
func (d *Decoder) readQuantity(index int) (int64, *Error) {
	raw, err := d.json.ReadValue()
	if err != nil {
		if container := d.containerAhead(); container != "" {
			return 0, refuse(InvalidQuantity, itemPath(index, nameQuantity), container+" is not a whole number")
		}
		return 0, syntaxFault(err)
	}
	quantity, ok := parseInteger(raw)
	if ok && quantity >= 1 && quantity <= d.config.MaxQuantity {
		return quantity, nil
	}
	detail := "is not a whole number"
	if isInteger(raw) {
		detail = fmt.Sprintf("is not between 1 and %d", d.config.MaxQuantity)
	}
	return 0, d.kindFault(raw, InvalidQuantity, itemPath(index, nameQuantity), detail)
}

// drinkFault tells a drink that is not UTF-8 or not a string from a syntax
// error. The library reports all of them alike.
func (d *Decoder) drinkFault(err error, index int) *Error {
	if container := d.containerAhead(); container != "" {
		return refuse(InvalidDrink, itemPath(index, nameDrink), container+" is not a string")
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) && syntax.Err != io.ErrUnexpectedEOF && d.stringAhead() &&
		isBadText(d.value[syntax.ByteOffset:]) {
		return refuse(InvalidDrink, itemPath(index, nameDrink),
			fmt.Sprintf("is not valid UTF-8 at byte %d", syntax.ByteOffset))
	}
	return syntaxFault(err)
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
