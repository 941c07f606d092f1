package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/event"
)

// consumeCmd is a contestant that reads a topic to its end with franz-go, in a process of
// its own. It talks as a speaker does.
type consumeCmd struct {
	Form    string        `arg:"" enum:"raw,decode,map"`
	Brokers []string      `required:""`
	Topic   string        `required:""`
	Window  time.Duration `default:"1h"`
	Grace   time.Duration `default:"1m"`
	Answer  string
}

// consumer takes the records of a topic.
type consumer interface {
	take(r *kgo.Record) error
	answer() Answer
}

// Run reads to the end as it was at the start.
func (c *consumeCmd) Run(ctx context.Context) error {
	from := time.Now()
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(c.Brokers...), kgo.ConsumeTopics(c.Topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
	)
	if err != nil {
		return err
	}
	defer cl.Close()
	left, err := ends(ctx, cl, c.Topic)
	if err != nil {
		return err
	}
	to, err := c.consumer()
	if err != nil {
		return err
	}
	records := 0
	for len(left) > 0 {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return fmt.Errorf("read topic %s: %w", c.Topic, err)
		}
		for it := fetches.RecordIter(); !it.Done(); {
			r := it.Next()
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
			if r.Attrs.IsControl() {
				continue
			}
			if err := to.take(r); err != nil {
				return fmt.Errorf("topic %s, partition %d, offset %d: %w", c.Topic, r.Partition, r.Offset, err)
			}
			if records++; records == 1 {
				fmt.Println("first 1")
			}
		}
	}
	fmt.Println("done", records, time.Since(from).Seconds())
	return c.finish(to)
}

// endsEvery is how often it is asked whether the last transactions are readable.
const endsEvery = 10 * time.Millisecond

// ends are the ends of the partitions that hold anything, once all before them can be
// read: a broker answers a commit a little before its records are readable.
func ends(ctx context.Context, cl *kgo.Client, topic string) (map[int32]int64, error) {
	admin := kadm.NewClient(cl)
	listed, err := admin.ListEndOffsets(ctx, topic)
	if err == nil {
		err = listed.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("find the end of topic %s: %w", topic, err)
	}
	left := make(map[int32]int64)
	listed.Each(func(o kadm.ListedOffset) {
		if o.Offset > 0 {
			left[o.Partition] = o.Offset
		}
	})
	for {
		stable, err := admin.ListCommittedOffsets(ctx, topic)
		if err == nil {
			err = stable.Error()
		}
		if err != nil {
			return nil, fmt.Errorf("find the last stable offsets of topic %s: %w", topic, err)
		}
		open := false
		stable.Each(func(o kadm.ListedOffset) { open = open || o.Offset < left[o.Partition] })
		if !open {
			return left, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("a transaction stays open in topic %s: %w", topic, context.Cause(ctx))
		case <-time.After(endsEvery):
		}
	}
}

func (c *consumeCmd) consumer() (consumer, error) {
	switch c.Form {
	case "decode":
		d, err := event.NewDecoder(event.Config{TimeField: "ts"})
		return &decoding{d: d}, err
	case "map":
		return &counting{
			window: c.Window.Milliseconds(), grace: c.Grace.Milliseconds(),
			closed: map[int32]int64{}, counts: map[countKey]uint64{},
		}, nil
	}
	return raw{}, nil
}

// finish waits until this process has been measured, and writes the answer.
func (c *consumeCmd) finish(to consumer) error {
	var line string
	fmt.Scanln(&line) // at the end of stdin too: then nobody wants to know
	if c.Answer == "" {
		return nil
	}
	if err := writeAnswer(c.Answer, to.answer()); err != nil {
		return err
	}
	_, err := fmt.Fprintln(os.Stdout, "answered")
	return err
}

// raw does nothing: how fast the client can be.
type raw struct{}

func (raw) take(*kgo.Record) error { return nil }
func (raw) answer() Answer         { return nil }

// decoding decodes, and counts nothing.
type decoding struct{ d *event.Decoder }

func (d *decoding) take(r *kgo.Record) error {
	if _, refused := d.d.Decode(r.Value, r.Timestamp.UnixMilli()); refused != nil {
		return refused
	}
	return nil
}

func (d *decoding) answer() Answer { return nil }

// counting is what one would write first: encoding/json and a map, and nothing is kept.
type counting struct {
	window, grace int64
	closed        map[int32]int64 // by partition: windows that end here or before are closed
	counts        map[countKey]uint64
}

type countKey struct {
	scope string
	drink string
}

// plainOrder is an order as encoding/json reads it.
type plainOrder struct {
	Time  time.Time `json:"ts"`
	Items []struct {
		Drink    string `json:"drink"`
		Quantity int64  `json:"quantity"`
	} `json:"items"`
}

func (c *counting) take(r *kgo.Record) error {
	var o plainOrder
	if err := json.Unmarshal(r.Value, &o); err != nil {
		return err
	}
	ts := o.Time.UnixMilli()
	start := ts - ts%c.window // times before 1970 are not made here
	closed, any := c.closed[r.Partition]
	late := any && start+c.window <= closed
	scope := strconv.FormatInt(start, 10)
	for _, it := range o.Items {
		c.counts[countKey{allTime, it.Drink}] += uint64(it.Quantity)
		if !late {
			c.counts[countKey{scope, it.Drink}] += uint64(it.Quantity)
		}
	}
	if !late && (!any || ts-c.grace > closed) {
		c.closed[r.Partition] = ts - c.grace
	}
	return nil
}

func (c *counting) answer() Answer {
	a := Answer{}
	for key, n := range c.counts {
		a.add(key.scope, key.drink, n)
	}
	return a
}
