package state

import (
	"encoding/binary"
	"fmt"

	"windowed/window"
)

// scopeNumbers is what is derived for a scope over all partitions.
type scopeNumbers struct {
	window.Numbers        // of a window; all time takes them from the metas
	Drinks         uint64 // distinct drinks: the number of sums
}

func (n scopeNumbers) append(dst []byte) []byte {
	for _, v := range []uint64{n.Records, n.Portions, n.LateRecords, n.LatePortions, n.Drinks} {
		dst = appendU64(dst, v)
	}
	return dst
}

func decodeScopeNumbers(b []byte) (n scopeNumbers, err error) {
	if len(b) != 40 {
		return n, corrupt(fmt.Errorf("numbers of a scope have %d bytes, not 40", len(b)))
	}
	for i, v := range []*uint64{&n.Records, &n.Portions, &n.LateRecords, &n.LatePortions, &n.Drinks} {
		*v = binary.BigEndian.Uint64(b[8*i:])
	}
	return n, nil
}

// scopes keeps the rankings of all time and of the open windows updated last.
type scopes struct {
	capacity int
	max      int // windows
	m        map[window.Scope]*scopeRanking
	clock    uint64
}

type scopeRanking struct {
	*ranking
	used uint64 // clock of the last use
}

func newScopes(capacity, windows int) *scopes {
	return &scopes{capacity: capacity, max: windows, m: make(map[window.Scope]*scopeRanking)}
}

func (s *scopes) get(scope window.Scope) *ranking {
	r, ok := s.m[scope]
	if !ok {
		return nil
	}
	s.clock++
	r.used = s.clock
	return r.ranking
}

// put keeps a scope's ranking; it returns the window's ranking that was dropped for it,
// if one was.
func (s *scopes) put(scope window.Scope, r *ranking) (dropped window.Scope, old *ranking) {
	s.clock++
	s.m[scope] = &scopeRanking{ranking: r, used: s.clock}
	windows := len(s.m)
	if _, ok := s.m[window.AllTime]; ok {
		windows--
	}
	if windows <= s.max {
		return window.Scope{}, nil
	}
	oldest := s.clock
	for k, v := range s.m {
		if !k.AllTime && v.used < oldest {
			dropped, old, oldest = k, v.ranking, v.used
		}
	}
	delete(s.m, dropped)
	return dropped, old
}

func (s *scopes) drop(scope window.Scope) { delete(s.m, scope) }
