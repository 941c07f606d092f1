// Package engine is the core of windowed: it turns the records of input partitions into
// changes of the changelog, closes windows, lets them expire, and drives that by Kafka
// transactions, by files, or by a test.
//
// The step itself (Partition, Batch, Emitter) is deterministic and does no I/O beyond
// reading the committed state; the wall clock is passed in. Loop and Replay are the two
// that drive it.
package engine
