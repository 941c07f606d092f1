//go:build unix

package e2e

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
)

// newBroker starts a broker in the test's own process, for --brokers. It outlives the
// programs of the test and forgets all at the end.
func newBroker(t *testing.T, more ...kfake.Opt) *outside {
	t.Helper()
	cluster, err := kfake.NewCluster(append(more,
		kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(500*time.Millisecond),
		// Its cleaner loses committed values; see internal/kafka/embedded.go.
		kfake.BrokerConfigs(map[string]string{"log.cleaner.backoff.ms": "315360000000"}),
	)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return look(t, cluster.ListenAddrs()[0])
}

// on is the place on somebody else's broker.
func (p *place) on(seed string) *place {
	return p.with("--brokers="+seed, "--session-timeout="+sessionTimeout.String())
}

// sessionTimeout is that of all instances on somebody else's broker.
const sessionTimeout = 2 * time.Second

// create makes a topic.
func (o *outside) create(topic string, partitions int32, config ...string) {
	o.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	configs := make(map[string]*string)
	for i := 0; i < len(config); i += 2 {
		configs[config[i]] = kadm.StringPtr(config[i+1])
	}
	resp, err := o.adm.CreateTopic(ctx, partitions, 1, configs, topic)
	if err == nil {
		err = resp.Err
	}
	if err != nil {
		o.t.Fatal(err)
	}
}

// createAll makes the job's topics with n partitions.
func (o *outside) createAll(n int32) {
	o.t.Helper()
	o.create(o.topics.Orders, n)
	o.create(o.topics.Changelog, n, "cleanup.policy", "compact")
	o.create(o.topics.Output, 1)
	o.create(o.topics.DeadLetters, n)
}

// remove deletes a topic.
func (o *outside) remove(topic string) {
	o.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	if _, err := o.adm.DeleteTopic(ctx, topic); err != nil {
		o.t.Fatal(err)
	}
	o.cl.PurgeTopicsFromClient(topic) // it would go on with the old topic's id
}

// cut deletes the records of a partition below an offset.
func (o *outside) cut(topic string, p int32, before int64) {
	o.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	var offsets kadm.Offsets
	offsets.AddOffset(topic, p, before, -1)
	resps, err := o.adm.DeleteRecords(ctx, offsets)
	if err == nil {
		err = resps.Error()
	}
	if err != nil {
		o.t.Fatal(err)
	}
}

// group is the default consumer group.
const group = "drink-count"

// commitOffset moves the group's committed offset of an input partition.
func (o *outside) commitOffset(p int32, offset int64) {
	o.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	var offsets kadm.Offsets
	offsets.AddOffset(o.topics.Orders, p, offset, -1)
	resps, err := o.adm.CommitOffsets(ctx, o.group, offsets)
	if err == nil {
		err = resps.Error()
	}
	if err != nil {
		o.t.Fatal(err)
	}
}
