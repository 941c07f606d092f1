package avro

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"

	"windowed/internal/order"
)

// value is a wanted value as it was read.
type value struct {
	text   []byte  // of a string, enum, bytes or fixed
	number int64   // of an int, long or boolean
	float  float64 // of a float or double
}

// take reads a value that is wanted for itself.
func (p *Program) take(t *typ) *order.Error {
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
func (p *Program) give(t *typ, v *value) *order.Error {
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

func (p *Program) giveName(t *typ, v *value, part int) *order.Error {
	plain := p.Mapping().Plain
	switch {
	case t.kind == stringKind:
		return p.giveText(t, v.text, part)
	case t.kind == enumKind:
		return p.Name(part, v.text)
	case t.use == uuidUse:
		return p.Name(part, p.uuid(v.text))
	case t.kind == nullKind && !plain:
		return nil // as if it were missing
	case plain:
		return p.Refuse(t.spot, "has type "+kindNames[t.kind]+" and is not a string")
	}
	start := len(p.arena)
	switch {
	case t.kind == booleanKind:
		p.arena = strconv.AppendBool(p.arena, v.number == 1)
	case t.kind == intKind || t.kind == longKind:
		p.arena = strconv.AppendInt(p.arena, v.number, 10)
	case t.kind == doubleKind && isFinite(v.float):
		p.arena = appendFloat(p.arena, v.float, 64)
	case t.kind == floatKind && isFinite(v.float):
		p.arena = appendFloat(p.arena, v.float, 32)
	case t.use == decimalUse && len(v.text) <= maxDecimal:
		p.arena = append(p.arena, decimalText(v.text, t.scale)...)
	default:
		return p.Refuse(t.spot, "has type "+kindNames[t.kind]+" and is not a string, a number or a boolean")
	}
	return p.Name(part, p.arena[start:len(p.arena):len(p.arena)])
}

func (p *Program) giveText(t *typ, text []byte, part int) *order.Error {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			if !utf8.Valid(text) {
				return p.Refuse(t.spot, "is not valid UTF-8")
			}
			break
		}
	}
	return p.Name(part, text)
}

// appendFloat writes a number as JSON does, so that the same value has the same name
// whatever the format.
func appendFloat(text []byte, f float64, bits int) []byte {
	form := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		form = 'e'
	}
	return strconv.AppendFloat(text, f, form, -1, bits)
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

func (p *Program) uuid(raw []byte) []byte {
	start := len(p.arena)
	p.arena = fmt.Appendf(p.arena, "%x-%x-%x-%x-%x", raw[:4], raw[4:6], raw[6:8], raw[8:10], raw[10:])
	return p.arena[start:len(p.arena):len(p.arena)]
}

func (p *Program) giveQuantity(t *typ, v *value) *order.Error {
	switch {
	case t.kind == intKind || t.kind == longKind:
		return p.Quantity(v.number)
	case t.kind == floatKind || t.kind == doubleKind:
		if v.float != math.Trunc(v.float) || math.Abs(v.float) > 1<<53 {
			return p.Refuse(t.spot, strconv.FormatFloat(v.float, 'g', -1, 64)+" is not a whole number")
		}
		return p.Quantity(int64(v.float))
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
	case (t.kind == doubleKind || t.kind == floatKind) && isFinite(v.float):
		var digits [32]byte
		p.TimeNumber(strconv.AppendFloat(digits[:0], v.float, 'f', -1, 64))
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
