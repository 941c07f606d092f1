package state

import (
	"encoding/binary"
	"hash/maphash"
	"math"

	"windowed/window"
)

// latest holds the last record of every key of a changelog partition, in the order in
// which the keys came first. Reading a changelog is mostly this, so keys and values lie in
// a row in memory, found by a table of 8 bytes a place.
type latest struct {
	text    []byte // keys, each with its value behind it
	records []latestRecord
	places  []latestPlace // a power of two of them
	scopes  []window.Scope
	last    uint32 // scope of the last new key; keys of a scope come in a row
	seed    maphash.Seed
}

// latestRecord is a key and what it holds.
type latestRecord struct {
	at         uint32 // in text
	key, value uint32 // bytes; a value of noValue is a tombstone
	scope      uint32 // from 1; 0: the key is no count's
	drink      uint32 // bytes of the drink, with which a count's key begins
}

// latestPlace is where a key is found. Its hash tells most others apart without a look at
// them.
type latestPlace struct{ hash, record uint32 } // record from 1; 0: empty

const noValue = math.MaxUint32

// put makes value the value of key; nil is a tombstone. Both are copied.
func (l *latest) put(key, value []byte) {
	if 4*len(l.records) >= 3*len(l.places) {
		l.grow()
	}
	hash := uint32(maphash.Bytes(l.seed, key))
	i := int(hash)
	for ; ; i++ {
		place := &l.places[i&(len(l.places)-1)]
		if place.record == 0 {
			*place = latestPlace{hash, uint32(len(l.records) + 1)}
			scope, drink := l.scopeOf(key)
			l.records = append(l.records, latestRecord{scope: scope, drink: drink})
			l.write(&l.records[len(l.records)-1], key, value)
			return
		}
		if r := &l.records[place.record-1]; place.hash == hash && string(l.key(r)) == string(key) {
			l.renew(r, key, value)
			return
		}
	}
}

// renew sets the value of a key that is there, in its place if it fits.
func (l *latest) renew(r *latestRecord, key, value []byte) {
	if value != nil && int(r.value) == len(value) {
		copy(l.text[r.at+r.key:], value)
		return
	}
	l.write(r, key, value)
}

func (l *latest) write(r *latestRecord, key, value []byte) {
	r.at, r.key, r.value = uint32(len(l.text)), uint32(len(key)), uint32(len(value))
	l.text = append(append(l.text, key...), value...)
	if value == nil {
		r.value = noValue
	}
}

// scopeOf is the number of the scope of a count's key, and the length of its drink. A key
// that is none is refused when its record is checked.
func (l *latest) scopeOf(key []byte) (scope, drink uint32) {
	if len(key) == 0 || key[0] == controlByte {
		return 0, 0
	}
	name, s, err := window.ParseKey(key)
	if err != nil {
		return 0, 0
	}
	return l.number(s), uint32(len(name))
}

// number is the number of a scope.
func (l *latest) number(scope window.Scope) uint32 {
	if l.last > 0 && l.scopes[l.last-1] == scope {
		return l.last
	}
	for i := range l.scopes {
		if l.scopes[i] == scope {
			l.last = uint32(i + 1)
			return l.last
		}
	}
	l.scopes = append(l.scopes, scope)
	l.last = uint32(len(l.scopes))
	return l.last
}

// count is the change that a count's record is, once it was checked, but for its drink.
func (l *latest) count(r *latestRecord) (c Change, drink []byte) {
	c = Change{Kind: CountKind, Scope: l.scopes[r.scope-1]}
	if value := l.get(r); value == nil {
		c.Deleted = true
	} else {
		c.Count = binary.BigEndian.Uint64(value)
	}
	return c, l.text[r.at : r.at+r.drink]
}

func (l *latest) key(r *latestRecord) []byte { return l.text[r.at : r.at+r.key] }

// get is the value of a record; nil is a tombstone.
func (l *latest) get(r *latestRecord) []byte {
	if r.value == noValue {
		return nil
	}
	at := r.at + r.key
	return l.text[at : at+r.value : at+r.value]
}

func (l *latest) grow() {
	if l.places == nil {
		l.seed = maphash.MakeSeed()
	}
	old := l.places
	l.places = make([]latestPlace, max(64, 2*len(old)))
	for _, place := range old {
		if place.record == 0 {
			continue
		}
		i := int(place.hash)
		for l.places[i&(len(l.places)-1)].record != 0 {
			i++
		}
		l.places[i&(len(l.places)-1)] = place
	}
}

// byScope are the numbers of the records, those of a scope in a row.
func (l *latest) byScope() []uint32 {
	ends := make([]uint32, len(l.scopes)+2)
	for i := range l.records {
		ends[l.records[i].scope+1]++
	}
	for i := range ends[1:] {
		ends[i+1] += ends[i]
	}
	order := make([]uint32, len(l.records))
	for i := range l.records {
		at := &ends[l.records[i].scope]
		order[*at] = uint32(i)
		*at++
	}
	return order
}

// check decodes what may be wrong: nothing must be applied of what cannot all be.
func (l *latest) check() error {
	for i := range l.records {
		r := &l.records[i]
		value := l.get(r)
		if r.scope > 0 && (value == nil || len(value) == 8 && value[0] < 0x80) && string(value) != zeroCount {
			continue // a count as it should be
		}
		if _, _, err := decodeChange(l.key(r), value); err != nil {
			return err
		}
	}
	return nil
}

const zeroCount = "\x00\x00\x00\x00\x00\x00\x00\x00"

// maxIdle is how much memory is kept for the next records.
const maxIdle = 1 << 20

// clear forgets all records.
func (l *latest) clear() {
	if cap(l.text) > maxIdle {
		*l = latest{}
		return
	}
	clear(l.places)
	l.text, l.records, l.scopes, l.last = l.text[:0], l.records[:0], l.scopes[:0], 0
}
