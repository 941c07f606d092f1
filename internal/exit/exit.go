// Package exit holds the exit codes of the program and the errors that carry one.
package exit

import (
	"errors"
	"fmt"
)

// The exit codes. Scripts depend on them: they never change their meaning.
const (
	OK       = 0
	Failure  = 1 // it did not work
	Usage    = 2 // the flags, the configuration or what they point to must be changed
	Problem  = 3 // a check found a problem
	NotReady = 4 // not ready or timed out; trying again may help
)

type coded struct {
	error
	code int
}

func (c *coded) Unwrap() error { return c.error }

// With gives err an exit code.
func With(code int, err error) error {
	if err == nil {
		return nil
	}
	return &coded{error: err, code: code}
}

// Errorf is With and fmt.Errorf.
func Errorf(code int, format string, args ...any) error {
	return With(code, fmt.Errorf(format, args...))
}

// Code is the exit code of err: that of the outermost error that carries one, else
// Failure, and OK for nil.
func Code(err error) int {
	if err == nil {
		return OK
	}
	var c *coded
	if errors.As(err, &c) {
		return c.code
	}
	return Failure
}
