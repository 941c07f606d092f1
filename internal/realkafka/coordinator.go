package realkafka

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	groupCoordinator int8 = 0
	txnCoordinator   int8 = 1
)

// GroupCoordinator returns the broker that coordinates a consumer group.
func (c *Cluster) GroupCoordinator(ctx context.Context, group string) (*Broker, error) {
	return c.coordinator(ctx, groupCoordinator, group)
}

// TxnCoordinator returns the broker that coordinates a transactional id.
func (c *Cluster) TxnCoordinator(ctx context.Context, id string) (*Broker, error) {
	return c.coordinator(ctx, txnCoordinator, id)
}

func (c *Cluster) coordinator(ctx context.Context, kind int8, key string) (*Broker, error) {
	var found *Broker
	err := c.wait(ctx, lookupWait, fmt.Sprintf("the coordinator of %q", key), func(ctx context.Context) error {
		b, err := c.any()
		if err != nil {
			return err
		}
		ids, err := b.findCoordinators(ctx, kind, key)
		if err != nil {
			return err
		}
		if found = c.Broker(ids[0]); found == nil {
			return fmt.Errorf("the answer was broker %d", ids[0])
		}
		return nil
	})
	return found, err
}

// findCoordinators returns the broker ids of the coordinators of keys.
func (b *Broker) findCoordinators(ctx context.Context, kind int8, keys ...string) ([]int32, error) {
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.CoordinatorType, req.CoordinatorKeys = kind, keys
	resp, err := req.RequestWith(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("find the coordinator: %w", err)
	}
	if len(resp.Coordinators) != len(keys) {
		return nil, fmt.Errorf("find the coordinator: %d answers to %d keys", len(resp.Coordinators), len(keys))
	}
	ids := make([]int32, len(keys))
	for i, found := range resp.Coordinators {
		if err := kerr.ErrorForCode(found.ErrorCode); err != nil {
			return nil, fmt.Errorf("find the coordinator of type %d for %q: %w", kind, found.Key, err)
		}
		ids[i] = found.NodeID
	}
	return ids, nil
}
