// Package order decodes the value of one order record.
//
// An order is a JSON object:
//
//	{"order_id":1,"shop_id":7,"ts":"2026-03-01T10:15:50.52Z",
//	 "items":[{"drink":"latte","quantity":2}]}
//
// The decoder is strict (RFC 8259, exact and unique names, valid UTF-8, nothing
// after the value) and takes an order as a whole or not at all. A refused order
// comes back as an [Error], whose [Reason] is decided by the first fault in
// document order; only the order's time is judged after everything else.
//
// Orders of one producer differ in their values and in nothing else. So the
// decoder learns the shape of an order that it has read the strict way, and
// reads the next of that shape by comparing all between the values in place.
// Whatever differs from it is read the strict way again: the shapes make it
// faster and change no result.
package event

// Item is one line of an order.
type Item struct {
	// Name is the drink's name after unescaping: valid UTF-8, never empty,
	// any characters including NUL and ':'. The bytes belong to the Decoder or
	// to the record value it was given: they are valid until the next Decode,
	// and only while that value is left unchanged. They must not be written to.
	Name []byte
	// Quantity is how many of the drink were ordered, 1 to Config.MaxQuantity.
	Quantity int64
}

// Event is one accepted order. It is valid until the next Decode.
type Event struct {
	// Time is when the order was placed, in milliseconds since 1970-01-01 UTC,
	// within the years 0001 to 9999.
	Time int64
	// Local says how a time without a zone was read.
	Local Local
	// Items are the order's lines, in document order, at least one. The same
	// drink may occur more than once.
	Items []Item
}
