package engine

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"windowed/internal/event"
	"windowed/window"
)

// The properties here hold without idleness and future records: then results depend on
// each partition's records in their order, and on nothing else.

// genConfig draws a configuration without a clock in it.
func genConfig(t *rapid.T) Config {
	return Config{
		Window: window.Size(rapid.SampledFrom([]int64{1, 7, 10, 1000}).Draw(t, "window")),
		Grace:  rapid.SampledFrom([]int64{0, 1, 15, 200}).Draw(t, "grace"),
		// Expiry must not take away what is compared at the end.
		Retention: 1 << 40, Top: rapid.IntRange(1, 5).Draw(t, "top"), MaxFuture: 1 << 50,
		Order: event.Config{TimeField: "ts"}, closeChunk: rapid.SampledFrom([]int{1, 3, 0}).Draw(t, "chunk"),
	}
}

// genSamples draws the records of one partition, in disorder, with jumps, repeated
// times and some that are no orders.
func genSamples(t *rapid.T, label string, least int) []*sample {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, label+" seed"), 1))
	cursor := rapid.Int64Range(-300, 300).Draw(t, label+" start")
	var all []*sample
	for i := range rapid.IntRange(least, 40).Draw(t, label+" records") {
		cursor += rapid.SampledFrom([]int64{0, 1, 3, 3, 8, 20, 400}).Draw(t, "step")
		at := cursor - rapid.SampledFrom([]int64{0, 0, 0, 2, 10, 60}).Draw(t, "behind")
		all = append(all, newSample(r, int64(i), at, 1000))
	}
	return all
}

func records(samples []*sample) []Record {
	all := make([]Record, len(samples))
	for i, s := range samples {
		all[i] = s.rec
	}
	return all
}

// TestBatchesDoNotMatter: any split into batches, any order of fetches across the
// partitions, and restarts anywhere give finals that are equal to the byte: time is
// restored with the counts (KAFKA-7994, FLINK-4616, FLINK-36663).
func TestBatchesDoNotMatter(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		cfg := genConfig(r)
		partitions := rapid.IntRange(1, 3).Draw(r, "partitions")
		left := make([][]Record, partitions)
		plain := newJob(r, cfg, partitions)
		defer plain.close()
		for p := range left {
			left[p] = records(genSamples(r, "partition", 0))
			plain.feed(p, left[p]...)
		}
		plain.finish()

		job := newJob(r, cfg, partitions)
		defer job.close()
		for {
			p := nextPartition(r, left)
			if p < 0 {
				break
			}
			n := rapid.IntRange(1, len(left[p])).Draw(r, "batch")
			job.feed(p, left[p][:n]...)
			left[p] = left[p][n:]
			switch rapid.IntRange(0, 9).Draw(r, "restart") {
			case 0:
				job.reopen()
			case 1:
				job.rebuild()
			case 2:
				job.must(job.st.Checkpoint(true))
			}
		}
		job.finish()
		if got, want := job.finals(), plain.finals(); !slices.Equal(got, want) {
			r.Fatalf("finals\n%q\nwant\n%q", got, want)
		}
		if got, want := job.allTime(), plain.allTime(); !slices.Equal(got, want) {
			r.Fatalf("all-time %v, want %v", got, want)
		}
		if got, want := job.st.Totals(), plain.st.Totals(); got != want {
			r.Fatalf("totals %+v, want %+v", got, want)
		}
		if got, want := deadLetters(job), deadLetters(plain); !slices.Equal(got, want) {
			r.Fatalf("dead letters %v, want %v", got, want)
		}
		checkSums(r, job)
	})
}

// nextPartition draws a partition that has records left; -1 if none has.
func nextPartition(t *rapid.T, left [][]Record) int {
	var some []int
	for p := range left {
		if len(left[p]) > 0 {
			some = append(some, p)
		}
	}
	if len(some) == 0 {
		return -1
	}
	return rapid.SampledFrom(some).Draw(t, "next")
}

type letterID struct {
	partition int32
	offset    int64
	reason    event.Reason
}

// deadLetters are the dead letters of a job, in order of partition and offset.
func deadLetters(j *job) []letterID {
	var all []letterID
	for _, d := range j.dead {
		all = append(all, letterID{d.Partition, d.Offset, d.Reason})
	}
	slices.SortFunc(all, func(a, b letterID) int {
		return cmp.Or(cmp.Compare(a.partition, b.partition), cmp.Compare(a.offset, b.offset))
	})
	return all
}

// checkSums: what the finals say and what was late make up all of time.
func checkSums(t *rapid.T, j *job) {
	var portions, recs uint64
	last := map[int64]Output{}
	for _, o := range j.outputs {
		last[o.Scope.Start] = o
	}
	for _, o := range last {
		portions, recs = portions+o.Total, recs+o.Records
	}
	k := j.st.Totals()
	if portions+k.LatePortions != k.Portions || recs+k.Late != k.AllTimeRecords() {
		t.Fatalf("finals have %d records and %d portions, late %d and %d, all-time %d and %d",
			recs, portions, k.Late, k.LatePortions, k.AllTimeRecords(), k.Portions)
	}
	var all uint64
	for _, e := range j.allTime() {
		all += e.Count
	}
	if all != k.Portions {
		t.Fatalf("all-time counts sum up to %d, portions are %d", all, k.Portions)
	}
}

// TestAmendedSums: with late records put into their windows nothing is late as long as
// windows are retained, and the last revisions make up all of time.
func TestAmendedSums(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		cfg := genConfig(r)
		cfg.Late = AmendLate
		j := newJob(r, cfg, 1)
		defer j.close()
		left := [][]Record{records(genSamples(r, "partition", 1))}
		for nextPartition(r, left) == 0 {
			n := rapid.IntRange(1, len(left[0])).Draw(r, "batch")
			j.now += cfg.Flush + 1
			j.feed(0, left[0][:n]...)
			left[0] = left[0][n:]
		}
		j.now += cfg.Flush + 1
		j.finish()
		if k := j.st.Totals(); k.Late != 0 {
			r.Fatalf("late records: %+v", k)
		}
		checkSums(r, j)
		j.finals() // revisions count up without a gap
	})
}

// TestOrderWithinGraceDoesNotMatter: any order of a partition's records that keeps each
// within grace of the newest before it gives the same finals.
func TestOrderWithinGraceDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		cfg := genConfig(r)
		samples := genSamples(r, "partition", 1)
		samples = slices.DeleteFunc(samples, func(s *sample) bool { return s.rec.Control || s.invalid != event.None })
		var want []string
		for range 3 {
			// Sorted by time plus less than grace, nothing is further behind than grace.
			key := map[*sample]int64{}
			for _, s := range samples {
				key[s] = s.time + rapid.Int64Range(0, cfg.Grace).Draw(r, "delay")
			}
			slices.SortStableFunc(samples, func(a, b *sample) int { return cmp.Compare(key[a], key[b]) })
			j := newJob(r, cfg, 1)
			defer j.close()
			recs := records(samples)
			for i := range recs {
				recs[i].Offset = int64(i)
			}
			j.feed(0, recs...)
			j.finish()
			if late := j.st.Totals().Late; late > 0 {
				r.Fatalf("%d late within grace", late)
			}
			got := j.finals()
			if want == nil {
				want = got
			}
			if !reflect.DeepEqual(got, want) {
				r.Fatalf("finals\n%q\nwant\n%q", got, want)
			}
		}
	})
}
