package protobuf

import (
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"windowed/internal/event"
)

// class is what a kind's values are.
type class uint8

const (
	signedClass class = iota
	unsignedClass
	floatClass
	boolClass
	enumClass
	textClass
	bytesClass
)

func classOf(k protoreflect.Kind) class {
	switch k {
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		return unsignedClass
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return floatClass
	case protoreflect.BoolKind:
		return boolClass
	case protoreflect.EnumKind:
		return enumClass
	case protoreflect.StringKind:
		return textClass
	case protoreflect.BytesKind:
		return bytesClass
	}
	return signedClass
}

// signed is the number of a kind with a sign.
func signed(k protoreflect.Kind, bits uint64) int64 {
	switch k {
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind, protoreflect.EnumKind:
		return int64(int32(bits))
	case protoreflect.Sint32Kind:
		return int64(int32(protowire.DecodeZigZag(bits & math.MaxUint32)))
	case protoreflect.Sint64Kind:
		return protowire.DecodeZigZag(bits)
	}
	return int64(bits)
}

func unsigned(k protoreflect.Kind, bits uint64) uint64 {
	if k == protoreflect.Uint32Kind {
		return bits & math.MaxUint32
	}
	return bits
}

func float(k protoreflect.Kind, bits uint64) (f float64, size int) {
	if k == protoreflect.FloatKind {
		return float64(math.Float32frombits(uint32(bits))), 32
	}
	return math.Float64frombits(bits), 64
}

// keyText is the key of a map's entry as JSON has it.
func keyText(k protoreflect.Kind, v value) string {
	switch classOf(k) {
	case textClass:
		return string(v.raw)
	case boolClass:
		return strconv.FormatBool(v.bits != 0)
	case unsignedClass:
		return strconv.FormatUint(unsigned(k, v.bits), 10)
	}
	return strconv.FormatInt(signed(k, v.bits), 10)
}

// give hands a value to the builder, for all that it is wanted for.
func (p *program) give(spot event.Spot, f *field, v value) *event.Error {
	for _, part := range spot.Parts() {
		if fault := p.giveName(spot, f, v, part); fault != nil {
			return fault
		}
	}
	if spot.IsQuantity() {
		if fault := p.giveQuantity(spot, f, v); fault != nil {
			return fault
		}
	}
	if spot.IsTime() {
		p.giveTime(f, v)
	}
	return nil
}

func (p *program) giveName(spot event.Spot, f *field, v value, part int) *event.Error {
	c := classOf(f.kind)
	switch {
	case c == textClass:
		return p.NameText(part, v.raw)
	case c == enumClass:
		number := protoreflect.EnumNumber(signed(f.kind, v.bits))
		if known := f.Enum().Values().ByNumber(number); known != nil {
			return p.NameString(part, string(known.Name()))
		}
		return p.NameInt(part, int64(number))
	case p.Mapping().Plain:
		return p.Refuse(spot, "has type "+f.kind.String()+" and is not a string")
	case c == bytesClass:
		return p.Refuse(spot, "has type bytes and is not a string, a number or a boolean")
	case c == boolClass:
		return p.NameBool(part, v.bits != 0)
	case c == unsignedClass:
		return p.NameUint(part, unsigned(f.kind, v.bits))
	case c == floatClass:
		n, size := float(f.kind, v.bits)
		return p.NameFloat(part, n, size)
	}
	return p.NameInt(part, signed(f.kind, v.bits))
}

func (p *program) giveQuantity(spot event.Spot, f *field, v value) *event.Error {
	switch classOf(f.kind) {
	case signedClass:
		return p.Quantity(signed(f.kind, v.bits))
	case unsignedClass:
		return p.Quantity(int64(min(unsigned(f.kind, v.bits), math.MaxInt64)))
	case floatClass:
		n, _ := float(f.kind, v.bits)
		return p.QuantityFloat(n)
	}
	return p.Refuse(spot, "has type "+f.kind.String()+" and is not a whole number")
}

// giveTime gives the time. One that is zero or empty, in a field that cannot be told from
// one that is not there, is not there.
func (p *program) giveTime(f *field, v value) {
	c := classOf(f.kind)
	if !f.HasPresence() && !f.list && f.isZero(v) {
		return
	}
	switch c {
	case textClass:
		p.Time(v.raw)
	case signedClass:
		p.TimeInteger(signed(f.kind, v.bits))
	case unsignedClass:
		var digits [20]byte
		p.TimeNumber(strconv.AppendUint(digits[:0], unsigned(f.kind, v.bits), 10))
	case floatClass:
		n, _ := float(f.kind, v.bits)
		p.TimeFloat(n)
	default:
		p.TimeFault("has type " + f.kind.String() + " and is neither a string nor a number")
	}
}

func (f *field) isZero(v value) bool { return v.bits == 0 && len(v.raw) == 0 }

// giveZero gives the value of a field that is not there and has no way to say so.
func (p *program) giveZero(f *field) *event.Error { return p.give(f.spot, f, value{}) }

// giveDefault gives the default of a field that is not there.
func (p *program) giveDefault(f *field) *event.Error {
	d := f.Default()
	var v value
	switch classOf(f.kind) {
	case textClass:
		v.raw = []byte(d.String())
	case bytesClass:
		v.raw = d.Bytes()
	case boolClass:
		v.bits = protowire.EncodeBool(d.Bool())
	case enumClass:
		v.bits = uint64(d.Enum())
	case unsignedClass:
		v.bits = d.Uint()
	case floatClass:
		v.bits = math.Float64bits(d.Float())
		if f.kind == protoreflect.FloatKind {
			v.bits = uint64(math.Float32bits(float32(d.Float())))
		}
	default:
		v.bits = uint64(d.Int())
		if f.kind == protoreflect.Sint32Kind || f.kind == protoreflect.Sint64Kind {
			v.bits = protowire.EncodeZigZag(d.Int())
		}
	}
	return p.give(f.spot, f, v)
}

// giveTimestamp gives the time that a google.protobuf.Timestamp is.
func (p *program) giveTimestamp(spot event.Spot, b []byte) *event.Error {
	if !spot.IsTime() {
		return p.Refuse(spot, "is a timestamp")
	}
	var seconds, nanos int64
	for at := 0; at < len(b); {
		number, typ, n := protowire.ConsumeTag(b[at:])
		if n < 0 {
			return broken(n, at)
		}
		at += n
		v, n := consume(number, typ, b[at:])
		if n < 0 {
			return broken(n, at)
		}
		at += n
		switch {
		case typ != protowire.VarintType:
		case number == 1:
			seconds = int64(v.bits)
		case number == 2:
			nanos = int64(int32(v.bits))
		}
	}
	const farthest = 1 << 40 // seconds; times are within 10,000 years
	switch {
	case nanos < 0 || nanos > 999_999_999:
		p.TimeFault(strconv.FormatInt(nanos, 10) + " is no number of nanoseconds in a second")
	default:
		p.TimeMillis(max(-farthest, min(farthest, seconds))*1000 + nanos/1_000_000)
	}
	return nil
}
