package kafka

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/internal/engine"
	"windowed/internal/fault"
)

// contact is a session's contact with its group. A group that has not heard of a member
// for the session timeout gives its partitions to others, and they end the transaction it
// has left open: it is fenced, though no process has the same instance id. It is safe for
// concurrent use.
type contact struct {
	mu      sync.Mutex
	last    time.Time     // when the group answered last
	longest time.Duration // the longest time between two of its answers
}

func newContact() *contact { return &contact{last: time.Now()} }

// OnBrokerE2E implements kgo.HookBrokerE2E.
func (c *contact) OnBrokerE2E(_ kgo.BrokerMetadata, key int16, e2e kgo.BrokerE2E) {
	switch kmsg.Key(key) {
	case kmsg.JoinGroup, kmsg.SyncGroup, kmsg.Heartbeat, kmsg.ConsumerGroupHeartbeat:
	default:
		return
	}
	if e2e.Err() != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.longest, c.last = c.silence(), time.Now()
}

// silence is the longest time without an answer; c.mu is held.
func (c *contact) silence() time.Duration { return max(c.longest, time.Since(c.last)) }

// judge is err, without engine.ErrFenced if the group could not hear of this member for
// its session timeout: that is no sign of another process with the same instance id.
func (c *contact) judge(err error, sessionTimeout time.Duration) error {
	if !errors.Is(err, engine.ErrFenced) || fault.Planted(fault.AnyFence) {
		return err
	}
	c.mu.Lock()
	silence := c.silence()
	c.mu.Unlock()
	if silence < sessionTimeout {
		return err
	}
	return fmt.Errorf("its group has not answered for %v, longer than the session timeout of %v, so that others have taken over; the brokers are slow, or this process stood still: %v",
		silence.Round(time.Millisecond), sessionTimeout, err)
}
