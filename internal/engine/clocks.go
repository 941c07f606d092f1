package engine

import "windowed/internal/event"

// Clocks counts the orders whose time, without a zone, did not say when they were
// placed, because clocks were set.
type Clocks struct {
	Repeated uint64 // in an hour that came twice; taken for the first
	Skipped  uint64 // in an hour that never was; moved forward
}

func (c *Clocks) add(l event.Local) {
	switch l {
	case event.Repeated:
		c.Repeated++
	case event.Skipped:
		c.Skipped++
	}
}

func (c *Clocks) plus(o Clocks) {
	c.Repeated += o.Repeated
	c.Skipped += o.Skipped
}
