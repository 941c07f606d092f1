package event

// Reason says why a record was refused. Its text is the `reason` header of the
// dead letter. The numbers are part of a stored format: append, never renumber.
type Reason uint8

const (
	// None means the record was not refused.
	None Reason = iota
	// Malformed is a value that has not the form of an event at all, or whose
	// time cannot be read.
	Malformed
	// NoTimestamp is an event whose only time is an unset (negative) record
	// timestamp.
	NoTimestamp
	// Future is an event dated too far ahead. It is not decided here.
	Future
	// InvalidQuantity is an item without a whole quantity within the limits.
	InvalidQuantity
	// InvalidName is an item without a usable name. Its text is from when
	// every item was a drink, and stays: it is on the wire.
	InvalidName
	// TooLarge is a value with too many bytes or too many items.
	TooLarge
	// Late is an event for a window that was closed. It is not decided here.
	Late
	// NullValue is a record without a value (a tombstone).
	NullValue
	// Update is a change event that is not about something new.
	Update

	// NumReasons is the number of reasons, None included.
	NumReasons = iota
)

var reasonTexts = [NumReasons]string{
	None:            "none",
	Malformed:       "malformed",
	NoTimestamp:     "no_timestamp",
	Future:          "future",
	InvalidQuantity: "invalid_quantity",
	InvalidName:     "invalid_drink",
	TooLarge:        "too_large",
	Late:            "late",
	NullValue:       "null_value",
	Update:          "update",
}

// String returns the reason's public text, such as "invalid_quantity", and
// "unknown" for a number that is no reason.
func (r Reason) String() string {
	if int(r) >= len(reasonTexts) {
		return "unknown"
	}
	return reasonTexts[r]
}

// ParseReason returns the reason with the given text. It does not know "none":
// that is never written anywhere.
func ParseReason(text string) (Reason, bool) {
	for r := Malformed; r < NumReasons; r++ {
		if reasonTexts[r] == text {
			return r, true
		}
	}
	return None, false
}
