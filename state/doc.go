// Package state holds the committed counts of one process: a Pebble store per process,
// partial counts per input partition, sums over the partitions derived from them, a
// bounded ranking per scope, and the format of the changelog records that all of it is
// made from.
//
// State changes in one way only: State.Apply takes the changes of one changelog
// partition, whether they come from a transaction this process just committed or from
// the changelog itself. Restorer, follower and owner share it.
//
// docs/formats.md describes every key and value byte by byte.
package state
