package realkafka

import (
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Ready waits until every running broker sees exactly the running brokers and a
// controller, has producer ids to give, and knows the coordinators. After a
// Kill it so also waits until the cluster has noticed, and after a Start until
// the broker is back.
func (c *Cluster) Ready(ctx context.Context) error {
	var want []int32
	for _, b := range c.brokers {
		if b.Running() {
			want = append(want, b.ID)
		}
	}
	if len(want) == 0 {
		return fmt.Errorf("waiting for the cluster: %w", errNoneRunning)
	}
	for _, id := range want {
		b := c.Broker(id)
		what := fmt.Sprintf("broker %d to see brokers %v and a controller", id, want)
		if err := c.wait(ctx, readyWait, what, func(ctx context.Context) error { return b.sees(ctx, want) }); err != nil {
			return err
		}
	}
	for _, id := range want {
		b := c.Broker(id)
		what := fmt.Sprintf("broker %d to give out producer ids and know the coordinators", id)
		if err := c.wait(ctx, readyWait, what, b.warmUp); err != nil {
			return err
		}
	}
	return nil
}

// sees asks b itself: a client would answer from its cache.
func (b *Broker) sees(ctx context.Context, want []int32) error {
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{} // none; nil would mean all
	resp, err := req.RequestWith(ctx, b)
	if err != nil {
		return err
	}
	if resp.ClusterID == nil || *resp.ClusterID != b.c.id {
		return fmt.Errorf("another Kafka cluster answers at %s", b.Addr())
	}
	var got []int32
	for _, broker := range resp.Brokers {
		got = append(got, broker.NodeID)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		return fmt.Errorf("it sees brokers %v", got)
	}
	if resp.ControllerID < 0 {
		return fmt.Errorf("it sees no controller")
	}
	return nil
}

// warmUp takes the two slow first times out of the tests' way: a broker fetches
// its first block of producer ids only when asked for one, and the topics of the
// coordinators are created when the first is looked for. Clients would wait for
// them with growing back-off.
func (b *Broker) warmUp(ctx context.Context) error {
	req := kmsg.NewPtrInitProducerIDRequest()
	resp, err := req.RequestWith(ctx, b)
	if err != nil {
		return fmt.Errorf("ask for a producer id: %w", err)
	}
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return fmt.Errorf("ask for a producer id: %w", err)
	}
	// These keys fall on the three partitions of the coordinators' topics.
	for _, kind := range []int8{groupCoordinator, txnCoordinator} {
		if _, err := b.findCoordinators(ctx, kind, "a", "b", "c"); err != nil {
			return err
		}
	}
	return nil
}
