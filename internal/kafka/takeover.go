package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/internal/fault"
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
// longer a member.
func (f *Follower) isDead(ctx context.Context, id string) bool {
	instance, ours := strings.CutPrefix(id, f.cfg.Group+"-")
	if !ours {
		return false
	}
	all, err := members(ctx, f.adm, f.cfg.Group)
	return err == nil && !slices.ContainsFunc(all, func(m member) bool { return m.isInstance(instance) })
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
	fault.Point(fault.Fenced)
	if f.cfg.Log != nil {
		f.cfg.Log.Info("ended the open transaction of an instance that is gone", "transactional_id", id)
	}
	return nil
}

// member is a member of the group.
type member struct {
	id     string
	client string // its client id
	modern bool   // KIP-848
}

// isInstance says whether a member is the given instance; a client id ends with it.
func (m member) isInstance(instance string) bool { return strings.HasSuffix(m.client, "/"+instance) }

// members are the members of the group, whichever protocol it uses. A list that may lack
// some is an error, as while its coordinator moves: who is not in it is held for dead.
func members(ctx context.Context, adm *kadm.Client, group string) ([]member, error) {
	classic, err := adm.DescribeGroups(ctx, group)
	if err = cmp.Or(err, classic[group].Err); err != nil && !errors.Is(err, kerr.GroupIDNotFound) && !fault.Planted(fault.UnknownIsDead) {
		return nil, fmt.Errorf("describe group %s: %w", group, err)
	}
	// Brokers before KIP-848 do not know this request.
	modern, err := adm.DescribeConsumerGroups(ctx, group)
	if err = cmp.Or(err, modern[group].Err); err != nil && isTransient(err) {
		return nil, fmt.Errorf("describe group %s: %w", group, err)
	}
	var all []member
	for _, m := range classic[group].Members {
		all = append(all, member{id: m.MemberID, client: m.ClientID})
	}
	for _, m := range modern[group].Members {
		all = append(all, member{id: m.MemberID, client: m.ClientID, modern: true})
	}
	return all, nil
}

// evict makes our dead predecessor leave the group, so that nobody waits for its session
// to end. It is dead: this process has the lock on its state directory, which the
// instance id is from. With static membership the group replaces it by itself.
func evict(ctx context.Context, cfg *Config) error {
	cl, err := cfg.client()
	if err != nil {
		return err
	}
	defer cl.Close()
	all, err := members(ctx, kadm.NewClient(cl), cfg.Group)
	if err != nil {
		return err
	}
	for _, m := range all {
		if !m.isInstance(cfg.Instance) {
			continue
		}
		if err := m.leave(ctx, cl, cfg.Group); err != nil {
			return fmt.Errorf("make the dead member %s leave group %s: %w", m.id, cfg.Group, err)
		}
	}
	return nil
}

// leave makes a member leave the group.
func (m member) leave(ctx context.Context, cl *kgo.Client, group string) error {
	if m.modern {
		req := kmsg.NewPtrConsumerGroupHeartbeatRequest()
		req.Group, req.MemberID, req.MemberEpoch = group, m.id, -1
		_, err := req.RequestWith(ctx, cl)
		return err
	}
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group, req.MemberID = group, m.id
	gone := kmsg.NewLeaveGroupRequestMember()
	gone.MemberID = m.id
	req.Members = append(req.Members, gone)
	_, err := req.RequestWith(ctx, cl)
	return err
}
