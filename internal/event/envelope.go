package event

import "fmt"

// Envelope is what a record's value is wrapped in. The zero value is NoEnvelope.
type Envelope uint8

// The envelopes that are known.
const (
	// NoEnvelope: the value is the document.
	NoEnvelope Envelope = iota
	// Connect is Kafka Connect's JSON with its schema: the document is the member
	// payload.
	Connect
	// CloudEvents is CloudEvents 1.0, in binary form (attributes are headers) or as a
	// JSON object whose member data is the document. Its time is that of a document
	// without one.
	CloudEvents
	// Debezium is a change event: the document is the member after, if op is c or r,
	// which may be in a member payload. Other changes are refused as Update.
	Debezium

	numEnvelopes
)

var envelopeTexts = [numEnvelopes]string{NoEnvelope: "none", Connect: "connect", CloudEvents: "cloudevents", Debezium: "debezium"}

// String is the envelope's name.
func (e Envelope) String() string {
	if e >= numEnvelopes {
		return "unknown"
	}
	return envelopeTexts[e]
}

// ParseEnvelope returns the envelope of the given name: none, connect, cloudevents or
// debezium.
func ParseEnvelope(text string) (Envelope, error) {
	for e, t := range envelopeTexts {
		if t == text {
			return Envelope(e), nil
		}
	}
	return NoEnvelope, fmt.Errorf("event: %q is no envelope (want none, connect, cloudevents or debezium)", text)
}

// Headers of a CloudEvent in binary form.
const (
	specVersionHeader = "ce_specversion"
	timeHeader        = "ce_time"
)
