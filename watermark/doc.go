// Package watermark decides when time has passed: each input partition's watermark and
// close-through, the close-through of all of them together, what an idle partition may
// be raised to, and which event times lie too far in the future.
//
// Everything here is pure; the wall clock is passed in. Times are milliseconds since
// the Unix epoch; None stands for a time that is not there yet.
package watermark
