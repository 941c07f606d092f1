package kafka

import (
	"context"
	"fmt"

	"windowed/internal/engine"
)

// Committed implements engine.Inputs.
func (a *Admin) Committed(ctx context.Context, partitions []int32) (map[int32]int64, error) {
	topic := a.cfg.Topics.Orders
	all := make(map[int32]int64)
	if len(partitions) == 0 {
		return all, nil
	}
	group, err := a.adm.FetchOffsetsForTopics(ctx, a.cfg.Group, topic)
	if err == nil {
		err = group.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("fetch offsets of group %s: %w", a.cfg.Group, err)
	}
	for _, p := range partitions {
		if at, ok := group.Lookup(topic, p); ok && at.At >= 0 {
			all[p] = at.At
		}
	}
	return all, nil
}

// Offsets implements engine.Inputs.
func (a *Admin) Offsets(ctx context.Context, partitions []int32) (map[int32]engine.InputOffsets, error) {
	topic := a.cfg.Topics.Orders
	starts, err := a.adm.ListStartOffsets(ctx, topic)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("list start offsets of %s: %w", topic, err)
	}
	ends, err := a.adm.ListEndOffsets(ctx, topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("list end offsets of %s: %w", topic, err)
	}
	all := make(map[int32]engine.InputOffsets, len(partitions))
	for _, p := range partitions {
		start, known := starts.Lookup(topic, p)
		end, ok := ends.Lookup(topic, p)
		if !known || !ok {
			// It is assigned to us: a broker that has not heard of it yet.
			return nil, fmt.Errorf("%s has no partition %d", topic, p)
		}
		all[p] = engine.InputOffsets{Start: start.Offset, End: end.Offset}
	}
	return all, nil
}

// Stable implements engine.Inputs.
func (a *Admin) Stable(ctx context.Context) (engine.Ends, error) {
	orders, changelog := a.cfg.Topics.Orders, a.cfg.Topics.Changelog
	listed, err := a.adm.ListCommittedOffsets(ctx, orders, changelog)
	if err != nil {
		return engine.Ends{}, fmt.Errorf("list last stable offsets of %s: %w", orders, err)
	}
	ends := engine.Ends{Orders: make(map[int32]int64), Changelog: make(map[int32]int64)}
	for topic, into := range map[string]map[int32]int64{orders: ends.Orders, changelog: ends.Changelog} {
		for p, o := range listed[topic] {
			if o.Err == nil {
				into[p] = o.Offset
			}
		}
	}
	return ends, nil
}

// Partitions implements engine.Inputs.
func (a *Admin) Partitions(ctx context.Context) (engine.PartitionCounts, error) {
	in, err := a.Topic(ctx, a.cfg.Topics.Orders)
	if err != nil {
		return engine.PartitionCounts{}, err
	}
	log, err := a.Topic(ctx, a.cfg.Topics.Changelog)
	return engine.PartitionCounts{Orders: in.Partitions, Changelog: log.Partitions, ID: in.ID}, err
}

// Grow implements engine.Inputs.
func (a *Admin) Grow(ctx context.Context) error {
	in, err := a.Topic(ctx, a.cfg.Topics.Orders)
	if err != nil {
		return err
	}
	if _, err := a.grow(ctx, a.cfg.Topics.Changelog, in.Partitions); err != nil {
		return fmt.Errorf("%w; %s has %d partitions and waits for it: run windowed topics create%s", err, in.Name, in.Partitions, a.flags())
	}
	return nil
}

// Batch implements engine.Inputs.
func (a *Admin) Batch(ctx context.Context, p int32, offset int64) (first, next int64, err error) {
	topic := a.cfg.Topics.Orders
	rp, err := fetchRaw(ctx, a.cl, topic, p, offset)
	if err != nil {
		return 0, 0, err
	}
	if len(rp.RecordBatches) < batchHeader {
		return 0, 0, fmt.Errorf("%s partition %d has no batch at offset %d", topic, p, offset)
	}
	first, next = batch(rp.RecordBatches).span()
	return first, next, nil
}

// Others is the number of members of the group that are not this instance.
func (a *Admin) Others(ctx context.Context) (int, error) {
	all, err := members(ctx, a.adm, a.cfg.Group)
	n := 0
	for _, m := range all {
		if !m.isInstance(a.cfg.Instance) {
			n++
		}
	}
	return n, err
}
