// Package window is the arithmetic of tumbling event-time windows: which window a
// time falls into, the key a count is stored under, what one batch of orders adds to
// which window, and when a window is open, closed or expired.
//
// Everything here is pure: no clock, no network, no disk. All times are milliseconds
// since the Unix epoch in UTC and may be negative.
package window
