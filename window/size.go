package window

import (
	"fmt"
	"time"
)

// Size is the length of a tumbling window in milliseconds. Windows are aligned to the
// Unix epoch in UTC and half-open: [start, start+size).
type Size int64

// The smallest and the largest window.
const (
	MinSize Size = 1
	MaxSize Size = 366 * 24 * 60 * 60 * 1000
)

// ParseSize turns a duration into a window size. It refuses sizes outside 1 ms to 366
// days and sizes that are not whole milliseconds.
func ParseSize(d time.Duration) (Size, error) {
	if d%time.Millisecond != 0 {
		return 0, fmt.Errorf("window size %v is not a whole number of milliseconds", d)
	}
	s := Size(d.Milliseconds())
	if s < MinSize || s > MaxSize {
		return 0, fmt.Errorf("window size %v is not between 1ms and 8784h (366 days)", d)
	}
	return s, nil
}

// Start is the start of the window that holds ts, by floor division: the window of -1
// is [-size, 0), not [0, size) (FLINK-26334).
func (s Size) Start(ts int64) int64 {
	r := ts % int64(s)
	if r < 0 {
		r += int64(s)
	}
	return ts - r
}

// End is the end (exclusive) of the window that starts at start.
func (s Size) End(start int64) int64 { return start + int64(s) }

// Aligned says whether start is the start of a window.
func (s Size) Aligned(start int64) bool { return start%int64(s) == 0 }

// Duration is s as a time.Duration.
func (s Size) Duration() time.Duration { return time.Duration(s) * time.Millisecond }
