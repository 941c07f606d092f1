package avro

import "windowed/internal/event"

// skip passes a value of which nothing is wanted.
func (p *Program) skip(t *typ) *event.Error {
	ok := true
	switch t.kind {
	case nullKind:
	case longKind:
		_, ok = p.long()
	case intKind:
		_, ok = p.int32()
	case stringKind, bytesKind:
		_, ok = p.bytes()
	case booleanKind, floatKind, doubleKind, fixedKind:
		_, ok = p.chunk(t.size)
	case enumKind:
		var at int32
		if at, ok = p.int32(); ok && (at < 0 || int(at) >= len(t.symbols)) {
			return noSymbol(t, at)
		}
	default:
		return p.skipParts(t)
	}
	if !ok {
		return p.short(t)
	}
	return nil
}

func noSymbol(t *typ, at int32) *event.Error {
	return malformed("there is no symbol %d in an enum of %d", at, len(t.symbols))
}

// skipParts passes a value that has others in it.
func (p *Program) skipParts(t *typ) *event.Error {
	if p.depth++; p.depth > maxDepth {
		return tooDeep()
	}
	var fault *event.Error
	switch t.kind {
	case recordKind:
		for _, f := range t.fields {
			if fault = p.skip(f); fault != nil {
				return fault
			}
		}
	case unionKind:
		at, ok := p.int32()
		if !ok {
			return p.short(t)
		}
		if at < 0 || int(at) >= len(t.branches) {
			return malformed("there is no branch %d in a union of %d at byte %d", at, len(t.branches), p.at)
		}
		fault = p.skip(t.branches[at])
	default:
		fault = p.skipBlocks(t)
	}
	p.depth--
	return fault
}

func (p *Program) skipBlocks(t *typ) *event.Error {
	total := int64(0)
	for {
		n, fault := p.block(t)
		if fault == nil && n > 0 {
			fault = p.fits(t, n, total)
		}
		if fault != nil || n == 0 {
			return fault
		}
		total += n
		if t.kind == arrayKind && t.items.empty {
			continue
		}
		for range n {
			if t.kind == mapKind {
				if _, ok := p.bytes(); !ok {
					return p.short(t)
				}
			}
			if fault := p.skip(t.items); fault != nil {
				return fault
			}
		}
	}
}

// long reads a number of 64 bits.
func (p *Program) long() (int64, bool) {
	if p.at < len(p.src) && p.src[p.at] < 0x80 {
		u := uint64(p.src[p.at])
		p.at++
		return int64(u>>1) ^ -int64(u&1), true
	}
	u, ok := p.varint(63)
	return int64(u>>1) ^ -int64(u&1), ok
}

// int32 reads a number of 32 bits.
func (p *Program) int32() (int32, bool) {
	if p.at < len(p.src) && p.src[p.at] < 0x80 {
		u := uint32(p.src[p.at])
		p.at++
		return int32(u>>1) ^ -int32(u&1), true
	}
	u, ok := p.varint(28)
	return int32(uint32(u)>>1) ^ -int32(u&1), ok
}

// varint reads seven bits a byte, the lowest first; last is by how much the last byte that
// there can be is shifted.
func (p *Program) varint(last int) (u uint64, ok bool) {
	most := byte(1)
	if last == 28 {
		most = 1<<4 - 1
	}
	for at, shift := p.at, 0; at < len(p.src); at, shift = at+1, shift+7 {
		b := p.src[at]
		if shift == last {
			if b > most {
				return 0, false
			}
			p.at = at + 1
			return u | uint64(b)<<shift, true
		}
		u |= uint64(b&0x7f) << shift
		if b < 0x80 {
			p.at = at + 1
			return u, true
		}
	}
	p.at = len(p.src)
	return 0, false
}

// bytes reads a string or bytes, in place.
func (p *Program) bytes() ([]byte, bool) {
	n, ok := p.long()
	if !ok || n < 0 || n > int64(len(p.src)-p.at) {
		return nil, false
	}
	start := p.at
	p.at += int(n)
	return p.src[start:p.at:p.at], true
}

// chunk reads n bytes.
func (p *Program) chunk(n int) ([]byte, bool) {
	if n > len(p.src)-p.at {
		p.at = len(p.src)
		return nil, false
	}
	start := p.at
	p.at += n
	return p.src[start:p.at:p.at], true
}
