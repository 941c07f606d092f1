package engine

import (
	"cmp"

	"windowed/internal/event"
	"windowed/state"
	"windowed/watermark"
	"windowed/window"
)

// LateMode says where late records go.
type LateMode uint8

// Late records go to the dead-letter topic, or into their closed window while it is
// retained. The numbers are part of the fingerprint.
const (
	DeadLetterLate LateMode = iota
	AmendLate
)

// String is the mode as --late takes it.
func (m LateMode) String() string {
	if m == AmendLate {
		return "amend"
	}
	return "dead-letter"
}

// Config is what decides the counts. All times are in milliseconds.
type Config struct {
	Window      window.Size
	Grace       int64
	Retention   int64
	Late        LateMode
	Top         int   // entries of snapshots and finals
	Flush       int64 // between snapshots, and between revisions of one window
	IdleTimeout int64 // 0 = never idle
	MaxFuture   int64
	MaxSkew     int64 // event time one owned partition may be ahead of another; 0 = any
	NoClock     bool  // replay: no future guard, no snapshots
	Order       event.Config
	// NewDecoder makes the decoder of a partition; nil: JSON by Order.
	NewDecoder func() (event.Reader, error)

	// How much closes or expires in one transaction, so that none stalls the loop; 0
	// means the default.
	closeChunk  int // windows
	expireChunk int // keys of one partition

	maxNames int // of one numbering; 0 means the default
}

// Defaults of the chunks.
const (
	defaultCloseChunk  = 500
	defaultExpireChunk = 10_000
)

// checkpointKeys dirty keys make a checkpoint due at once.
const checkpointKeys = 1 << 20

func (c *Config) windowsAtOnce() int { return cmp.Or(c.closeChunk, defaultCloseChunk) }
func (c *Config) keysAtOnce() int    { return cmp.Or(c.expireChunk, defaultExpireChunk) }

// Lifecycle is the rule for closing and expiring windows.
func (c *Config) Lifecycle() window.Lifecycle {
	return window.Lifecycle{Size: c.Window, Retention: c.Retention}
}

// Idleness is the rule for silent partitions.
func (c *Config) Idleness() watermark.Idleness {
	return watermark.Idleness{Timeout: c.IdleTimeout, Grace: c.Grace}
}

// Fingerprint is what the state made under this configuration is bound to.
func (c *Config) Fingerprint() state.Fingerprint {
	f := state.Fingerprint{
		WindowSize: int64(c.Window), Grace: c.Grace,
		TimeField: c.Order.TimeField, TimeUnit: uint8(c.Order.TimeUnit), LateMode: uint8(c.Late),
	}
	if m, err := event.NewMapping(c.Order); err == nil { // else nothing counts
		f.Mapping = m.Text()
	}
	return f
}
