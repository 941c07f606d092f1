//go:build unix

package e2e

import (
	"strings"
	"testing"
)

// TestTopics makes, checks and deletes topics, and runs on wrong ones.
func TestTopics(t *testing.T) {
	t.Parallel()
	o := newBroker(t)
	p := newPlace(t, steady...).on(o.seed)
	at := "--brokers=" + o.seed
	check := func() *outcome { t.Helper(); return p.run("topics", "check", at) }

	// Nothing is made on somebody's broker unless it is asked for.
	p.start().refuses(2, names.Orders+" does not exist", names.Changelog, "windowed topics create", at)
	missing := check()
	missing.exits(3, "4 problems")
	mustSay(t, missing.out, names.Orders, names.Changelog, names.Output, names.DeadLetters, "does not exist", "windowed topics create", at)
	p.run("restore", at).exits(2, "windowed topics create")

	out := p.run("topics", "create", at, "--partitions=2").ok()
	if n := strings.Count(out, "created"); n != 4 {
		t.Errorf("%d topics are created, not 4:\n%s", n, out)
	}
	mustSay(t, check().ok(), "ok")
	if out := p.run("topics", "create", at, "--partitions=3").ok(); strings.Contains(out, "created") || strings.Contains(out, "added") {
		t.Errorf("the second time:\n%s", out)
	}
	g := p.start().running()
	o.send(to(0, one(noon, "latte", 1)), to(1, one(noon, "tea", 2)))
	g.reaches(map[int32]int64{0: 1, 1: 1})
	g.stop()

	p.run("topics", "delete", at).exits(2, "--yes", names.Changelog)
	check().ok()
	p.run("topics", "delete", at, "--yes").ok()
	check().exits(3)
}

// TestTopicsWrong runs on a changelog that would lose counts (faust#137, KAFKA-9335).
func TestTopicsWrong(t *testing.T) {
	t.Parallel()
	o := newBroker(t)
	p := newPlace(t, steady...).on(o.seed)
	at := "--brokers=" + o.seed
	o.createAll(2)

	for _, wrong := range []struct {
		partitions int32
		policy     string
		says       []string
		code       int // of check
	}{
		{2, "delete", []string{`cleanup.policy is "delete"`, "--add-config cleanup.policy=compact"}, 3},
		{2, "compact,delete", []string{`cleanup.policy is "compact,delete"`, "--add-config cleanup.policy=compact"}, 3},
		{1, "compact", []string{"has 1 partitions, " + names.Orders + " has 2", "windowed topics create"}, 3},
		{3, "compact", []string{"has 3 partitions, " + names.Orders + " has only 2", "--changelog-topic"}, 3},
	} {
		o.remove(names.Changelog)
		o.create(names.Changelog, wrong.partitions, "cleanup.policy", wrong.policy)
		p.start().refuses(2, append(wrong.says, names.Changelog)...)
		checked := p.run("topics", "check", at)
		checked.exits(3)
		mustSay(t, checked.out, wrong.says...)
	}

	// Too few are added by create.
	o.remove(names.Changelog)
	o.create(names.Changelog, 1, "cleanup.policy", "compact")
	mustSay(t, p.run("topics", "create", at).ok(), "partitions added")
	mustSay(t, p.run("topics", "check", at).ok(), "ok")
	p.start().running().stop()
}
