package avro

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"

	"windowed/internal/event"
)

// value is a wanted value as it was read.
type value struct {
	text   []byte  // of a string, enum, bytes or fixed
	number int64   // of an int, long or boolean
	float  float64 // of a float or double
}

// take reads a value that is wanted for itself.
func (p *Program) take(t *typ) *event.Error {
	var v value
	ok := true
	switch t.kind {
	case stringKind, bytesKind:
		v.text, ok = p.bytes()
	case longKind:
		v.number, ok = p.long()
	case intKind:
		var n int32
		n, ok = p.int32()
		v.number = int64(n)
	case fixedKind:
		v.text, ok = p.chunk(t.size)
	case enumKind:
		at, found := p.int32()
		if ok = found; ok && (at < 0 || int(at) >= len(t.symbols)) {
			return noSymbol(t, at)
		} else if ok {
			v.text = t.symbols[at]
		}
	case booleanKind, floatKind, doubleKind:
		v, ok = p.scalar(t)
	case nullKind:
	default:
		if fault := p.skip(t); fault != nil {
			return fault
		}
	}
	if !ok {
		return p.short(t)
	}
	return p.give(t, &v)
}

// scalar reads a value whose length is always the same.
func (p *Program) scalar(t *typ) (v value, ok bool) {
	raw, ok := p.chunk(t.size)
	switch {
	case !ok:
	case t.kind == booleanKind && raw[0] == 1:
		v.number = 1
	case t.kind == floatKind:
		v.float = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	case t.kind == doubleKind:
		v.float = math.Float64frombits(binary.LittleEndian.Uint64(raw))
	}
	return v, ok
}

// give hands a value to the builder, for all that it is wanted for.
func (p *Program) give(t *typ, v *value) *event.Error {
	for _, part := range t.spot.Parts() {
		if fault := p.giveName(t, v, part); fault != nil {
			return fault
		}
	}
	if t.spot.IsQuantity() {
		if fault := p.giveQuantity(t, v); fault != nil {
			return fault
		}
	}
	if t.spot.IsTime() {
		p.giveTime(t, v)
	}
	if t.spot.IsOperation() {
		p.operation = true
		return p.Operation(v.text)
	}
	return nil
}

func (p *Program) giveName(t *typ, v *value, part int) *event.Error {
	plain := p.Mapping().Plain
	switch {
	case t.kind == stringKind:
		return p.NameText(part, v.text)
	case t.kind == enumKind:
		return p.Name(part, v.text)
	case t.use == uuidUse:
		raw := v.text
		return p.NameString(part, fmt.Sprintf("%x-%x-%x-%x-%x", raw[:4], raw[4:6], raw[6:8], raw[8:10], raw[10:]))
	case t.kind == nullKind && !plain:
		return nil // as if it were missing
	case plain:
		return p.Refuse(t.spot, "has type "+kindNames[t.kind]+" and is not a string")
	}
	switch {
	case t.kind == booleanKind:
		return p.NameBool(part, v.number == 1)
	case t.kind == intKind || t.kind == longKind:
		return p.NameInt(part, v.number)
	case t.kind == doubleKind:
		return p.NameFloat(part, v.float, 64)
	case t.kind == floatKind:
		return p.NameFloat(part, v.float, 32)
	case t.use == decimalUse && len(v.text) <= maxDecimal:
		return p.NameString(part, decimalText(v.text, t.scale))
	}
	return p.Refuse(t.spot, "has type "+kindNames[t.kind]+" and is not a string, a number or a boolean")
}

func (p *Program) giveQuantity(t *typ, v *value) *event.Error {
	switch {
	case t.kind == intKind || t.kind == longKind:
		return p.Quantity(v.number)
	case t.kind == floatKind || t.kind == doubleKind:
		return p.QuantityFloat(v.float)
	case t.use == decimalUse:
		n, ok := whole(v.text, t.scale)
		if !ok {
			return p.Refuse(t.spot, decimalText(v.text, t.scale)+" is not a whole number within the limits")
		}
		return p.Quantity(n)
	}
	return p.Refuse(t.spot, "has type "+kindNames[t.kind]+" and is not a whole number")
}

// maxDecimal is how many bytes of a decimal are looked at: 10 to the power of 77.
const maxDecimal = 32

// unscaled is the number that a decimal's bytes are, in two's complement.
func unscaled(raw []byte) *big.Int {
	n := new(big.Int).SetBytes(raw)
	if len(raw) > 0 && raw[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(len(raw))*8))
	}
	return n
}

// whole is the value of a decimal. It reports false if that has a fraction, or is far
// from any quantity.
func whole(raw []byte, scale int) (int64, bool) {
	if len(raw) > maxDecimal || scale > 3*maxDecimal {
		return 0, false
	}
	if len(raw) <= 8 && scale <= 18 {
		n := int64(0)
		if len(raw) > 0 && raw[0] >= 0x80 {
			n = -1
		}
		for _, b := range raw {
			n = n<<8 | int64(b)
		}
		for range scale {
			if n%10 != 0 {
				return 0, false
			}
			n /= 10
		}
		return n, true
	}
	n, rest := new(big.Int).QuoRem(unscaled(raw), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil), new(big.Int))
	return n.Int64(), rest.Sign() == 0 && n.IsInt64()
}

// decimalText writes a decimal; a very long one is not written.
func decimalText(raw []byte, scale int) string {
	if len(raw) > maxDecimal || scale > 3*maxDecimal {
		return fmt.Sprintf("a decimal of %d bytes", len(raw))
	}
	return new(big.Rat).SetFrac(unscaled(raw), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(scale)
}

const dayMillis = 24 * 3600 * 1000

func (p *Program) giveTime(t *typ, v *value) {
	switch t.use {
	case millisUse:
		p.TimeMillis(v.number)
		return
	case microsUse:
		p.TimeMillis(floorDiv(v.number, 1000))
		return
	case nanosUse:
		p.TimeMillis(floorDiv(v.number, 1_000_000))
		return
	case localMillisUse:
		p.TimeLocal(v.number)
		return
	case localMicrosUse:
		p.TimeLocal(floorDiv(v.number, 1000))
		return
	case localNanosUse:
		p.TimeLocal(floorDiv(v.number, 1_000_000))
		return
	case dateUse:
		p.TimeLocal(v.number * dayMillis)
		return
	case clockUse:
		p.TimeFault("is a time of day without a date")
		return
	}
	switch {
	case t.kind == stringKind || t.kind == enumKind:
		p.Time(v.text)
	case t.kind == longKind || t.kind == intKind:
		p.TimeInteger(v.number)
	case t.kind == doubleKind || t.kind == floatKind:
		p.TimeFloat(v.float)
	case t.kind == nullKind:
	default:
		p.TimeFault("has type " + kindNames[t.kind] + " and is neither a string nor a number")
	}
}

func floorDiv(n, by int64) int64 {
	q := n / by
	if n%by < 0 {
		q--
	}
	return q
}
