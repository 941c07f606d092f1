package state

import (
	"encoding/binary"
	"fmt"

	"windowed/window"
)

// Kind says what a changelog record holds.
type Kind uint8

// The kinds of changelog records.
const (
	CountKind   Kind = iota // a drink's absolute count in a scope
	NumbersKind             // a window's Numbers in this partition
	MetaKind                // the partition's Meta
	GlobalKind              // the global record; changelog partition 0 only
	EmittedKind             // an emitted window; changelog partition 0 only
)

// Change is one changelog record: what a key holds from now on. Which of the fields
// matter depends on Kind. A transaction may have a million of them, nearly all counts, so
// what only others have is elsewhere.
type Change struct {
	Kind    Kind
	Deleted bool // a tombstone
	// New says that the partition holds no count of this key yet. Its owner knows, and it
	// saves Apply a look into the store; the record does not carry it.
	New bool
	// Mark finds the drink in the memory of the state that AddCounts has set it for.
	Mark    uint32
	Scope   window.Scope // of a count; the window of Numbers and Emitted
	Drink   string
	Count   uint64
	Numbers *window.Numbers
	Emitted *Emitted
	Meta    *Meta
	Global  *Global
}

// Control records have keys that begin with a byte no valid UTF-8 drink can begin with.
const controlByte = 0xFF

const (
	metaKey    = 'm'
	numbersKey = 'w'
	globalKey  = 'g'
	emittedKey = 'f'
)

// AppendKey appends the key of the changelog record to dst.
func (c *Change) AppendKey(dst []byte) []byte {
	switch c.Kind {
	case NumbersKind:
		return appendStart(append(dst, controlByte, numbersKey), c.Scope.Start)
	case MetaKind:
		return append(dst, controlByte, metaKey)
	case GlobalKind:
		return append(dst, controlByte, globalKey)
	case EmittedKind:
		return appendStart(append(dst, controlByte, emittedKey), c.Scope.Start)
	}
	return window.AppendKey(dst, c.Drink, c.Scope)
}

// AppendValue appends the value of the changelog record to dst; the value of a
// tombstone is null, which the caller sees by Deleted.
func (c *Change) AppendValue(dst []byte) []byte {
	switch c.Kind {
	case NumbersKind:
		return appendNumbers(dst, *c.Numbers)
	case MetaKind:
		return c.Meta.append(dst)
	case GlobalKind:
		return c.Global.append(dst)
	case EmittedKind:
		return c.Emitted.append(dst)
	}
	return appendU64(dst, c.Count)
}

// DecodeChange reads one changelog record; a nil value is a tombstone. Unknown control
// keys and versions are refused with ErrFormat: skipping them could lose what a newer
// program wrote.
func DecodeChange(key, value []byte) (Change, error) {
	c, drink, err := decodeChange(key, value)
	c.Drink = string(drink)
	return c, err
}

// decodeChange is DecodeChange with the drink of a count apart, which aliases key.
func decodeChange(key, value []byte) (c Change, drink []byte, err error) {
	if len(key) > 0 && key[0] == controlByte {
		c, err = decodeControl(key, value)
		return c, nil, err
	}
	drink, scope, err := window.ParseKey(key)
	if err != nil {
		return Change{}, nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	c = Change{Kind: CountKind, Scope: scope, Deleted: value == nil}
	if c.Deleted {
		return c, drink, nil
	}
	if len(value) != 8 {
		return Change{}, nil, fmt.Errorf("%w: count of %q has %d bytes, not 8", ErrFormat, key, len(value))
	}
	c.Count = binary.BigEndian.Uint64(value)
	if c.Count == 0 || c.Count > maxCount {
		return Change{}, nil, fmt.Errorf("%w: count of %q is %d", ErrFormat, key, c.Count)
	}
	return c, drink, nil
}

func decodeControl(key, value []byte) (c Change, err error) {
	c.Deleted = value == nil
	switch {
	case len(key) == 2 && key[1] == metaKey && value != nil:
		c.Kind = MetaKind
		c.Meta, err = decodeMeta(value)
	case len(key) == 2 && key[1] == globalKey && value != nil:
		c.Kind = GlobalKind
		c.Global, err = decodeGlobal(value)
	case len(key) == 10 && (key[1] == numbersKey || key[1] == emittedKey):
		c.Scope = window.At(unsortable(binary.BigEndian.Uint64(key[2:])))
		if key[1] == numbersKey {
			c.Kind = NumbersKind
		} else {
			c.Kind = EmittedKind
		}
		if value == nil {
			return c, nil
		}
		if c.Kind == NumbersKind {
			n, bad := decodeNumbers(value)
			c.Numbers, err = &n, bad
		} else {
			e, bad := decodeEmitted(value)
			c.Emitted, err = &e, bad
		}
	default:
		err = fmt.Errorf("%w: unknown control key, or a tombstone where none may be", errNewer)
	}
	if err != nil {
		return Change{}, fmt.Errorf("control record %x: %w", key, err)
	}
	return c, nil
}

func appendNumbers(dst []byte, n window.Numbers) []byte {
	dst = appendHeader(dst)
	dst = appendU64(dst, n.Records)
	dst = appendU64(dst, n.Portions)
	dst = appendU64(dst, n.LateRecords)
	return appendU64(dst, n.LatePortions)
}

func decodeNumbers(b []byte) (window.Numbers, error) {
	r := newReader("a window's numbers", b)
	n := window.Numbers{Records: r.u64(), Portions: r.u64(), LateRecords: r.u64(), LatePortions: r.u64()}
	return n, r.end()
}
