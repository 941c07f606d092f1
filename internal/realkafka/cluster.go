package realkafka

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

const portRounds = 5

// Cluster is a running Kafka cluster of its own. All its methods may be called
// from several goroutines.
type Cluster struct {
	dir     string
	id      string
	opts    options
	java    *java
	archive string // path of the class data archive, "" for none
	spawner *spawner
	ports   *ports // of all brokers, until the cluster is closed
	brokers []*Broker
	admin   *kgo.Client
	closing sync.Once
}

// New starts a cluster whose data and logs are below dir, and returns when it
// is ready. An error that is ErrMissing says that this machine cannot run it.
// The caller must Close the cluster.
func New(ctx context.Context, dir string, opts ...Option) (*Cluster, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	java, err := findJava(ctx, o.logf)
	if err != nil {
		return nil, fmt.Errorf("realkafka: %w", err)
	}
	archive := java.ensureArchive(ctx, o.logf)
	c, err := newCluster(ctx, dir, o, java, archive)
	if err != nil {
		return nil, fmt.Errorf("realkafka: %w", err)
	}
	return c, nil
}

func newCluster(ctx context.Context, dir string, o options, java *java, archive string) (*Cluster, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the cluster's directory: %w", err)
	}
	id, err := clusterID(dir)
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, id: id, opts: o, java: java, archive: archive, spawner: newSpawner()}
	begin := time.Now()
	for range portRounds {
		err = c.launch(ctx)
		if !errors.Is(err, errPortTaken) {
			break
		}
		o.logf("realkafka: a port was taken meanwhile, beginning again with others")
		if err := c.shutDown(); err != nil {
			o.logf("realkafka: %v", err)
		}
		c.admin = nil
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("start %d Kafka brokers: %w", o.brokers, err)
	}
	o.logf("realkafka: %d brokers at %s ready in %.1fs, logs in %s",
		o.brokers, strings.Join(c.Seeds(), ","), time.Since(begin).Seconds(), dir)
	return c, nil
}

// launch chooses ports, starts all brokers and waits until they are ready.
func (c *Cluster) launch(ctx context.Context) error {
	n := c.opts.brokers
	held, err := c.opts.ports(2*n + 1)
	if err != nil {
		return err
	}
	c.ports, c.brokers = held, nil
	var voters []string
	for i := range n {
		id := int32(i + 1)
		b := &Broker{ID: id, c: c, dir: brokerDir(c.dir, id), port: held.numbers[2*i], controllerPort: held.numbers[2*i+1]}
		if c.opts.proxy != "" {
			b.proxiedPort = held.numbers[2*n]
		}
		c.brokers = append(c.brokers, b)
		voters = append(voters, strconv.Itoa(int(id))+"@"+address(b.controllerPort))
	}
	c.admin, err = kgo.NewClient(kgo.SeedBrokers(c.Seeds()...), kgo.DialTimeout(askTimeout))
	if err != nil {
		return fmt.Errorf("make the admin client: %w", err)
	}
	for _, b := range c.brokers {
		if err := b.writeFiles(strings.Join(voters, ",")); err != nil {
			return err
		}
		os.Remove(b.LogPath()) // an earlier round's bind error must not be taken for a new one
	}
	for _, b := range c.brokers {
		if err := b.Start(); err != nil {
			return err
		}
	}
	if err := c.Ready(ctx); err != nil {
		return err
	}
	return c.checkFeatures(ctx)
}

// Seeds are the addresses of all brokers, running or not.
func (c *Cluster) Seeds() []string {
	var seeds []string
	for _, b := range c.brokers {
		seeds = append(seeds, b.Addr())
	}
	return seeds
}

// Brokers are all brokers in the order of their ids, running or not.
func (c *Cluster) Brokers() []*Broker { return c.brokers }

// Broker returns the broker with that id, or nil.
func (c *Cluster) Broker(id int32) *Broker {
	if id < 1 || int(id) > len(c.brokers) {
		return nil
	}
	return c.brokers[id-1]
}

// Dir is the directory with the brokers' data and logs.
func (c *Cluster) Dir() string { return c.dir }

// Admin returns a kadm client, which lives as long as the cluster. kadm caches
// brokers and topics: after a kill ask a Broker instead.
func (c *Cluster) Admin() *kadm.Client { return kadm.NewClient(c.admin) }

// any returns a broker that is meant to answer.
func (c *Cluster) any() (*Broker, error) {
	for _, b := range c.brokers {
		if b.Running() {
			return b, nil
		}
	}
	return nil, errNoneRunning
}

var errNoneRunning = errors.New("no broker is running")

// Close kills all brokers (SIGTERM would hang without a quorum). It leaves the
// directory alone. A second call does nothing.
func (c *Cluster) Close() error {
	var err error
	c.closing.Do(func() {
		err = c.shutDown()
		c.spawner.close()
	})
	return err
}

func (c *Cluster) shutDown() error {
	if c.admin != nil {
		c.admin.Close()
	}
	var errs []error
	for _, b := range c.brokers {
		if err := b.Kill(); err != nil && !errors.Is(err, errNotRunning) {
			errs = append(errs, err)
		}
	}
	if c.ports != nil {
		c.ports.release()
	}
	return errors.Join(errs...)
}
