package kafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
)

// Admin looks at topics, makes and deletes them. Safe for concurrent use.
type Admin struct {
	cfg *Config
	cl  *kgo.Client
	adm *kadm.Client
}

// NewAdmin connects lazily; Close it.
func NewAdmin(cfg *Config) (*Admin, error) {
	cl, err := cfg.client()
	if err != nil {
		return nil, err
	}
	return &Admin{cfg: cfg, cl: cl, adm: kadm.NewClient(cl)}, nil
}

// Close closes the connections.
func (a *Admin) Close() { a.cl.Close() }

// Shape is how topics are made.
type Shape struct {
	Partitions  int32 // of orders, changelog and dead letters
	Replication int16 // -1: the broker's default
	MinInsync   int   // 0: the broker's default
}

// Wanted configuration of the topics. Tombstones stay a week, so that an instance that
// was away for days still sees them.
const tombstoneRetention = "604800000"

func (s *Shape) configs(compacted bool) map[string]*string {
	c := map[string]*string{"cleanup.policy": kadm.StringPtr("delete")}
	if compacted {
		c["cleanup.policy"] = kadm.StringPtr("compact")
		c["delete.retention.ms"] = kadm.StringPtr(tombstoneRetention)
	}
	if s.MinInsync > 0 {
		c["min.insync.replicas"] = kadm.StringPtr(strconv.Itoa(s.MinInsync))
	}
	return c
}

// Made says what Create did with a topic.
type Made struct {
	Topic      string
	Partitions int32
	Did        string // "created", "exists", "partitions added"
}

// Create makes the topics that are missing, with more configuration for all of them, and
// gives an existing changelog as many partitions as the orders have.
func (a *Admin) Create(ctx context.Context, shape Shape, more map[string]string) ([]Made, error) {
	t := a.cfg.Topics
	partitions := shape.Partitions
	if info, err := a.Topic(ctx, t.Orders); err == nil {
		partitions = info.Partitions
	}
	var made []Made
	for _, topic := range []struct {
		name       string
		partitions int32
		compacted  bool
	}{{t.Orders, partitions, false}, {t.Changelog, partitions, true}, {t.Output, 1, false}, {t.DeadLetters, partitions, false}} {
		configs := shape.configs(topic.compacted)
		for k, v := range more {
			configs[k] = kadm.StringPtr(v)
		}
		did, err := a.create(ctx, topic.name, topic.partitions, shape.Replication, configs)
		if err != nil {
			return made, err
		}
		if topic.name == t.Changelog && did == "exists" {
			if did, err = a.grow(ctx, topic.name, topic.partitions); err != nil {
				return made, err
			}
		}
		made = append(made, Made{Topic: topic.name, Partitions: topic.partitions, Did: did})
	}
	for _, m := range made {
		if err := a.visible(ctx, m); err != nil {
			return made, err
		}
	}
	return made, nil
}

// A made topic is looked for every visibleEvery, at most for visibleWithin.
const (
	visibleEvery  = 50 * time.Millisecond
	visibleWithin = 10 * time.Second
)

// visible waits until the brokers tell of what was made: the controller answers when it has
// decided, and a run that is started at once would be told that there is no such topic.
func (a *Admin) visible(ctx context.Context, m Made) error {
	if m.Did == "exists" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, visibleWithin)
	defer cancel()
	for {
		info, err := a.Topic(ctx, m.Topic)
		if err == nil && info.Partitions >= m.Partitions {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("topic %s is made, but the brokers do not tell of it: %w", m.Topic, errors.Join(err, ctx.Err()))
		case <-time.After(visibleEvery):
		}
	}
}

func (a *Admin) create(ctx context.Context, name string, partitions int32, rf int16, configs map[string]*string) (string, error) {
	resp, err := a.adm.CreateTopic(ctx, partitions, rf, configs, name)
	if err == nil {
		err = resp.Err
	}
	switch {
	case err == nil:
		return "created", nil
	case errors.Is(err, kerr.TopicAlreadyExists):
		return "exists", nil
	}
	return "", fmt.Errorf("create topic %s: %w%s", name, err, said(resp.ErrMessage))
}

func (a *Admin) grow(ctx context.Context, name string, partitions int32) (string, error) {
	info, err := a.Topic(ctx, name)
	if err != nil || info.Partitions >= partitions {
		return "exists", err
	}
	resps, err := a.adm.UpdatePartitions(ctx, int(partitions), name)
	if err == nil {
		err = resps.Error()
	}
	if err != nil {
		return "", fmt.Errorf("add partitions to topic %s: %w", name, err)
	}
	return "partitions added", nil
}

// Delete deletes the topics of the job; missing ones are no error.
func (a *Admin) Delete(ctx context.Context) ([]Made, error) {
	t := a.cfg.Topics
	var made []Made
	for _, name := range []string{t.DeadLetters, t.Output, t.Changelog, t.Orders} {
		_, err := a.adm.DeleteTopic(ctx, name)
		switch {
		case err == nil:
			made = append(made, Made{Topic: name, Did: "deleted"})
		case errors.Is(err, kerr.UnknownTopicOrPartition):
			made = append(made, Made{Topic: name, Did: "not there"})
		default:
			return made, fmt.Errorf("delete topic %s: %w", name, err)
		}
	}
	return made, nil
}

// Info is what the broker says of a topic.
type Info struct {
	Name        string
	ID          [16]byte // zero before Kafka 2.8
	Partitions  int32
	Replication int
}

// ErrNoTopic is wrapped when a topic does not exist.
var ErrNoTopic = engine.ErrNoTopic

// Topic describes one topic.
func (a *Admin) Topic(ctx context.Context, name string) (Info, error) {
	details, err := a.adm.ListTopics(ctx, name)
	if err != nil {
		return Info{}, fmt.Errorf("describe topic %s: %w", name, err)
	}
	d, ok := details[name]
	if !ok || errors.Is(d.Err, kerr.UnknownTopicOrPartition) {
		return Info{}, fmt.Errorf("%w: %s", ErrNoTopic, name)
	}
	if d.Err != nil {
		return Info{}, fmt.Errorf("describe topic %s: %w", name, d.Err)
	}
	return Info{Name: name, ID: d.ID, Partitions: int32(len(d.Partitions)), Replication: d.Partitions.NumReplicas()}, nil
}

// Ping asks the brokers for their metadata once.
func (a *Admin) Ping(ctx context.Context) error {
	if err := a.cl.Ping(ctx); err != nil {
		return fmt.Errorf("reach brokers %s: %w", strings.Join(a.cfg.Brokers, ","), err)
	}
	return nil
}

func said(message string) string {
	if message == "" {
		return ""
	}
	return " (" + message + ")"
}
