// Package e2e runs the windowed binary as users do: real processes, real files, a real
// network, killed and restarted at will. Nothing in it trusts what the program says of
// itself alone: the expected counts come from the input topic and a plain model of the
// rules (model_test.go), and are compared with the changelog, the answers over HTTP, the
// output topic and the dead letters.
//
// The default form is short. WINDOWED_FULL=1 runs all data files and many more kills.
package e2e
