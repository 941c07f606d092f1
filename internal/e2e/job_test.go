//go:build unix

package e2e

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"windowed/internal/kafka"
	"windowed/internal/realkafka"
)

// site is one real broker for the jobs of many tests, with a proxy beside it.
type site struct {
	cluster *realkafka.Cluster
	proxy   *proxy
}

func newSite(t *testing.T) *site {
	t.Helper()
	realkafka.OptIn(t)
	p := newProxy(t)
	s := &site{cluster: realkafka.Start(t, realkafka.Proxied(p.addr)), proxy: p}
	p.to(s.cluster.Broker(1).BehindProxy())
	figures.brokers(1)
	return s
}

// job is one of the jobs of a site: its topics, its group, and the load on it.
type job struct {
	*outside
	site       *site
	partitions int32
	sending    []*load
}

// notInNames is what a topic's name may not hold.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9]+`)

// job makes a job for one test, with n partitions; config is that of its changelog.
func (s *site) job(t *testing.T, n int32, config map[string]string) *job {
	t.Helper()
	name := notInNames.ReplaceAllString(t.Name(), "-")
	j := &job{outside: look(t, s.cluster.Seeds()[0]), site: s, partitions: n}
	j.group = name
	j.topics = kafka.Topics{Orders: name + ".orders", Changelog: name + ".changelog", Output: name + ".output", DeadLetters: name + ".dead"}
	compact := map[string]string{"cleanup.policy": "compact"}
	for k, v := range config {
		compact[k] = v
	}
	j.make(j.topics.Orders, n, nil)
	j.make(j.topics.Changelog, n, compact)
	j.make(j.topics.Output, 1, nil)
	j.make(j.topics.DeadLetters, n, nil)
	figures.test()
	return j
}

// make makes a topic, and again while one of the name is still being deleted.
func (j *job) make(topic string, n int32, config map[string]string) {
	j.t.Helper()
	eventually(j.t, "topic "+topic, func() error {
		ctx, cancel := bounded()
		defer cancel()
		return j.site.cluster.CreateTopic(ctx, topic, n, config)
	})
}

// flags name the job.
func (j *job) flags() []string {
	return []string{
		"--brokers=" + j.seed, "--group=" + j.group, "--orders-topic=" + j.topics.Orders, "--changelog-topic=" + j.topics.Changelog,
		"--output-topic=" + j.topics.Output, "--dlq-topic=" + j.topics.DeadLetters,
	}
}

// counting are the flags of all commands that know of counts.
var counting = []string{"--window=" + killWindow.String(), "--grace=" + killGrace.String()}

// place is an empty place for an instance of the job.
func (j *job) place(flags ...string) *place {
	return newPlace(j.t, "--idle-timeout=0s", "--retention="+killRetention.String(), "--session-timeout="+sessionTimeout.String()).
		with(counting...).with(j.flags()...).with(flags...)
}

// restore restores a place that has no state, and returns what that says and how long it
// took.
func (j *job) restore(p *place) (*outcome, time.Duration) {
	j.t.Helper()
	began := time.Now()
	args := append([]string{"restore", "--state=" + p.state(), "--retention=" + retentionOf(p).String()}, counting...)
	return p.run(append(args, j.flags()...)...), time.Since(began)
}

// begin sends orders to the job, so many a second.
func (j *job) begin(rate int) *load {
	l := newLoad(j.t, func() string { return j.seed }, j.partitions, uint64(time.Now().UnixNano()))
	l.topic, l.rate = j.topics.Orders, rate
	l.begin()
	j.t.Cleanup(l.end)
	j.sending = append(j.sending, l)
	return l
}

// now are the ends of the input now.
func (j *job) now() map[int32]int64 { return j.ends(j.topics.Orders) }

// done waits until the program has counted all there is. What the load's client gave up on
// may still come in while this waits.
func (j *job) done(g *program) *program {
	j.t.Helper()
	eventually(j.t, "all to be counted", func() error {
		g.alive()
		ends := j.now()
		for _, p := range g.status().Partitions {
			if p.Next != ends[p.Partition] {
				return fmt.Errorf("partition %d is at %d of %d", p.Partition, p.Next, ends[p.Partition])
			}
			delete(ends, p.Partition)
		}
		if len(ends) > 0 {
			return fmt.Errorf("nothing of partitions %v", ends)
		}
		return nil
	})
	return g
}

// settle lets all be counted and all windows be closed, compares everything that came out
// with the input, and stops the instances.
func (j *job) settle(all ...*program) *expectation {
	j.t.Helper()
	for _, l := range j.sending {
		l.finish()
	}
	for i, g := range all {
		j.done(g).stop()
		// Idleness is a decision by the clock: it comes in only now that all is counted.
		all[i] = g.place.with("--idle-timeout=1s").start()
	}
	for _, g := range all {
		j.done(g.running()).closed()
	}
	e := modelled(j.t, j.outside, rules{window: killWindow, grace: killGrace})
	e.checkFinals(j.t, j.outside, 10, false)
	e.checkLetters(j.t, j.outside, false)
	figures.compared(e, all[0].status())
	if retention := retentionOf(all[0].place); retention != killRetention {
		e.expire(j.t, all[0], retention)
		e.buried(j.outside)
	}
	e.checkChangelog(j.t, j.outside)
	for _, g := range all {
		e.checkAnswers(j.t, g)
	}
	for _, g := range all {
		g.stop() // not before: the others would take over, and answer nothing meanwhile
	}
	return e
}

// instance is the instance id of a place that has run.
func instance(p *place) string { return read(p.state() + "/instance-id") }
