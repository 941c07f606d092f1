package state

import (
	"fmt"
	"math"
	"strings"
)

// Global is the one record of the whole job, kept in changelog partition 0.
type Global struct {
	CloseThrough int64 // C as committed; None at first
	Partitions   int32 // P: input partitions that take part in C
	Fingerprint  Fingerprint
}

// Fingerprint is the configuration that decides what the counts mean. State made under
// one is never continued under another.
type Fingerprint struct {
	WindowSize int64  // ms
	Grace      int64  // ms
	TimeField  string // "" = the record's timestamp
	TimeUnit   uint8  // of integer times
	LateMode   uint8  // 0 dead-letter, 1 amend
	Mapping    string // where in a record items are; "" = in that of an order
}

// Difference names the first setting in which f and g differ; changeable says whether
// --reconfigure may change it. Empty: they are equal.
func (f Fingerprint) Difference(g Fingerprint) (what string, changeable bool) {
	switch {
	case f.WindowSize != g.WindowSize:
		return fmt.Sprintf("--window was %dms and is now %dms", f.WindowSize, g.WindowSize), false
	case f.TimeField != g.TimeField:
		return fmt.Sprintf("--time-field was %q and is now %q", f.TimeField, g.TimeField), false
	case f.TimeUnit != g.TimeUnit:
		return fmt.Sprintf("--time-unit was number %d and is now number %d", f.TimeUnit, g.TimeUnit), false
	case f.Mapping != g.Mapping:
		return fmt.Sprintf("the mapping of records was %s and is now %s", mappingText(f.Mapping), mappingText(g.Mapping)), false
	case f.Grace != g.Grace:
		return fmt.Sprintf("--grace was %dms and is now %dms", f.Grace, g.Grace), true
	case f.LateMode != g.LateMode:
		modes := [...]string{"dead-letter", "amend"}
		return fmt.Sprintf("--late was %s and is now %s", modes[f.LateMode&1], modes[g.LateMode&1]), true
	}
	return "", false
}

func mappingText(mapping string) string {
	if mapping == "" {
		return "that of orders"
	}
	return "{" + mapping + "}"
}

// mappingMark is between the time field and the mapping, if there is one: neither has it,
// and a program that knows no mappings sees another time field and refuses.
const mappingMark = "\x00"

func (g *Global) append(dst []byte) []byte {
	f := &g.Fingerprint
	records := f.TimeField
	if f.Mapping != "" {
		records += mappingMark + f.Mapping
	}
	dst = appendHeader(dst)
	dst = appendI64(dst, g.CloseThrough)
	dst = appendU64(dst, uint64(g.Partitions))
	dst = appendI64(dst, f.WindowSize)
	dst = appendI64(dst, f.Grace)
	dst = appendText(dst, records)
	return append(dst, f.TimeUnit, f.LateMode)
}

func decodeGlobal(b []byte) (*Global, error) {
	r := newReader("the global record", b)
	g := &Global{CloseThrough: r.i64(), Partitions: int32(r.upTo(math.MaxInt32, r.u64()))}
	f := &g.Fingerprint
	f.WindowSize, f.Grace = r.i64(), r.i64()
	f.TimeField, f.Mapping, _ = strings.Cut(r.text(), mappingMark)
	f.TimeUnit, f.LateMode = r.u8(), r.u8()
	return g, r.end()
}

// Emitted is what the last final of a window said.
type Emitted struct {
	Revision uint32 // 0 for the first final, one more with each amended one
	Total    uint64 // portions
	At       int64  // wall clock of its transaction, ms; 0 is unknown
}

func (e Emitted) append(dst []byte) []byte {
	dst = appendHeader(dst)
	dst = appendU64(dst, uint64(e.Revision))
	dst = appendU64(dst, e.Total)
	return appendI64(dst, e.At)
}

func decodeEmitted(b []byte) (Emitted, error) {
	r := newReader("an emitted window", b)
	e := Emitted{Revision: uint32(r.upTo(math.MaxUint32, r.u64())), Total: r.u64(), At: r.i64()}
	return e, r.end()
}
