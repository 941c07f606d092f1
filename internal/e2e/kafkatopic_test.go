//go:build unix

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// steps sends n orders to each partition, their event times a window apart and the same in
// all partitions, so that nothing is late for anybody.
func (j *job) steps(from, n int) {
	j.t.Helper()
	j.stepsOf(partitions(j.partitions), from, n)
}

func partitions(n int32) (all []int32) {
	for p := range n {
		all = append(all, p)
	}
	return all
}

func (j *job) stepsOf(partitions []int32, from, n int) {
	j.t.Helper()
	for i := range n {
		for _, p := range partitions {
			j.send(j.order(p, one(noon+int64(from+i)*killWindow.Milliseconds(), fmt.Sprintf("drink %d", p), uint64(i+1))))
		}
	}
}

// morePartitions adds partitions to the orders while two instances run.
func (s *site) morePartitions(t *testing.T) {
	j := s.job(t, 2, nil)
	all := []*program{j.place().start(), j.place().start()}
	for _, g := range all {
		g.running()
	}
	j.steps(0, 10)
	ctx, cancel := bounded()
	defer cancel()
	j.partitions = 5
	if _, err := j.adm.UpdatePartitions(ctx, int(j.partitions), j.topics.Orders); err != nil {
		t.Fatal(err)
	}
	for p := range j.partitions { // until all answer
		if _, err := s.cluster.Offsets(ctx, j.topics.Orders, p); err != nil {
			t.Fatal(err)
		}
	}
	fresh := look(t, j.seed) // which knows of them
	j.cl, j.adm = fresh.cl, fresh.adm
	began := time.Now()
	j.stepsOf([]int32{2, 3, 4}, 10, 20) // while the others wait: nothing is late anywhere
	for _, g := range all {
		g.reaches(j.now())
	}
	j.stepsOf([]int32{0, 1}, 10, 20)
	j.steps(30, 5)
	t.Logf("all partitions are counted %v after there were more", time.Since(began).Round(time.Millisecond))
	figures.fault("partitions added", 1)
	j.settle(all...)
}

// gone is a topic that is deleted under a running program.
type gone struct {
	name string
	of   func(*job) string
	back bool     // and made anew at once
	fix  []string // flags of the start that resolves it
	wipe bool     // and the state directory has to go
}

// topicsGone deletes topics under a running program: it must end and say what to do, not
// spin, and skip nothing.
func (s *site) topicsGone(t *testing.T) {
	orders := func(j *job) string { return j.topics.Orders }
	changelog := func(j *job) string { return j.topics.Changelog }
	output := func(j *job) string { return j.topics.Output }
	for _, gone := range []gone{
		{name: "orders", of: orders, fix: []string{"--accept-new-input"}},
		{name: "orders, back at once", of: orders, back: true, fix: []string{"--accept-new-input"}},
		{name: "changelog", of: changelog, fix: []string{"--reset-counts"}, wipe: true},
		{name: "changelog, back at once", of: changelog, back: true, fix: []string{"--reset-counts"}, wipe: true},
		{name: "output", of: output},
		{name: "output, back at once", of: output, back: true},
	} {
		t.Run(gone.name, func(t *testing.T) {
			t.Parallel()
			gone.run(t, s)
		})
	}
}

func (gone gone) run(t *testing.T, s *site) {
	j := s.job(t, 2, nil)
	topic := gone.of(j)
	p := j.place()
	g := p.start().running()
	j.steps(0, 3)
	g.reaches(j.now())
	eventually(t, "a final", func() error { // so that the client knows the output topic
		if n := len(finals(j.outside, j.topics.Output)); n < 1 {
			return fmt.Errorf("%d finals", n)
		}
		return nil
	})
	before := g.status().Portions
	j.remove(topic)
	if gone.back {
		j.makeAgain(topic)
	}
	figures.fault("topic deleted", 1)
	if removed := time.Now(); j.noticed(g, topic, gone.back) {
		t.Logf("ended after %v: %s", time.Since(removed).Round(time.Millisecond), lastLines(g.stderr.String(), 1))
		if g.code != 1 && g.code != 2 {
			t.Errorf("exit code %d", g.code)
		}
		mustSay(t, g.stderr.String(), topic)
		if len(gone.fix) == 0 || said(g.stderr.String(), gone.fix...) != nil {
			mustSay(t, g.stderr.String(), "docs/operations.md")
		}
	}
	g.calm()
	if !gone.back {
		j.makeAgain(topic)
	}
	if gone.wipe {
		p.wipe()
	}
	if topic != j.topics.Orders {
		before = 0
	}
	j.resolved(p, gone.fix, before, topic == j.topics.Output)
}

// noticed lets the program go on with what it has left until it ends. An output topic that
// is back before the next write to it may be written to as if nothing had happened: then
// it is stopped.
func (j *job) noticed(g *program, topic string, back bool) bool {
	j.t.Helper()
	for step := 3; ; step++ {
		select {
		case <-g.done:
			return true
		case <-time.After(100 * time.Millisecond):
		}
		switch {
		case topic != j.topics.Orders || back:
			j.steps(step, 1)
		case step > 600:
			j.t.Fatal("the program does not notice")
		}
		if step > 50 && topic == j.topics.Output && back {
			g.stop()
			return false
		}
		if step > 90 && topic != j.topics.Orders {
			j.t.Fatal("the program does not notice")
		}
	}
}

func (j *job) makeAgain(topic string) {
	j.t.Helper()
	if topic == j.topics.Changelog {
		j.make(topic, j.partitions, map[string]string{"cleanup.policy": "compact"})
	} else if topic == j.topics.Output {
		j.make(topic, 1, nil)
	} else {
		j.make(topic, j.partitions, nil)
	}
	j.cl.ForceMetadataRefresh()
}

// resolved starts once as the message says, and checks that all that was ever sent is
// counted: what the deleted input had, and what is in the topic now.
func (j *job) resolved(p *place, fix []string, deleted uint64, output bool) {
	j.t.Helper()
	j.steps(100, 5) // more than there were at first: the new input has other offsets
	g := p.with(fix...).start().running().reaches(j.now())
	e := modelled(j.t, j.outside, rules{window: killWindow, grace: killGrace})
	if have, want := g.status().Portions, deleted+e.allTime.portions; have != want {
		j.t.Errorf("%d portions are counted, not %d", have, want)
	}
	figures.sums(deleted+e.allTime.portions, g.status().Portions)
	j.onceEach(e, output)
	g.stop()
	p.start().running().reaches(j.now()).stop()
}

// onceEach waits until every window between those closed at first and those open at last
// has a final, and checks that none has two. Where counting begins anew, those closed at
// first have one more. Where the output was deleted, some were still written to the old
// topic; from the first one in the new topic on none may be missing.
func (j *job) onceEach(e *expectation, output bool) {
	j.t.Helper()
	size := killWindow.Milliseconds()
	eventually(j.t, "all finals", func() error {
		from, to := noon+size, noon+102*size
		seen := make(map[string]int)
		for _, r := range finals(j.outside, j.topics.Output) {
			seen[string(r.Key)]++
		}
		for _, start := range e.starts() {
			n := seen[label(start)]
			if output && n == 0 && start == from && start < noon+100*size {
				from += size
			}
			switch {
			case start < from || start > to:
			case n > 1:
				j.t.Fatalf("%s has %d finals", label(start), n)
			case n == 0:
				return fmt.Errorf("%s has none", label(start))
			}
		}
		return nil
	})
}

// calm checks that a program that has ended did not spin.
func (g *program) calm() {
	g.t.Helper()
	state := g.cmd.ProcessState
	busy, lines := state.UserTime()+state.SystemTime(), strings.Count(g.stderr.String(), "\n")
	g.t.Logf("%v of CPU time, %d lines of log", busy.Round(time.Millisecond), lines)
	if busy > 10*time.Second || lines > 200 && os.Getenv(logsVariable) == "" {
		g.t.Errorf("that is spinning:\n%s", lastLines(g.stderr.String(), 10))
	}
}

// tooLarge: a topic refuses what the program writes to it.
func (s *site) tooLarge(t *testing.T) {
	for _, topic := range []string{"output", "changelog"} {
		t.Run(topic, func(t *testing.T) {
			t.Parallel()
			j := s.job(t, 2, nil)
			name := j.topics.Output
			if topic == "changelog" {
				name = j.topics.Changelog
			}
			j.limit(name, "10000")
			p := j.place("--top=1000", "--flush=200ms")
			g := p.start().running()
			items := make([]item, 200)
			for i := range items {
				items[i] = item{Drink: longName(), Quantity: 1}
			}
			j.send(j.order(0, orderAt(noon, items...)))
			g.ends(1)
			mustSay(t, g.stderr.String(), name, "max.message.bytes")
			g.calm()
			t.Log(lastLines(g.stderr.String(), 1))
			j.limit(name, "1048588")
			figures.fault("record too large", 1)
			g = p.with("--top=10").start().running()
			j.steps(1, 3)
			j.settle(g)
		})
	}
}

// longName is the longest name there may be, of letters that do not compress.
func longName() string {
	b := make([]byte, 250)
	for i := range b {
		b[i] = byte('a' + rand.IntN(26))
	}
	return string(b)
}

// limit sets the largest batch a topic takes.
func (j *job) limit(topic, bytes string) {
	j.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	altered, err := j.adm.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "max.message.bytes", Value: &bytes}}, topic)
	if err == nil {
		err = altered[0].Err
	}
	if err != nil {
		j.t.Fatal(err)
	}
}
