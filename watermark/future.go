package watermark

// FutureGuard refuses event times that lie ahead of the clock: one order of the year
// 2099 would make everything behind it late.
type FutureGuard struct {
	Max int64 // ms an event time may lie ahead
	Off bool  // replay has no clock to compare with
}

// Refuses says whether ts is too far ahead of reference: the wall clock, or, on a topic
// with LogAppendTime, the time the broker appended the record.
func (g FutureGuard) Refuses(ts, reference int64) bool {
	return !g.Off && ts > reference && ts-reference > g.Max
}
