package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Every value of a control record begins with the version that wrote it and the lowest
// version that may read it. A reader that is too old refuses and writes nothing.
const (
	formatVersion    uint16 = 1
	minReaderVersion uint16 = 1
)

var (
	// ErrFormat is wrapped by errors on changelog records this version cannot read.
	ErrFormat = errors.New("unknown changelog format")
	// ErrCorrupt is wrapped by errors that mean the local store is damaged; the counts
	// are still in the changelog.
	ErrCorrupt = errors.New("local state is corrupt")
	// ErrOverflow is wrapped when a count would exceed the largest 64-bit integer.
	ErrOverflow = errors.New("count overflow")

	// errNewer is an ErrFormat that an upgrade heals.
	errNewer = fmt.Errorf("%w of a newer program, upgrade this one", ErrFormat)
)

// maxCount keeps every count a JSON integer that signed 64-bit readers can hold.
const maxCount = math.MaxInt64

func appendHeader(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint16(dst, formatVersion)
	return binary.BigEndian.AppendUint16(dst, minReaderVersion)
}

// reader reads the fixed fields of a value in order; the first fault sticks.
type reader struct {
	b       []byte
	version uint16
	err     error
}

func newReader(what string, b []byte) *reader {
	r := &reader{b: b}
	version, lowest := r.u16(), r.u16()
	switch {
	case r.err != nil:
	case lowest > formatVersion:
		r.err = fmt.Errorf("%w: %s has version %d and needs a reader of version %d or newer; this program reads up to %d",
			errNewer, what, version, lowest, formatVersion)
	case lowest == 0 || version < lowest:
		r.err = fmt.Errorf("%w: %s has version %d for readers of version %d", ErrFormat, what, version, lowest)
	}
	r.version = version
	return r
}

// end is the first fault, or that bytes are left over. Behind the fields of a newer
// version there may be more: fields are only ever added.
func (r *reader) end() error {
	if r.err == nil && r.version <= formatVersion && len(r.b) > 0 {
		r.err = fmt.Errorf("%w: value is %d bytes too long", ErrFormat, len(r.b))
	}
	return r.err
}

func (r *reader) take(n int) []byte {
	if r.err != nil {
		return make([]byte, n)
	}
	if len(r.b) < n {
		r.err = fmt.Errorf("%w: value is %d bytes too short", ErrFormat, n-len(r.b))
		return make([]byte, n)
	}
	head := r.b[:n]
	r.b = r.b[n:]
	return head
}

func (r *reader) u8() uint8   { return r.take(1)[0] }
func (r *reader) u16() uint16 { return binary.BigEndian.Uint16(r.take(2)) }
func (r *reader) u32() uint32 { return binary.BigEndian.Uint32(r.take(4)) }
func (r *reader) u64() uint64 { return binary.BigEndian.Uint64(r.take(8)) }
func (r *reader) i64() int64  { return int64(r.u64()) }
func (r *reader) bool() bool  { return r.upTo(1, uint64(r.u8())) == 1 }

// upTo is v, which may not exceed highest.
func (r *reader) upTo(highest, v uint64) uint64 {
	if r.err == nil && v > highest {
		r.err = fmt.Errorf("%w: %d where at most %d may be", ErrFormat, v, highest)
	}
	return v
}

func (r *reader) text() string {
	n := int(r.u16())
	if r.err == nil && n > len(r.b) {
		r.err = fmt.Errorf("%w: text of %d bytes in %d", ErrFormat, n, len(r.b))
		return ""
	}
	return string(r.take(n))
}

func appendText(dst []byte, s string) []byte {
	s = s[:min(len(s), math.MaxUint16)]
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(s)))
	return append(dst, s...)
}

func appendU64(dst []byte, v uint64) []byte { return binary.BigEndian.AppendUint64(dst, v) }
func appendI64(dst []byte, v int64) []byte  { return binary.BigEndian.AppendUint64(dst, uint64(v)) }

func appendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// sortable maps a time to an integer whose big-endian bytes sort as the times do.
func sortable(ms int64) uint64                   { return uint64(ms) ^ 1<<63 }
func unsortable(u uint64) int64                  { return int64(u ^ 1<<63) }
func appendStart(dst []byte, start int64) []byte { return appendU64(dst, sortable(start)) }
