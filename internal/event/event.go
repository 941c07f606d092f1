// Package event finds in a record what is counted: an [Event], which has a time and items
// with a name and a quantity each.
//
// Where a record has them is said by a [Config], mostly by paths; a [Mapping] is what it
// comes to. Without a word it is that of an order:
//
//	{"order_id":1,"shop_id":7,"ts":"2026-03-01T10:15:50.52Z",
//	 "items":[{"drink":"latte","quantity":2}]}
//
// A [Decoder] reads JSON, a [RowDecoder] rows of separated values. Readers of formats that
// have a schema walk it beside the mapping's spots ([Spot]) and give what they find there
// to a [Builder].
//
// The JSON decoder is strict (RFC 8259, exact and unique names, valid UTF-8, nothing
// after the value) and takes a record as a whole or not at all. A refused one
// comes back as an [Error], whose [Reason] is decided by the first fault in
// document order; only the time is judged after everything else.
//
// Records of one producer differ in their values and in nothing else. So the
// decoder learns the shape of a record that it has read the strict way, and
// reads the next of that shape by comparing all between the values in place.
// Whatever differs from it is read the strict way again: the shapes make it
// faster and change no result.
package event

// Item is one thing that an event counts.
type Item struct {
	// Name is its name after unescaping: valid UTF-8, never empty,
	// any characters including NUL and ':'. The bytes belong to the decoder or
	// to the record it was given: they are valid until the next record,
	// and only while that one is left unchanged. They must not be written to.
	Name []byte
	// Quantity is how many of it there were, 1 to Config.MaxQuantity.
	Quantity int64
}

// Event is what one accepted record says. It is valid until the decoder's next record.
type Event struct {
	// Time is when it happened, in milliseconds since 1970-01-01 UTC,
	// within the years 0001 to 9999.
	Time int64
	// Local says how a time without a zone was read.
	Local Local
	// Items are in document order, at least one. The same name may occur more than
	// once.
	Items []Item
}
