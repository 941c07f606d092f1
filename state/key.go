package state

import (
	"encoding/binary"

	"windowed/window"
)

// The first byte of every Pebble key.
const (
	identityKind byte = iota // who this store belongs to
	recordKind               // partition, changelog key -> changelog value
	indexKind                // partition, window start, drink -> nothing: the keys of a window
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

func appendRecordKey(dst []byte, p int32, c *Change) []byte {
	return c.AppendKey(appendPartition(dst, recordKind, p))
}

func appendCountKey(dst []byte, p int32, drink string, scope window.Scope) []byte {
	return window.AppendKey(appendPartition(dst, recordKind, p), drink, scope)
}

func appendControlKey(dst []byte, p int32, kind byte, start int64) []byte {
	return appendStart(append(appendPartition(dst, recordKind, p), controlByte, kind), start)
}

func appendIndexKey(dst []byte, p int32, start int64, drink string) []byte {
	return append(appendStart(appendPartition(dst, indexKind, p), start), drink...)
}

func appendScopeKey(dst []byte, kind byte, scope window.Scope) []byte {
	if scope.AllTime {
		return append(dst, kind, 0)
	}
	return appendStart(append(dst, kind, 1), scope.Start)
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
