package kafka

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/internal/engine"
)

// Only a group that could not hear of us for its session timeout has given our partitions
// away; whoever fences us else has the same instance id.
func TestContact(t *testing.T) {
	const timeout = 10 * time.Second
	beat, join, find := int16(kmsg.Heartbeat), int16(kmsg.JoinGroup), int16(kmsg.FindCoordinator)
	answered, failed := kgo.BrokerE2E{}, kgo.BrokerE2E{ReadErr: net.ErrClosed}
	end := func(c *contact, key int16, e kgo.BrokerE2E) { c.OnBrokerE2E(kgo.BrokerMetadata{}, key, e) }
	begin := func(c *contact, key int16) { c.OnBrokerWrite(kgo.BrokerMetadata{}, key, 0, 0, 0, nil) }
	for _, test := range []struct {
		name   string
		unseen bool
		do     func(c *contact)
	}{
		{"at once", false, func(*contact) {}},
		{"heartbeats", false, func(c *contact) {
			for range 10 {
				time.Sleep(3 * time.Second)
				end(c, beat, answered)
			}
		}},
		{"silence", true, func(*contact) { time.Sleep(timeout) }},
		{"heartbeats that fail", true, func(c *contact) {
			for range 4 {
				time.Sleep(3 * time.Second)
				end(c, beat, failed)
			}
		}},
		{"other requests are answered", true, func(c *contact) {
			time.Sleep(timeout)
			end(c, int16(kmsg.Fetch), answered)
		}},
		{"a heartbeat after silence", true, func(c *contact) {
			time.Sleep(timeout)
			end(c, beat, answered)
			time.Sleep(time.Second)
		}},
		{"a heartbeat that was heard long before its answer came", true, func(c *contact) {
			time.Sleep(8 * time.Second)
			end(c, beat, kgo.BrokerE2E{TimeToRead: 6 * time.Second})
			time.Sleep(5 * time.Second)
		}},
		{"a commit after silence", false, func(c *contact) {
			time.Sleep(timeout)
			end(c, beat, answered)
			c.committed()
		}},
		{"a join that is not answered", true, func(*contact) { time.Sleep(3 * timeout) }},
		{"others have joined", false, func(c *contact) {
			time.Sleep(3 * timeout)
			end(c, join, kgo.BrokerE2E{TimeToRead: 3 * timeout})
			c.committed()
			time.Sleep(timeout / 2)
		}},
		{"the group no longer knows who joins", true, func(c *contact) {
			end(c, join, answered)
			time.Sleep(timeout)
			end(c, join, kgo.BrokerE2E{TimeToRead: timeout})
		}},
		{"silence after a join that failed", true, func(c *contact) {
			end(c, join, failed)
			time.Sleep(timeout)
		}},
		{"answers of others than the coordinator", true, func(c *contact) {
			for range 4 {
				time.Sleep(3 * time.Second)
				end(c, beat, answered)
				begin(c, find)
				end(c, find, answered)
			}
		}},
		{"an answer of another while the coordinator is looked for", true, func(c *contact) {
			for range 4 {
				time.Sleep(3 * time.Second)
				begin(c, find)
				end(c, beat, answered)
				end(c, find, answered)
			}
		}},
		{"the coordinator of the transactions is looked for", false, func(c *contact) {
			for i := range 10 {
				time.Sleep(3 * time.Second)
				end(c, beat, answered)
				if i%2 > 0 {
					time.Sleep(time.Second)
					begin(c, find)
					end(c, find, answered)
				}
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newContact()
				test.do(c)
				err := c.judge(fmt.Errorf("end: %w", engine.ErrFenced), timeout)
				if unseen := !errors.Is(err, engine.ErrFenced); unseen != test.unseen {
					t.Errorf("error %v, unseen is %t, want %t", err, unseen, test.unseen)
				}
				if other := errors.New("another"); !errors.Is(c.judge(other, timeout), other) || c.judge(nil, timeout) != nil {
					t.Error("other errors are changed")
				}
			})
		})
	}
}
