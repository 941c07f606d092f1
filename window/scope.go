package window

import "time"

// Scope is what a count belongs to: one window, or all of time. The zero value is the
// window that starts at the epoch.
type Scope struct {
	Start   int64 // of the window, ms; 0 for all time
	AllTime bool
}

// AllTime is the scope of the cumulative counts.
var AllTime = Scope{AllTime: true}

// At is the scope of the window that starts at start (ms).
func At(start int64) Scope { return Scope{Start: start} }

// String is the scope as tsv output and the keys of the output topic write it:
// "all-time", or the window's start as RFC 3339 in UTC, with milliseconds only where
// they are not zero.
func (s Scope) String() string {
	if s.AllTime {
		return "all-time"
	}
	return FormatTime(s.Start)
}

// FormatTime writes ms since the epoch as RFC 3339 in UTC, with milliseconds only where
// they are not zero.
func FormatTime(ms int64) string {
	layout := "2006-01-02T15:04:05Z"
	if ms%1000 != 0 {
		layout = "2006-01-02T15:04:05.000Z"
	}
	return time.UnixMilli(ms).UTC().Format(layout)
}
