package window

// Numbers are the sizes of one window: what it accepted, and what came too late for it.
// Records are orders, portions are the sums of their quantities.
type Numbers struct {
	Records, Portions         uint64 // accepted, amendments included
	LateRecords, LatePortions uint64 // late and not in the window
}

// Plus is n and m added.
func (n Numbers) Plus(m Numbers) Numbers {
	return Numbers{
		Records: n.Records + m.Records, Portions: n.Portions + m.Portions,
		LateRecords: n.LateRecords + m.LateRecords, LatePortions: n.LatePortions + m.LatePortions,
	}
}

// Minus is n without m.
func (n Numbers) Minus(m Numbers) Numbers {
	return Numbers{
		Records: n.Records - m.Records, Portions: n.Portions - m.Portions,
		LateRecords: n.LateRecords - m.LateRecords, LatePortions: n.LatePortions - m.LatePortions,
	}
}
