package watermark

// job is a few partitions and the windows they opened, as the engine drives them: one
// order or one idle decision at a time, each committed at once.
type job struct {
	size, grace int64
	idleness    Idleness
	parts       []Partition
	open        ends
	through     int64 // C
	late        int
	counted     int
}

func newJob(partitions int, size, grace int64) *job {
	j := &job{size: size, grace: grace, idleness: Idleness{Timeout: 1, Grace: grace}, open: make(ends), through: None}
	for range partitions {
		j.parts = append(j.parts, NewPartition())
	}
	return j
}

// end is the end of the window of ts.
func (j *job) end(ts int64) int64 {
	start := ts - ts%j.size
	if ts%j.size < 0 {
		start -= j.size
	}
	return start + j.size
}

// add takes an order and returns C afterwards.
func (j *job) add(p int, ts int64) int64 {
	part := &j.parts[p]
	part.Idle = false
	if part.Late(j.end(ts)) {
		j.late++
		return j.through
	}
	j.counted++
	j.open[j.end(ts)] = true
	part.Accept(ts, j.grace)
	return j.close()
}

// idle marks a partition idle at a wall clock and returns C afterwards.
func (j *job) idle(p int, now int64) int64 {
	part := &j.parts[p]
	part.CloseThrough = max(part.CloseThrough, j.idleness.Raise(p, j.parts, j.open, now))
	part.Idle = true
	return j.close()
}

// close commits C and closes the windows that end at or before it.
func (j *job) close() int64 {
	j.through = max(j.through, CloseThrough(j.parts))
	for end := range j.open {
		if end <= j.through {
			delete(j.open, end)
		}
	}
	return j.through
}

// ends is a set of the ends of open windows.
type ends map[int64]bool

func (e ends) AnyEnd(after, through int64) bool {
	for end := range e {
		if end > after && end <= through {
			return true
		}
	}
	return false
}

func (e ends) NewestEnd() (int64, bool) {
	newest := None
	for end := range e {
		newest = max(newest, end)
	}
	return newest, len(e) > 0
}
