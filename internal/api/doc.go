// Package api answers questions about the counts: one set of answers, asked over HTTP by
// the command line and anybody else, and in process by the table that run prints.
package api
