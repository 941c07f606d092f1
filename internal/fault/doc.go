// Package fault lets tests do harm on purpose: die at a named point, or run with a
// mistake planted in the code, to see that a test notices it.
//
// All of it needs the build tag planted. In a normal build the functions are empty and
// are compiled away. One build with the tag serves all points and mistakes; it behaves as
// a normal one until an environment variable names one of them.
package fault
