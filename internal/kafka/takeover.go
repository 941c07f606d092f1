package kafka

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// openTransactions are the transactions open in one changelog partition.
type openTransactions struct {
	producers []int64
	ids       []string // transactional ids; Kafka 3.0 or newer tells them
}

func (o openTransactions) String() string {
	switch {
	case len(o.ids) > 0:
		return fmt.Sprintf("%s (producer id %v)", strings.Join(o.ids, ", "), o.producers)
	case len(o.producers) > 0:
		return fmt.Sprintf("producer id %v", o.producers)
	}
	return "an unknown producer"
}

// openTransactions asks who has a transaction open; what the brokers do not tell stays
// empty.
func (f *Follower) openTransactions(ctx context.Context, p int32) (open openTransactions) {
	topic := f.cfg.Topics.Changelog
	var set kadm.TopicsSet
	set.Add(topic, p)
	described, err := f.adm.DescribeProducers(ctx, set)
	if err != nil {
		return open
	}
	for _, d := range described[topic].Partitions {
		for _, producer := range d.ActiveProducers {
			if producer.CurrentTxnStartOffset >= 0 && !slices.Contains(open.producers, producer.ProducerID) {
				open.producers = append(open.producers, producer.ProducerID)
			}
		}
	}
	if len(open.producers) == 0 {
		return open
	}
	listed, err := f.adm.ListTransactions(ctx, open.producers, nil)
	if err == nil {
		open.ids = listed.TransactionalIDs()
	}
	return open
}

// isDead says whether a transactional id is one of our group's and its instance is no
// longer a member. A member's client id ends with its instance.
func (f *Follower) isDead(ctx context.Context, id string) bool {
	instance, ours := strings.CutPrefix(id, f.cfg.Group+"-")
	if !ours {
		return false
	}
	clients, err := memberClients(ctx, f.adm, f.cfg.Group)
	return err == nil && !slices.ContainsFunc(clients, func(c string) bool { return strings.HasSuffix(c, "/"+instance) })
}

// fence ends the open transaction of a dead instance, and the instance with it should it
// come back (KIP-664, without its operator).
func (f *Follower) fence(ctx context.Context, id string) error {
	cl, err := f.cfg.client(kgo.TransactionalID(id))
	if err != nil {
		return err
	}
	defer cl.Close()
	if _, _, err := cl.ProducerID(ctx); err != nil {
		return fmt.Errorf("end the transaction of dead instance %s: %w", id, err)
	}
	if f.cfg.Log != nil {
		f.cfg.Log.Info("ended the open transaction of an instance that is gone", "transactional_id", id)
	}
	return nil
}

// memberClients are the client ids of the group's members, whichever protocol it uses.
func memberClients(ctx context.Context, adm *kadm.Client, group string) ([]string, error) {
	var clients []string
	classic, err := adm.DescribeGroups(ctx, group)
	if err == nil && classic[group].Err == nil {
		for _, m := range classic[group].Members {
			clients = append(clients, m.ClientID)
		}
	}
	modern, merr := adm.DescribeConsumerGroups(ctx, group)
	if merr == nil && modern[group].Err == nil {
		for _, m := range modern[group].Members {
			clients = append(clients, m.ClientID)
		}
	}
	if err != nil && merr != nil {
		return nil, fmt.Errorf("describe group %s: %w", group, err)
	}
	return clients, nil
}
