package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// adminWait is how long the broker may take to make or delete topics, and loadWait for all
// orders.
const (
	adminWait = time.Minute
	loadWait  = 10 * time.Minute
)

// makeTopic makes a topic for orders. Their time lies in the past, which is no reason to
// delete them.
func makeTopic(ctx context.Context, brokers []string, topic string, partitions int) error {
	ctx, cancel := context.WithTimeout(ctx, adminWait)
	defer cancel()
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		return err
	}
	defer cl.Close()
	forever := "-1"
	if _, err := kadm.NewClient(cl).CreateTopic(ctx, int32(partitions), 1, map[string]*string{"retention.ms": &forever}, topic); err != nil {
		return fmt.Errorf("make topic %s: %w", topic, err)
	}
	return nil
}

// deleteTopics deletes all topics whose name begins with prefix.
func deleteTopics(ctx context.Context, brokers []string, prefix string) error {
	ctx, cancel := context.WithTimeout(ctx, adminWait)
	defer cancel()
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		return err
	}
	defer cl.Close()
	admin := kadm.NewClient(cl)
	found, err := admin.ListTopics(ctx)
	if err != nil {
		return fmt.Errorf("list the topics: %w", err)
	}
	var names []string
	for _, name := range found.Names() {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	_, err = admin.DeleteTopics(ctx, names...)
	return err
}

// slab is how much memory the orders that are on their way are cut from.
const slab = 1 << 20

// load makes the orders of w and puts them into a topic.
func load(ctx context.Context, brokers []string, topic string, w *Workload) error {
	if err := makeTopic(ctx, brokers, topic, w.Partitions); err != nil {
		return err
	}
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.ProducerLinger(50*time.Millisecond), kgo.MaxBufferedRecords(100_000),
	)
	if err != nil {
		return err
	}
	defer cl.Close()
	ctx, end := context.WithTimeout(ctx, loadWait)
	defer end()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pick := newSampler(w.Drinks, w.Zipf)
	var group sync.WaitGroup
	for p := range w.Partitions {
		group.Go(func() { loadPartition(ctx, cl, topic, w.maker(p, pick), p, cancel) })
	}
	group.Wait()
	if err := cl.Flush(ctx); err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	return context.Cause(ctx)
}

func loadPartition(ctx context.Context, cl *kgo.Client, topic string, m *maker, p int, failed context.CancelCauseFunc) {
	promise := func(_ *kgo.Record, err error) {
		if err != nil {
			failed(fmt.Errorf("load topic %s, partition %d: %w", topic, p, err))
		}
	}
	var buf []byte
	for o, ok := m.next(); ok && ctx.Err() == nil; o, ok = m.next() {
		if cap(buf)-len(buf) < 64<<10 {
			buf = make([]byte, 0, slab)
		}
		at := len(buf)
		buf = o.append(buf, m.w.Size)
		cl.Produce(ctx, &kgo.Record{Topic: topic, Partition: int32(p), Value: buf[at:len(buf):len(buf)]}, promise)
	}
}
