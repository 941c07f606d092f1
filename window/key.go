package window

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// allTimeSuffix stands where a window's start would, in the key of a cumulative count.
const allTimeSuffix = "all"

// ErrKey is wrapped by every error of ParseKey.
var ErrKey = errors.New("not a count key")

// AppendKey appends the logical key of a drink's count in a scope to dst:
// "<drink>:<window start in decimal ms>" or "<drink>:all". These bytes are the key of
// the changelog record.
func AppendKey[T string | []byte](dst []byte, drink T, scope Scope) []byte {
	dst = append(dst, drink...)
	dst = append(dst, ':')
	if scope.AllTime {
		return append(dst, allTimeSuffix...)
	}
	return strconv.AppendInt(dst, scope.Start, 10)
}

// ParseKey is the reverse of AppendKey. The key is split at its last ':', so a drink
// may contain ':'. Only what AppendKey writes is accepted: "+5", "05" and "-0" are no
// window starts. The returned drink aliases key.
func ParseKey(key []byte) (drink []byte, scope Scope, err error) {
	i := bytes.LastIndexByte(key, ':')
	if i <= 0 {
		return nil, Scope{}, fmt.Errorf("%w: %q has no drink and window start", ErrKey, key)
	}
	drink, suffix := key[:i], key[i+1:]
	if !utf8.Valid(drink) {
		return nil, Scope{}, fmt.Errorf("%w: %q is not valid UTF-8", ErrKey, key)
	}
	if string(suffix) == allTimeSuffix {
		return drink, AllTime, nil
	}
	start, ok := parseStart(suffix)
	if !ok {
		return nil, Scope{}, fmt.Errorf("%w: window start %q is no whole number in its only form", ErrKey, suffix)
	}
	return drink, At(start), nil
}

// parseStart reads a number as strconv.AppendInt writes it.
func parseStart(text []byte) (start int64, ok bool) {
	digits, negative := bytes.CutPrefix(text, []byte{'-'})
	if len(digits) == 0 || len(digits) > 19 || digits[0] == '0' && len(text) > 1 {
		return 0, false
	}
	n := uint64(0) // 19 digits fit
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	if negative {
		return -int64(n), n <= 1<<63
	}
	return int64(n), n < 1<<63
}
