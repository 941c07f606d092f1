package main

import (
	"fmt"
	"time"

	"windowed/internal/engine"
	"windowed/internal/exit"
	"windowed/window"
)

// jobFlags decide what is counted, and how.
type jobFlags struct {
	Window    time.Duration `help:"Window size, 1ms to 8784h." default:"1h"`
	Grace     time.Duration `help:"How long after its end a window still takes orders, in event time." default:"1m"`
	Retention time.Duration `help:"How long a closed window stays queryable, in event time." default:"24h"`
	Late      string        `help:"What becomes of late orders beside the all-time count: dead-letter, or amend their closed window." enum:"dead-letter,amend" default:"dead-letter"`
	Top       int           `help:"Length of the top lists that are written." default:"10"`

	mappingFlags
}

const maxTop = 1000

// config is the part of the engine's configuration that the flags decide.
func (f *jobFlags) config() (engine.Config, error) {
	size, err := window.ParseSize(f.Window)
	if err != nil {
		return engine.Config{}, exit.Errorf(exit.Usage, "--window: %w", err)
	}
	records, err := f.mappingFlags.config()
	if err != nil {
		return engine.Config{}, err
	}
	if f.Top < 1 || f.Top > maxTop {
		return engine.Config{}, exit.Errorf(exit.Usage, "--top: %d is not between 1 and %d", f.Top, maxTop)
	}
	for name, d := range map[string]time.Duration{"grace": f.Grace, "retention": f.Retention} {
		if err := checkSpan(name, d); err != nil {
			return engine.Config{}, err
		}
	}
	c := engine.Config{
		Window: size, Grace: f.Grace.Milliseconds(), Retention: f.Retention.Milliseconds(), Top: f.Top,
		Order: records,
	}
	if f.Late == "amend" {
		c.Late = engine.AmendLate
	}
	return c, nil
}

// checkSpan refuses durations that event times cannot be compared with.
func checkSpan(name string, d time.Duration) error {
	if d < 0 || d%time.Millisecond != 0 {
		return exit.With(exit.Usage, fmt.Errorf("--%s: %v is not a whole, positive number of milliseconds", name, d))
	}
	return nil
}
