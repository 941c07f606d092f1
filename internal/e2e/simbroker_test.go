//go:build unix

package e2e

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// simBroker are three brokers, which can be restarted: their logs are in files.
type simBroker struct {
	t       *testing.T
	opts    []kfake.Opt
	dial    func(ctx context.Context, network, host string) (net.Conn, error)
	cluster *kfake.Cluster
}

// newSimBroker starts brokers on a virtual network, or on a real one.
func newSimBroker(t *testing.T, virtual bool) *simBroker {
	t.Helper()
	b := &simBroker{t: t, dial: new(net.Dialer).DialContext, opts: []kfake.Opt{
		kfake.NumBrokers(3), kfake.DataDir(t.TempDir()), kfake.GroupMinSessionTimeout(time.Second),
		// Its cleaner loses committed values; see internal/kafka/embedded.go.
		kfake.BrokerConfigs(map[string]string{"log.cleaner.backoff.ms": "315360000000"}),
	}}
	if virtual {
		network := new(kfake.VirtualNetwork)
		b.dial, b.opts = network.DialContext, append(b.opts, kfake.Ports(1, 2, 3), kfake.ListenFn(network.Listen))
	}
	b.start()
	return b
}

func (b *simBroker) start() {
	b.t.Helper()
	var err error
	if b.cluster, err = kfake.NewCluster(b.opts...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *simBroker) addrs() []string { return b.cluster.ListenAddrs() }

// simKeeper lets the changelog be written again when it is long, as on the embedded
// broker. What lies before that is deleted later, by the simulation. Safe for concurrent
// use.
type simKeeper struct {
	s *simulation

	mu    sync.Mutex
	first map[int32]int64 // changelog: records below are not needed
	next  map[int32]int64 // orders: the same
}

// ordersKept are the counted orders that stay: kfake forgets where the log of an empty
// partition ends when it is restarted.
const ordersKept = 20

// rewriteBehind is how many records of a changelog partition are enough to write it again.
const rewriteBehind = 1000

// Rewrite implements engine.Housekeeper.
func (k *simKeeper) Rewrite(p int32, position int64, live func() (int, error)) (bool, error) {
	k.mu.Lock()
	from := k.first[p]
	k.mu.Unlock()
	if position-from < rewriteBehind {
		return false, nil
	}
	keys, err := live()
	return position-from > int64(2*keys), err
}

// Rewritten implements engine.Housekeeper.
func (k *simKeeper) Rewritten(_ context.Context, p int32, first int64) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.first[p] = first
	k.s.happened("changelogs written again")
	return nil
}

// Trim implements engine.Housekeeper.
func (k *simKeeper) Trim(_ context.Context, next map[int32]int64) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for p, offset := range next {
		k.next[p] = offset - ordersKept
	}
	return nil
}

// clean deletes what nobody needs any more, as far as the ledger has read it.
func (s *simulation) clean() {
	s.t.Helper()
	s.ledger.catchUp()
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	for topic, before := range map[string]map[int32]int64{names.Changelog: s.kept.first, names.Orders: s.kept.next} {
		for p, offset := range before {
			info := s.broker.cluster.PartitionInfo(topic, p)
			if info == nil || offset <= info.LogStartOffset || offset > s.ledger.at[topic][p] {
				continue
			}
			if err := s.broker.cluster.DeleteRecords(topic, p, offset); err != nil {
				s.t.Fatal(err)
			}
			s.happened("beginnings of " + topic + " deleted")
		}
	}
}

// compact compacts the changelog, if no transaction is open in it: kfake would lose what
// is committed.
func (s *simulation) compact() {
	s.t.Helper()
	s.ledger.catchUp()
	for p := range int32(simPartitions) {
		info := s.broker.cluster.PartitionInfo(names.Changelog, p)
		if info == nil || info.LastStableOffset != info.HighWatermark || s.ledger.at[names.Changelog][p] != info.HighWatermark {
			s.happened("compactions put off")
			return
		}
	}
	s.broker.cluster.Compact()
	s.happened("compactions")
}
