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
	last    time.Time     // when the group has heard of us last, for all we know
	joining time.Time     // since when we wait for others to join, too; zero: we do not
	longest time.Duration // the longest silence since the last commit
}

func newContact() *contact { return &contact{last: time.Now()} }

// OnBrokerWrite implements kgo.HookBrokerWrite.
func (c *contact) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, err error) {
	if joins(key) && err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.joining = time.Now()
	}
}

// OnBrokerE2E implements kgo.HookBrokerE2E. The group answers a heartbeat at once. While a
// member waits for the others to join, none is expected of it.
func (c *contact) OnBrokerE2E(_ kgo.BrokerMetadata, key int16, e2e kgo.BrokerE2E) {
	join, beat := joins(key), key == int16(kmsg.Heartbeat) || key == int16(kmsg.ConsumerGroupHeartbeat)
	if !join && !beat {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e2e.Err() == nil {
		c.longest = c.silence()
		if c.last = time.Now(); beat {
			c.last = c.last.Add(-e2e.DurationE2E())
		}
	}
	if join {
		c.joining = time.Time{}
	}
}

func joins(key int16) bool { return key == int16(kmsg.JoinGroup) || key == int16(kmsg.SyncGroup) }

// committed takes note of a commit: nobody has fenced us before it.
func (c *contact) committed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.longest = 0
}

// silence is the longest time for which the group may not have heard of us; c.mu is held.
func (c *contact) silence() time.Duration {
	until := time.Now()
	if !c.joining.IsZero() {
		until = c.joining
	}
	return max(c.longest, until.Sub(c.last))
}

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
