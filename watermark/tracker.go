package watermark

import "windowed/internal/fault"

// CloseThrough is C: the minimum of L_p over all partitions, idle ones included. It is
// None while a partition has no L_p, and for no partitions at all (FLINK-8001).
func CloseThrough(parts []Partition) int64 {
	if len(parts) == 0 {
		return None
	}
	c := parts[0].CloseThrough
	for i := range parts {
		if fault.Planted(fault.ActiveMinimum) && parts[i].Idle {
			continue
		}
		c = min(c, parts[i].CloseThrough)
	}
	return c
}

// OpenWindows is what idleness needs to know of the windows without a final.
type OpenWindows interface {
	// AnyEnd says whether an open window has its end in (after, through].
	AnyEnd(after, through int64) bool
	// NewestEnd is the largest end of an open window; false if none is open.
	NewestEnd() (int64, bool)
}

// Idleness is the rule by which a silent partition stops holding the others back.
type Idleness struct {
	Timeout int64 // ms a partition must have been silent; 0 = never idle
	Grace   int64 // ms
}

// Raise is the close-through the owner of the silent partition p commits; it is never
// below the partition's own. parts are all partitions as committed, now is the wall
// clock in ms.
//
// While others are active, p follows the slowest of them, but only as far as an open
// window needs it. When all are idle, the last window closes by the wall clock, and
// time never passes the newest open window: old data must not expire because nothing
// happens.
func (i Idleness) Raise(p int, parts []Partition, open OpenWindows, now int64) int64 {
	own := parts[p].CloseThrough
	active, through, highest := 0, int64(0), own
	for q := range parts {
		if q == p {
			continue
		}
		l := parts[q].CloseThrough
		highest = max(highest, l)
		if parts[q].Idle {
			continue
		}
		if active == 0 || l < through {
			through = l
		}
		active++
	}
	if active > 0 {
		if through != None && open.AnyEnd(own, through) {
			return max(own, through)
		}
		return own
	}
	newest, ok := open.NewestEnd()
	if !ok {
		return own
	}
	return max(highest, min(now-i.Timeout-i.Grace, newest))
}
