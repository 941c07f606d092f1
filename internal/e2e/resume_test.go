//go:build unix

package e2e

import (
	"testing"
)

// counted starts a program on an own broker with 2 partitions, lets it count n orders of
// one latte in each, and stops it.
func counted(t *testing.T, n int, flags ...string) (*place, *outside) {
	t.Helper()
	o := newBroker(t)
	o.createAll(2)
	p := newPlace(t, append(flags, steady...)...).on(o.seed)
	g := p.start().running()
	lattes(o, n)
	g.reaches(o.ends(names.Orders))
	g.stop()
	return p, o
}

// lattes are n orders of one latte for both partitions.
func lattes(o *outside, n int) {
	o.t.Helper()
	for i := range n {
		o.send(o.order(0, one(noon+int64(i), "latte", 1)), o.order(1, one(noon+int64(i), "latte", 1)))
	}
}

// counts checks the all-time count of the one drink that there is.
func (g *program) counts(lattes uint64) {
	g.t.Helper()
	var top topAnswer
	g.answer("/v1/top", &top)
	if top.Total != lattes || len(top.Top) != 1 || top.Top[0].Count != lattes {
		g.t.Errorf("%d portions, %v; not %d lattes", top.Total, top.Top, lattes)
	}
}

// TestResumeGroupAhead moves the group's offset beyond what the state has counted.
func TestResumeGroupAhead(t *testing.T) {
	t.Parallel()
	p, o := counted(t, 5)
	lattes(o, 5)
	o.commitOffset(1, 8)
	p.start().refuses(2, "partition 1", "committed offset 8", "counted up to 5", "--accept-gap")
	g := p.with("--accept-gap").start().running().reaches(o.ends(names.Orders))
	g.counts(10 + 5 + 2)
	g.stop()
	p.start().running().stop()
}

// TestResumeGroupBehind moves the group's offset back: the state is the truth.
func TestResumeGroupBehind(t *testing.T) {
	t.Parallel()
	p, o := counted(t, 5)
	o.commitOffset(0, 0)
	o.commitOffset(1, 2)
	g := p.start().running()
	lattes(o, 1)
	g.reaches(o.ends(names.Orders)).counts(12)
	g.stop()
}

// TestResumeLostCounts loses the state directory and the changelog, but not the group's
// offsets.
func TestResumeLostCounts(t *testing.T) {
	t.Parallel()
	p, o := counted(t, 5)
	o.remove(names.Changelog)
	o.create(names.Changelog, 2, "cleanup.policy", "compact")
	p.start().refuses(2, "state directory", names.Changelog, "made anew")
	p.wipe()
	p.start().refuses(2, "committed offset 5", "--reset-counts", "--changelog-topic")
	g := p.with("--reset-counts").start().running().reaches(o.ends(names.Orders))
	g.counts(10)
	g.stop()
	p.start().running().counts(10)
}

// TestResumeNewInput makes the orders topic anew.
func TestResumeNewInput(t *testing.T) {
	t.Parallel()
	p, o := counted(t, 5)
	o.remove(names.Orders)
	o.create(names.Orders, 2)
	p.start().refuses(2, names.Orders, "made anew", "--accept-new-input")
	lattes(o, 7) // longer than before: only the topic's id tells
	p.start().refuses(2, names.Orders, "made anew", "--accept-new-input")
	g := p.with("--accept-new-input").start().running().reaches(o.ends(names.Orders))
	g.counts(24)
	g.stop()
	g = p.start().running()
	g.counts(24)
	g.stop()
}

// TestResumeDeleted deletes records before they are counted: what is gone is told, and the
// input is never read from its start again (KAFKA-19902).
func TestResumeDeleted(t *testing.T) {
	t.Parallel()
	p, o := counted(t, 5)
	lattes(o, 5)
	o.cut(names.Orders, 0, 8)
	p.start().refuses(2, "partition 0", "5 to 7 were deleted", "--accept-gap")
	g := p.with("--accept-gap").start().running().reaches(o.ends(names.Orders))
	g.counts(10 + 2 + 5)
	g.stop()
}

// TestResumeTopicGoes deletes the orders topic, or the changelog, under a running
// program, which must end and say what to do, whichever request meets it first.
func TestResumeTopicGoes(t *testing.T) {
	t.Parallel()
	for _, topic := range []string{names.Orders, names.Changelog} {
		o := newBroker(t)
		o.createAll(2)
		g := newPlace(t, steady...).on(o.seed).start().running()
		lattes(o, 2)
		g.reaches(o.ends(names.Orders))
		o.remove(topic)
		o.create(topic, 2, "cleanup.policy", "compact")
		eventually(t, "the program to notice", func() error {
			if !g.exited() {
				lattes(o, 1)
				return errRunning
			}
			return nil
		})
		if g.code != 1 && g.code != 2 {
			t.Errorf("%s: exit code %d", topic, g.code)
		}
		mustSay(t, g.stderr.String(), topic, "made anew")
		if fix := said(g.stderr.String(), "docs/operations.md"); fix != nil {
			mustSay(t, g.stderr.String(), "--accept-new-input")
		}
	}
}

// TestResumeSecondMember runs at least once beside another member.
func TestResumeSecondMember(t *testing.T) {
	t.Parallel()
	p, o := counted(t, 5)
	g := p.start().running()
	second := newPlace(t, steady...).on(o.seed).with("--guarantee=at-least-once")
	second.start().refuses(2, "group drink-count", "other member", "--guarantee=at-least-once")
	g.stop()

	// One that is alone stops as soon as another one comes.
	alone := second.start().running().reaches(map[int32]int64{0: 5, 1: 5})
	joined := p.start()
	alone.refuses(2, "--guarantee=at-least-once")
	joined.running().reaches(map[int32]int64{0: 5, 1: 5})
	lattes(o, 3)
	joined.reaches(o.ends(names.Orders)).counts(16)
	joined.stop()
}
