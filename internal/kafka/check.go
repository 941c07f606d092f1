package kafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Finding is one result of Check.
type Finding struct {
	Topic   string
	Problem string // empty: it is as it must be
	Fix     string // the command that resolves it
	Warning bool   // the job runs all the same
}

// Layout is what the checks found out about the topics.
type Layout struct {
	Orders, Changelog, DeadLetters Info
	AppendTime                     bool // the orders' record timestamps are the broker's
}

// Check looks at the topics of the job: whether they exist, whether the changelog is
// compacted and has as many partitions as the orders, and how they are replicated.
func (a *Admin) Check(ctx context.Context) (Layout, []Finding, error) {
	var l Layout
	var found []Finding
	t := a.cfg.Topics
	for _, topic := range []struct {
		name string
		info *Info
	}{{t.Orders, &l.Orders}, {t.Changelog, &l.Changelog}, {t.Output, new(Info)}, {t.DeadLetters, &l.DeadLetters}} {
		info, err := a.Topic(ctx, topic.name)
		switch {
		case errors.Is(err, ErrNoTopic):
			found = append(found, Finding{Topic: topic.name, Problem: "does not exist", Fix: "windowed topics create" + a.flags()})
		case err != nil:
			return l, found, err
		default:
			*topic.info = info
			if info.Replication == 1 {
				found = append(found, Finding{Topic: topic.name, Problem: "replication factor 1: a lost broker loses it", Warning: true,
					Fix: "make it with --replication-factor=3 on a cluster of three brokers or more"})
			}
		}
	}
	if l.Orders.Name != "" && l.Changelog.Name != "" {
		found = append(found, a.partitions(&l)...)
	}
	more, err := a.checkConfigs(ctx, &l)
	return l, append(found, more...), err
}

func (a *Admin) partitions(l *Layout) []Finding {
	in, log := l.Orders.Partitions, l.Changelog.Partitions
	switch {
	case log < in:
		return []Finding{{Topic: l.Changelog.Name, Problem: fmt.Sprintf("has %d partitions, %s has %d", log, l.Orders.Name, in),
			Fix: "windowed topics create" + a.flags() + "   (adds the missing partitions)"}}
	case log > in:
		return []Finding{{Topic: l.Changelog.Name, Problem: fmt.Sprintf("has %d partitions, %s has only %d: it belongs to another input", log, l.Orders.Name, in),
			Fix: "name the right topics with --orders-topic and --changelog-topic, or add partitions to the input"}}
	}
	return nil
}

func (a *Admin) checkConfigs(ctx context.Context, l *Layout) ([]Finding, error) {
	var names []string
	for _, info := range []Info{l.Orders, l.Changelog} {
		if info.Name != "" {
			names = append(names, info.Name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	resources, err := a.adm.DescribeTopicConfigs(ctx, names...)
	if err != nil {
		return nil, fmt.Errorf("describe configuration of %s: %w", strings.Join(names, ", "), err)
	}
	var found []Finding
	for _, r := range resources {
		if r.Err != nil {
			found = append(found, Finding{Topic: r.Name, Problem: "its configuration cannot be read: " + r.Err.Error(), Warning: true,
				Fix: "allow DescribeConfigs on the topic"})
			continue
		}
		configs := make(map[string]string, len(r.Configs))
		for _, c := range r.Configs {
			if c.Value != nil {
				configs[c.Key] = *c.Value
			}
		}
		if r.Name == l.Orders.Name {
			l.AppendTime = configs["message.timestamp.type"] == "LogAppendTime"
			continue
		}
		found = append(found, changelogConfig(r.Name, configs)...)
	}
	return found, nil
}

func changelogConfig(name string, configs map[string]string) (found []Finding) {
	if policy := configs["cleanup.policy"]; policy != "compact" {
		found = append(found, Finding{Topic: name, Problem: fmt.Sprintf("cleanup.policy is %q, not \"compact\": counts would be deleted", policy),
			Fix: "kafka-configs.sh --bootstrap-server <brokers> --alter --entity-type topics --entity-name " + name + " --add-config cleanup.policy=compact"})
	}
	if replicas, err := strconv.Atoi(configs["min.insync.replicas"]); err == nil && replicas == 1 {
		found = append(found, Finding{Topic: name, Problem: "min.insync.replicas is 1: a commit may be on one broker only", Warning: true,
			Fix: "windowed topics create --replication-factor=3 --min-insync-replicas=2 before the first run"})
	}
	return found
}

// flags are the flags that make a command act on the same topics.
func (a *Admin) flags() string {
	return " --brokers=" + strings.Join(a.cfg.Brokers, ",")
}
