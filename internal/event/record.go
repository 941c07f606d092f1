package event

import "fmt"

// Record is what of a record an event is read from. Its slices stay the caller's.
type Record struct {
	Key       []byte
	Value     []byte // nil is a tombstone
	Headers   []Header
	Timestamp int64 // ms since 1970-01-01 UTC; negative is none
}

// Header is a header of a record.
type Header struct {
	Key   string
	Value []byte
}

// header returns the first header of the given name.
func (r *Record) header(name string) ([]byte, bool) {
	for i := range r.Headers {
		if r.Headers[i].Key == name {
			return r.Headers[i].Value, true
		}
	}
	return nil, false
}

// Reader decodes records of one format.
type Reader interface {
	// DecodeRecord returns either an event, which is valid until the next record, or
	// why there is none.
	DecodeRecord(*Record) (*Event, *Error)
	// Release forgets the last record and its event. Otherwise the reader keeps them in
	// memory until the next one, with all that was read from the network along with them.
	Release()
}

// CheckSize refuses a value that is not even looked at: none, or one that is too large.
func (m *Mapping) CheckSize(value []byte) *Error {
	if value == nil {
		return refuse(NullValue, "", "the record has no value")
	}
	if len(value) > m.scope.record {
		return refuse(TooLarge, "",
			fmt.Sprintf("the value has %d bytes, over the limit of %d", len(value), m.scope.record))
	}
	return nil
}
