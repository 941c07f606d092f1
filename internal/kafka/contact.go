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
//
// The hooks of the client tell that a request was answered, not how. A broker that is not
// the coordinator of the group (any more, or not yet) answers, too, but the group has not
// heard of that: the client then looks for the coordinator, by which it is known.
type contact struct {
	mu      sync.Mutex
	last    time.Time     // when the group has heard of us last, for all we know
	before  time.Time     // the time before that
	longest time.Duration // the longest silence since the last commit
}

func newContact() *contact {
	now := time.Now()
	return &contact{last: now, before: now}
}

// OnBrokerWrite implements kgo.HookBrokerWrite.
func (c *contact) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, _ error) {
	if key == int16(kmsg.FindCoordinator) {
		c.unheard()
	}
}

// OnBrokerE2E implements kgo.HookBrokerE2E. A heartbeat is answered at once; a request to
// join when the others have joined, too, until when the group waits for no heartbeat.
func (c *contact) OnBrokerE2E(_ kgo.BrokerMetadata, key int16, e2e kgo.BrokerE2E) {
	switch kmsg.Key(key) {
	case kmsg.FindCoordinator:
		c.unheard() // as another request may have begun to look for it
	case kmsg.Heartbeat, kmsg.ConsumerGroupHeartbeat:
		c.answered(e2e.Err(), e2e.DurationE2E())
	case kmsg.JoinGroup, kmsg.SyncGroup:
		c.answered(e2e.Err(), 0)
	}
}

// answered takes note of an answer, or of its error, to what the group heard so long ago.
func (c *contact) answered(err error, ago time.Duration) {
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.longest = c.silence()
	c.before, c.last = c.last, time.Now().Add(-ago)
}

// unheard takes back the last answer: it may not have been the group's. If it was, the
// silence seems to be longer by the time between two heartbeats.
func (c *contact) unheard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = c.before
}

// committed takes note of a commit: nobody has fenced us before it.
func (c *contact) committed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.longest = 0
}

// silence is the longest time for which the group may not have heard of us; c.mu is held.
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
