package kafka

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/internal/fault"
)

// atPoints watches requests for the points inside the end of a transaction; nothing in a
// normal build.
func atPoints() []kgo.Opt {
	if !fault.Enabled {
		return nil
	}
	return []kgo.Opt{kgo.WithHooks(endPoints{})}
}

// endPoints passes the points between the requests that end a transaction.
type endPoints struct{}

// OnBrokerWrite implements kgo.HookBrokerWrite.
func (endPoints) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, err error) {
	if key == int16(kmsg.EndTxn) && err == nil {
		fault.Point(fault.EndSent)
	}
}

// OnBrokerRead implements kgo.HookBrokerRead.
func (endPoints) OnBrokerRead(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, err error) {
	if key == int16(kmsg.TxnOffsetCommit) && err == nil {
		fault.Point(fault.OffsetsSent)
	}
}
