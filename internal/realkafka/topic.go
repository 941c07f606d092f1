package realkafka

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// CreateTopic creates a topic, replicated to all brokers, and returns when all
// its partitions answer.
func (c *Cluster) CreateTopic(ctx context.Context, name string, partitions int32, configs map[string]string) error {
	values := map[string]*string{}
	for key, value := range configs {
		values[key] = &value
	}
	created, err := c.Admin().CreateTopic(ctx, partitions, -1, values, name)
	if err != nil {
		return fmt.Errorf("create topic %s: %w %s", name, err, created.ErrMessage)
	}
	for p := range partitions {
		if _, err := c.Offsets(ctx, name, p); err != nil {
			return fmt.Errorf("create topic %s: %w", name, err)
		}
	}
	return nil
}

// Leader returns the leader of a partition.
func (c *Cluster) Leader(ctx context.Context, topic string, partition int32) (*Broker, error) {
	var leader *Broker
	err := c.wait(ctx, lookupWait, fmt.Sprintf("a leader of %s/%d", topic, partition), func(ctx context.Context) error {
		info, err := c.describe(ctx, topic)
		if err != nil {
			return err
		}
		leader, err = c.leader(info, partition)
		return err
	})
	return leader, err
}

// describe asks a running broker for a topic; kadm could answer with what the
// client knew before a kill.
func (c *Cluster) describe(ctx context.Context, topic string) (*kmsg.MetadataResponseTopic, error) {
	b, err := c.any()
	if err != nil {
		return nil, err
	}
	named := kmsg.NewMetadataRequestTopic()
	named.Topic = &topic
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{named}
	resp, err := req.RequestWith(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("describe topic %s: %w", topic, err)
	}
	if len(resp.Topics) != 1 {
		return nil, fmt.Errorf("describe topic %s: %d answers", topic, len(resp.Topics))
	}
	if err := kerr.ErrorForCode(resp.Topics[0].ErrorCode); err != nil {
		return nil, fmt.Errorf("describe topic %s: %w", topic, err)
	}
	return &resp.Topics[0], nil
}

func (c *Cluster) leader(info *kmsg.MetadataResponseTopic, partition int32) (*Broker, error) {
	for _, p := range info.Partitions {
		if p.Partition != partition {
			continue
		}
		if b := c.Broker(p.Leader); b != nil {
			return b, nil
		}
		return nil, fmt.Errorf("partition %d has leader %d: %w", partition, p.Leader, kerr.ErrorForCode(p.ErrorCode))
	}
	return nil, fmt.Errorf("partition %d is not among the %d of the topic", partition, len(info.Partitions))
}
