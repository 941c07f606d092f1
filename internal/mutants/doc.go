// Package mutants shows that the tests can fail: it plants each fault of package fault
// and runs the test that must notice it. `make mutants` runs it; it is a test behind the
// build tag planted.
package mutants
