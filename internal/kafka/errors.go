package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
)

// classify marks errors that say more than "try again".
func classify(err error) error {
	switch {
	case errors.Is(err, kerr.ProducerFenced), errors.Is(err, kerr.InvalidProducerEpoch), errors.Is(err, kerr.FencedInstanceID):
		return fmt.Errorf("%w: %w", engine.ErrFenced, err)
	case errors.Is(err, kerr.TransactionalIDAuthorizationFailed), errors.Is(err, kerr.GroupAuthorizationFailed),
		errors.Is(err, kerr.ClusterAuthorizationFailed), errors.Is(err, kerr.SaslAuthenticationFailed),
		errors.Is(err, kerr.InvalidTransactionTimeout), errors.Is(err, kerr.UnsupportedVersion):
		return fmt.Errorf("%w: %w", engine.ErrFatal, err)
	}
	return err
}

// isTransient says whether trying again may help.
func isTransient(err error) bool {
	switch {
	case isGone(err):
		return false
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, kgo.ErrRecordTimeout), errors.Is(err, kgo.ErrRecordRetries), errors.Is(err, kgo.ErrAborting),
		errors.Is(err, kerr.InvalidProducerEpoch), errors.Is(err, kerr.ProducerFenced), errors.Is(err, kerr.InvalidTxnState),
		errors.Is(err, kerr.TransactionAbortable), errors.Is(err, kerr.InvalidProducerIDMapping), errors.Is(err, kerr.UnknownProducerID),
		errors.Is(err, kerr.OutOfOrderSequenceNumber):
		return true
	}
	return kerr.IsRetriable(err) || kgo.IsRetryableBrokerErr(err) || isNetwork(err)
}

// isGone says whether a topic does not exist (any more) under the id it was known by.
func isGone(err error) bool {
	return errors.Is(err, kerr.UnknownTopicOrPartition) || errors.Is(err, kerr.UnknownTopicID) || errors.Is(err, kerr.InconsistentTopicID)
}

// hasMoved says whether a partition has another leader, or another term of the same.
func hasMoved(err error) bool {
	return errors.Is(err, kerr.NotLeaderForPartition) || errors.Is(err, kerr.FencedLeaderEpoch) || errors.Is(err, kerr.UnknownLeaderEpoch)
}

func isKafka(err error) bool {
	var k *kerr.Error
	return errors.As(err, &k)
}

func isNetwork(err error) bool {
	var op *net.OpError
	var group *kgo.ErrGroupSession
	return errors.As(err, &op) || errors.As(err, &group)
}

// hint is what to do about an error on a topic, with a leading "; ".
func hint(err error, topic string) string {
	switch {
	case isGone(err):
		return fmt.Sprintf("; topic %s was deleted or made anew: see docs/operations.md, \"Topics made anew\"", topic)
	case errors.Is(err, kerr.MessageTooLarge):
		return fmt.Sprintf("; raise max.message.bytes of %s: the brokers' default of 1048588 is enough", topic)
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		return fmt.Sprintf("; grant Read on the orders, Read and Write on the changelog, Write on output and dead letters (here %s)", topic)
	case errors.Is(err, kerr.GroupAuthorizationFailed):
		return "; grant Read on the consumer group"
	}
	return ""
}
