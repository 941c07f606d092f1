package engine

import (
	"context"
	"errors"
	"time"

	"windowed/state"
)

// Fetched are records of one input partition in order of their offsets.
type Fetched interface {
	Partition() int32
	// Len is how many records there are, or a few more than there are.
	Len() int
	// Next fills r with the next record, if there is one. Key, Value and those of the
	// headers are valid until anything else is called.
	Next(r *Record) bool
	// Err is why Next came to an end before the last record. All that was read since the
	// partition was resumed is to be dropped then, and the partition to be resumed.
	Err() error
	// Again goes back to the first record.
	Again()
	// Done gives the records back, and the memory they lie in: nothing else is called any
	// more. Without it, all of it is garbage.
	Done()
}

// PartitionChanges are what a transaction writes for one input partition.
type PartitionChanges struct {
	Partition int32
	Changes   []state.Change // the meta among them
	Next      int64          // input offset to commit: that of the meta
}

// Transaction is everything that is committed together.
type Transaction struct {
	Partitions []PartitionChanges
	Outputs    []Output
	Dead       []DeadLetter

	CloseThrough int64           // C when it was planned; headers of the outputs
	Positions    map[int32]int64 // input positions the outputs were computed from
	Now          int64           // wall clock, ms
}

// changes is how many changelog records t has.
func (t *Transaction) changes() (n int) {
	for i := range t.Partitions {
		n += len(t.Partitions[i].Changes)
	}
	return n
}

// Outcome is what became of a transaction.
type Outcome struct {
	// Committed says that the changes are in the changelog. If neither it nor Err is
	// set, the transaction was aborted and the session goes on.
	Committed bool
	// Positions are the changelog offsets to read next, of the partitions written.
	Positions map[int32]int64
	// First are the changelog offsets of the first records written.
	First map[int32]int64
	// Err means that the outcome is unknown or the session is of no use any more: drop
	// it and everything not applied, restore, resume at the positions in the state.
	Err error
}

// Ownership is which input partitions this process owns.
type Ownership struct {
	Generation uint64           // rises with every change
	Partitions map[int32]uint64 // to the generation that brought it: it may go and come back
}

// Transport is a session with the brokers. Its methods are called by one goroutine, but for
// Commit, which may be under way while Poll is called.
type Transport interface {
	// Ownership is safe to call at any time.
	Ownership() Ownership
	// Poll returns records of resumed partitions; it waits at most wait for the first.
	Poll(ctx context.Context, wait time.Duration) ([]Fetched, error)
	// Resume starts fetching partitions from the given offsets. What was fetched of them
	// before is not returned any more.
	Resume(next map[int32]int64)
	// Hold stops and goes on fetching partitions without moving them.
	Hold(partitions []int32, held bool)
	// Commit writes and commits t, unless ownership has changed since generation.
	Commit(ctx context.Context, t *Transaction, generation uint64) Outcome
	// Applied is called once a committed t is in the state.
	Applied(ctx context.Context, t *Transaction) error
	// Settle takes note of partitions that went while no transaction was open.
	Settle()
	// Stopped are the partitions that a batch which cannot be read has stopped.
	Stopped() map[int32]error
	Close()
}

var (
	// ErrFenced is wrapped when another process with the same transactional id took over.
	ErrFenced = errors.New("fenced: another process has taken over its transactional id")
	// ErrFatal is wrapped by errors that come back however often the session is rebuilt.
	ErrFatal = errors.New("cannot go on")
	// ErrNoTopic is wrapped when a topic does not exist. A broker that lags behind the
	// others may say so, too.
	ErrNoTopic = errors.New("topic does not exist")
)
