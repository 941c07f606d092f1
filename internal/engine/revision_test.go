package engine

import (
	"slices"
	"testing"
)

// revisions are the finals that are not the first of their window, as start and
// revision, in the order they were emitted.
func (j *job) revisions() (all [][2]int64) {
	for _, o := range j.outputs {
		if o.Revision > 0 {
			all = append(all, [2]int64{o.Scope.Start, int64(o.Revision)})
		}
	}
	return all
}

func expectRevisions(t *testing.T, j *job, when string, want ...[2]int64) {
	t.Helper()
	if got := j.revisions(); !slices.Equal(got, want) {
		t.Fatalf("%s: revisions are %v, want %v", when, got, want)
	}
}

// TestRevisionsAreThrottled: at most one revision of a window and flush interval.
func TestRevisionsAreThrottled(t *testing.T) {
	j := reconfigured(t, Config{Retention: 1000, Late: AmendLate, Flush: 100})
	j.at(1, 11, 21)
	j.at(2, 12)
	expectRevisions(t, j, "amended", [2]int64{0, 1}, [2]int64{10, 1})
	j.now = 99
	j.at(3)
	expectRevisions(t, j, "amended within the interval", [2]int64{0, 1}, [2]int64{10, 1})
	j.now = 100
	j.settle()
	expectRevisions(t, j, "after the interval", [2]int64{0, 1}, [2]int64{10, 1}, [2]int64{0, 2})
	if last := j.outputs[len(j.outputs)-1]; last.Total != 3 {
		t.Errorf("the last revision is %+v", last)
	}
}

// TestClockGoesBack: a clock that is set back by years is no reason to hold back revisions
// until it is where it was.
func TestClockGoesBack(t *testing.T) {
	j := reconfigured(t, Config{Retention: 1000, Late: AmendLate, Flush: 100})
	j.now = 1 << 40
	j.at(1, 11, 21)
	j.at(2)
	expectRevisions(t, j, "amended", [2]int64{0, 1})
	j.now = 50
	j.at(3)
	expectRevisions(t, j, "amended after the clock was set back", [2]int64{0, 1}, [2]int64{0, 2})
}

// TestLastRevision: a window whose retention ends gets its last revision whether or not
// the flush interval is over; there is no later one that could tell (FLINK-26498).
func TestLastRevision(t *testing.T) {
	j := reconfigured(t, Config{Retention: 50, Late: AmendLate, Flush: 1000})
	j.at(1, 11)
	j.at(2)
	expectRevisions(t, j, "amended", [2]int64{0, 1})
	j.at(3, 500)
	expectRevisions(t, j, "time has jumped", [2]int64{0, 1}, [2]int64{0, 2})
	if last := j.outputs[len(j.outputs)-2]; last.Total != 3 {
		t.Errorf("the last revision is %+v", last)
	}
}

// TestRevisionsInChunks: when more windows need a last revision than fit into a
// transaction, C waits for them.
func TestRevisionsInChunks(t *testing.T) {
	for _, chunk := range []int{1, 2, 3, 500} {
		j := reconfigured(t, Config{Retention: 50, Late: AmendLate, closeChunk: chunk})
		j.at(1, 11, 21, 31)
		j.at(2, 12, 22, 500)
		expectRevisions(t, j, "time has jumped", [2]int64{0, 1}, [2]int64{10, 1}, [2]int64{20, 1})
		g, _ := j.st.Global()
		if g.CloseThrough != 500 {
			t.Errorf("C has stayed at %d", g.CloseThrough)
		}
	}
}

// TestCloseInChunks: a jump over many windows closes them in pieces, in window order;
// each transaction commits the C of its last window.
func TestCloseInChunks(t *testing.T) {
	j := reconfigured(t, Config{Retention: 1 << 40, Grace: 200, closeChunk: 3})
	for ts := int64(0); ts < 200; ts += 10 {
		j.at(ts)
	}
	b := j.begin(0)
	b.CloseAll(200)
	j.commit(map[int]*Batch{0: b}, &Emission{})
	for closed := 0; closed < 20; {
		em, err := j.emitter.Plan(j.st, 1, j.now)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(em.Outputs); n == 0 || n > 3 {
			t.Fatalf("%d finals in one transaction", n)
		}
		for _, o := range em.Outputs {
			if o.Scope.Start != int64(closed*10) {
				t.Fatalf("final of %d after %d others", o.Scope.Start, closed)
			}
			closed++
		}
		j.commit(map[int]*Batch{0: j.begin(0)}, &em)
		if g, _ := j.st.Global(); g.CloseThrough != int64(closed*10) {
			t.Fatalf("C is %d after %d windows", g.CloseThrough, closed)
		}
	}
}
