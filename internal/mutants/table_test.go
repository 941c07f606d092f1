//go:build planted

package mutants

import "windowed/internal/fault"

// mutant is a planted fault, the test that must notice it, and what that must say: one of
// several texts where seeds fail in different ways.
type mutant struct {
	fault     fault.Fault
	pkg, test string
	says      string
}

const (
	engine = "engine"
	kafka  = "kafka"
	e2e    = "e2e"
)

var mutants = []mutant{
	{fault: fault.ApplyFirst, pkg: kafka, test: "TestFailedRecordAborts", says: "some by an aborted transaction"},
	{fault: fault.RestoreToStable, pkg: kafka, test: "TestOpenTransactionOfAnother", says: "still running after"},
	{fault: fault.RandomID, pkg: kafka, test: "TestFencedTwice", says: "want one about --instance-id"},
	{fault: fault.NoTransactions, pkg: kafka, test: "TestFailedRecordAborts", says: "1 dead letters of an aborted transaction"},
	{fault: fault.TimeNotKept, pkg: engine, test: "TestModel", says: "meta is|window of"},
	{fault: fault.ExpireUnfinished, pkg: engine, test: "TestModel", says: "has no final"},
	{fault: fault.NoOffsets, pkg: kafka, test: "TestTransactionsCarryTheOffsetsOfTheirMetas", says: "carries no offset"},
	{fault: fault.LateByAll, pkg: engine, test: "TestModel", says: "meta is|window of"},
	{fault: fault.ActiveMinimum, pkg: engine, test: "TestModel", says: "the lowest partition is at"},
	{fault: fault.ExpireByOwnTime, pkg: engine, test: "TestModel", says: "expired through|only windows with end"},
	{fault: fault.LocalCount, pkg: engine, test: "TestModel", says: "the lowest partition is at"},
	{fault: fault.IgnoreRefused, pkg: kafka, test: "TestFailedRecordAborts", says: "committed without an offset"},
	{fault: fault.GoOnAfterEnd, pkg: kafka, test: "TestLostEndTxnAnswers", says: "dead letters of 5 bad records"},
	{fault: fault.OffsetsAsPolled, pkg: kafka, test: "TestTransactionsCarryTheOffsetsOfTheirMetas", says: "the metas have"},
	{fault: fault.ResumeAtGroup, pkg: kafka, test: "TestGroupOffsetBehindTheState", says: "want latte 15"},
	{fault: fault.FinalNotKept, pkg: kafka, test: "TestOneFinalAfterRestarts", says: "finals of 3 windows"},
	{fault: fault.HalfOrder, pkg: engine, test: "TestModel", says: "meta is|window of"},
	{fault: fault.TailNotEnded, pkg: kafka, test: "TestCutCommitIsRepaired", says: "{mocha 8}"},
	{fault: fault.CountAgain, pkg: engine, test: "TestModel", says: "was not skipped"},
	{fault: fault.OffsetsAfterState, pkg: engine, test: "TestTakeWhileAnotherOwnerCommits", says: "the group has committed offset"},
	{fault: fault.KeepAfterAbort, pkg: kafka, test: "TestAbortedOrdersCountLater", says: "want latte 23"},
	{fault: fault.DiskErrorIgnored, pkg: e2e, test: "TestSimulation", says: "goes on, though its disk has failed"},
	{fault: fault.ReadUncommitted, pkg: e2e, test: "TestSimulation", says: "closed through|shows partition|the changelog does not have"},
	{fault: fault.TornCounts, pkg: kafka, test: "TestFetcherLeavesTroubleToTheClient", says: "records were counted"},
	{fault: fault.OlderFetch, pkg: kafka, test: "TestDeliveryOfAnOlderRequest", says: "of older requests"},
	{fault: fault.MemoryTooSoon, pkg: kafka, test: "TestAnswerMemory", says: "of the other partition are gone"},
	{fault: fault.UnknownIsDead, pkg: kafka, test: "TestMembersUnknown", says: "0 others, error <nil>"},
	{fault: fault.AnyFence, pkg: kafka, test: "TestFencedUnheard", says: "fenced twice within a minute"},
	{fault: fault.NoSweep, pkg: e2e, test: "TestSimulation", says: "which is not there|which the changelog does not have"},
	{fault: fault.ExpireNewest, pkg: e2e, test: "TestSimulation", says: "though only windows up to|may be"},
}
