package state

import (
	"encoding/binary"

	"windowed/window"
)

// The first byte of every Pebble key.
const (
	layoutKind   byte = iota // -> the version of this layout
	recordKind               // partition, key of a control record -> changelog value
	countKind                // partition, scope, drink -> count of the partition
	sumKind                  // scope, drink -> count over all partitions
	scopeKind                // scope -> scopeNumbers over all partitions
	rankingKind              // scope -> the stored ranking
	positionKind             // partition -> changelog offset to read next
	chainKind                // the checkpoints, counted twice
	endKind                  // behind the last kind
)

func appendPartition(dst []byte, kind byte, p int32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, kind), uint32(p))
}

// appendRecordKey appends the key of a changelog record that is no count.
func appendRecordKey(dst []byte, p int32, c *Change) []byte {
	return c.AppendKey(appendPartition(dst, recordKind, p))
}

// appendCountPrefix is what a partition's counts in a scope begin with. The scope comes
// before the drink, so that the counts of a window lie together.
func appendCountPrefix(dst []byte, p int32, scope window.Scope) []byte {
	return appendScope(appendPartition(dst, countKind, p), scope)
}

func appendCountKey(dst []byte, p int32, drink string, scope window.Scope) []byte {
	return append(appendCountPrefix(dst, p, scope), drink...)
}

func appendControlKey(dst []byte, p int32, kind byte, start int64) []byte {
	return appendStart(append(appendPartition(dst, recordKind, p), controlByte, kind), start)
}

func appendScope(dst []byte, scope window.Scope) []byte {
	if scope.AllTime {
		return append(dst, 0)
	}
	return appendStart(append(dst, 1), scope.Start)
}

// cutScope reads the scope that key begins with.
func cutScope(key []byte) (scope window.Scope, rest []byte, ok bool) {
	switch {
	case len(key) > 0 && key[0] == 0:
		return window.AllTime, key[1:], true
	case len(key) > 8 && key[0] == 1:
		return window.At(startOf(key[:9])), key[9:], true
	}
	return scope, nil, false
}

func appendScopeKey(dst []byte, kind byte, scope window.Scope) []byte {
	return appendScope(append(dst, kind), scope)
}

func appendSumKey(dst []byte, scope window.Scope, drink string) []byte {
	return append(appendScopeKey(dst, sumKind, scope), drink...)
}

func appendPosition(dst []byte, offset int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(offset))
}

// startOf reads the window start at the end of a key that ends with one.
func startOf(key []byte) int64 { return unsortable(binary.BigEndian.Uint64(key[len(key)-8:])) }

// prefixEnd is the first key behind all keys with the given prefix.
func prefixEnd(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] != 0xFF {
			end[i]++
			return end[:i+1]
		}
	}
	return nil
}
