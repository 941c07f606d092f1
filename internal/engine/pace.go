package engine

import (
	"cmp"
	"time"
)

// Bounds of the keys of a transaction: to begin with, at most, and at least.
const (
	firstKeys = 600_000
	maxKeys   = 2_000_000
	minKeys   = manyKeys
)

// commitAtMost is how long a commit should take: the brokers abort a transaction after its
// timeout, 10 s.
const commitAtMost = 5 * time.Second

// pace is how many keys a transaction may have. The more it has, the more often each comes
// in it, and the less an order costs. How many can be committed in time is up to the
// brokers, so the bound follows what they do. It outlives a session, so that a transaction
// that is too large for them does not come again and again. Not safe for concurrent use.
type pace struct {
	most int // 0: firstKeys
}

func (p *pace) keys() int { return cmp.Or(p.most, firstKeys) }

// took takes note of how long the commit of so many keys took, or failed to: the bound
// doubles while that is less than half of the time, and is halved when it is more than all
// of it.
func (p *pace) took(keys int, d time.Duration) {
	switch most := p.keys(); {
	case d > commitAtMost:
		p.most = max(most/2, minKeys)
	case d < commitAtMost/2 && keys >= most/2:
		p.most = min(2*most, maxKeys)
	}
}
