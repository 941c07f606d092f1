package fault

// The points, in the order in which a transaction meets them.
const (
	Claimed      = "claimed"       // the transactional id is ours, nothing is read
	Fenced       = "fenced"        // the transaction of a dead instance is ended
	Restored     = "restored"      // the changelog is in the state
	Released     = "released"      // a partition is ours and no longer followed
	Resumed      = "resumed"       // partitions are about to be read
	Polled       = "polled"        // records are here
	Counted      = "counted"       // and counted
	FinalPlanned = "final-planned" // a final is made
	Expired      = "expired"       // tombstones are made
	Sealed       = "sealed"        // a transaction is complete
	Begun        = "begun"
	Produced     = "produced" // its records are with the client
	Flushed      = "flushed"  // with the brokers
	BeforeOffset = "before-offsets"
	OffsetsSent  = "offsets-sent" // the group has answered, nothing is committed
	EndSent      = "end-sent"     // it is, and nobody has heard it
	Ended        = "ended"
	BeforeApply  = "before-apply"
	BetweenApply = "between-partitions-applied"
	Applied      = "applied"
	BeforeCheck  = "before-checkpoint"
	Checkpointed = "checkpointed"

	// At least once only.
	Written          = "changelog-written"
	OffsetsCommitted = "offsets-committed"
)

// Points are all of them.
var Points = []string{
	Claimed, Fenced, Restored, Released, Resumed, Polled, Counted, FinalPlanned, Expired, Sealed, Begun, Produced,
	Flushed, BeforeOffset, OffsetsSent, EndSent, Ended, BeforeApply, BetweenApply, Applied, BeforeCheck, Checkpointed,
	Written, OffsetsCommitted,
}
