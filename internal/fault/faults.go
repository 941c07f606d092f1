package fault

// Fault is a mistake that can be planted: what somebody could well have written.
type Fault string

// The faults.
const (
	ApplyFirst        Fault = "apply-first"         // counts go into the state before the transaction ends
	RestoreToStable   Fault = "restore-to-stable"   // a restore ends at the last stable offset
	RandomID          Fault = "random-id"           // every session has a transactional id of its own
	NoTransactions    Fault = "no-transactions"     // changelog, state, offsets, in this order and not fenced
	TimeNotKept       Fault = "time-not-kept"       // the metas say nothing of time
	ExpireUnfinished  Fault = "expire-unfinished"   // C passes windows whose final had no room
	NoOffsets         Fault = "no-offsets"          // a transaction that counts nothing carries no offset
	LateByAll         Fault = "late-by-all"         // late is what is behind C
	ActiveMinimum     Fault = "active-minimum"      // idle partitions do not take part in C
	ExpireByOwnTime   Fault = "expire-by-own-time"  // expiry goes by the partition's time, not by C
	LocalCount        Fault = "local-count"         // the partitions that are known take part, not the committed P
	IgnoreRefused     Fault = "ignore-refused"      // a record that failed does not matter
	GoOnAfterEnd      Fault = "go-on-after-end"     // an error of end counts as an abort
	OffsetsAsPolled   Fault = "offsets-as-polled"   // the offsets of what was polled are committed
	ResumeAtGroup     Fault = "resume-at-group"     // the group's offset wins over the state's
	FinalNotKept      Fault = "final-not-kept"      // the changelog does not say that a final was written
	HalfOrder         Fault = "half-order"          // the items before a bad one count
	TailNotEnded      Fault = "tail-not-ended"      // a commit that was cut is not repaired
	CountAgain        Fault = "count-again"         // records below the position count
	OffsetsAfterState Fault = "offsets-after-state" // the group's offsets are asked for after the restore
	KeepAfterAbort    Fault = "keep-after-abort"    // what an aborted transaction had is taken for counted
	DiskErrorIgnored  Fault = "disk-error-ignored"  // a write to the disk that fails does not matter
	ReadUncommitted   Fault = "read-uncommitted"    // the changelog is read before it is committed
	NoSweep           Fault = "no-sweep"            // a store that was away keeps what has expired meanwhile
	ExpireNewest      Fault = "expire-newest"       // the newest closed window expires like the others
	TornCounts        Fault = "torn-counts"         // what comes behind a batch that cannot be read counts
	OlderFetch        Fault = "older-fetch"         // what was fetched before a partition was resumed counts
	MemoryTooSoon     Fault = "memory-too-soon"     // an answer's memory is used again when one of its partitions is done
	UnknownIsDead     Fault = "unknown-is-dead"     // who is not in a list of members that is not known is dead
	AnyFence          Fault = "any-fence"           // whoever fences has the same instance id
)

// Faults are all of them.
var Faults = []Fault{
	ApplyFirst, RestoreToStable, RandomID, NoTransactions, TimeNotKept, ExpireUnfinished, NoOffsets, LateByAll,
	ActiveMinimum, ExpireByOwnTime, LocalCount, IgnoreRefused, GoOnAfterEnd, OffsetsAsPolled, ResumeAtGroup,
	FinalNotKept, HalfOrder, TailNotEnded, CountAgain, OffsetsAfterState, KeepAfterAbort,
	DiskErrorIgnored, ReadUncommitted, NoSweep, ExpireNewest, TornCounts, OlderFetch,
	MemoryTooSoon, UnknownIsDead, AnyFence,
}
