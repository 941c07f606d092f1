package kafka

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/plugin/kslog"

	"windowed/internal/fault"
)

// Topics are the names of the topics of one job.
type Topics struct {
	Orders      string // input
	Changelog   string // compacted, as many partitions as the input
	Output      string // snapshots and finals, 1 partition
	DeadLetters string
}

// Config says how to reach the brokers and as whom.
type Config struct {
	Brokers  []string
	Topics   Topics
	Group    string
	Instance string // last part of the transactional id; see docs/reliability.md
	Static   bool   // Instance is also the group instance id (static membership)

	AtLeastOnce    bool
	DeadPartitions int32         // of the dead-letter topic
	ServerBalancer bool          // KIP-848 group protocol
	SessionTimeout time.Duration // default 10s; heartbeats every 3s
	// RebalanceTimeout is how long a rebalance waits for members; default 60s.
	RebalanceTimeout time.Duration
	MetadataMaxAge   time.Duration // how soon new partitions are noticed; default 10s
	// MaxDecompressed bounds what one batch may take when decompressed; default 64 MiB.
	MaxDecompressed int
	Security        Security
	ClientID        string
	Log             *slog.Logger
	// Hook watches a client that reads orders or changelog, as its name says, for
	// metrics; nil: none.
	Hook func(client string) kgo.Hook

	// Dialer replaces the network, for tests; nil is TCP.
	Dialer func(ctx context.Context, network, host string) (net.Conn, error)
}

// Timeouts that the guarantees rest on; docs/reliability.md says how.
const (
	transactionTimeout = 10 * time.Second
	heartbeatInterval  = 3 * time.Second
	rebalanceTimeout   = 60 * time.Second
	// TakeoverWait is how long a restore of the engine waits for an open transaction of
	// somebody else, RestoreWait how long a command that only reads does.
	TakeoverWait   = transactionTimeout + 10*time.Second
	RestoreWait    = 40 * time.Second
	metadataMaxAge = 10 * time.Second
)

// Memory bounds of a client; docs/performance.md has the measurements.
const (
	fetchMaxBytes     = 2 << 20
	fetchMaxPartBytes = 1 << 20
	maxReadBytes      = 64 << 20
	maxDecompressed   = 64 << 20
	maxBufferedBytes  = 64 << 20
	maxBufferedCount  = 200_000
)

// TransactionalID is the id that fences this instance's dead predecessor.
func (c *Config) TransactionalID() string {
	if fault.Planted(fault.RandomID) {
		return c.Group + "-" + rand.Text()
	}
	return c.Group + "-" + c.Instance
}

// memberID is the client id of a member of the group: how the others know whether it lives.
func (c *Config) memberID() string { return c.ClientID + "/" + c.Instance }

// client makes a client with what all clients share.
func (c *Config) client(more ...kgo.Opt) (*kgo.Client, error) {
	opts, err := c.options()
	if err != nil {
		return nil, err
	}
	cl, err := kgo.NewClient(append(opts, more...)...)
	if err != nil {
		return nil, fmt.Errorf("make kafka client: %w", err)
	}
	return cl, nil
}

// isolation is that of all reads: what is not committed is nobody's to count.
func isolation() kgo.IsolationLevel {
	if fault.Planted(fault.ReadUncommitted) {
		return kgo.ReadUncommitted()
	}
	return kgo.ReadCommitted()
}

// watched is the option that lets Hook watch a client, and what watches it.
func (c *Config) watched(client string) ([]kgo.Opt, kgo.Hook) {
	if c.Hook == nil {
		return nil, nil
	}
	hook := c.Hook(client)
	return []kgo.Opt{kgo.WithHooks(hook)}, hook
}

func (c *Config) options() ([]kgo.Opt, error) {
	secure, err := c.Security.options()
	if err != nil {
		return nil, err
	}
	opts := append(secure,
		kgo.SeedBrokers(c.Brokers...),
		kgo.ClientID(c.ClientID),
		kgo.MetadataMaxAge(cmp.Or(c.MetadataMaxAge, metadataMaxAge)),
		kgo.MetadataMinAge(100*time.Millisecond),
		kgo.FetchIsolationLevel(isolation()),
		kgo.KeepControlRecords(),
		kgo.FetchMaxBytes(fetchMaxBytes),
		kgo.FetchMaxPartitionBytes(fetchMaxPartBytes),
		kgo.BrokerMaxReadBytes(maxReadBytes),
		kgo.MaxDecompressBatchBytes(cmp.Or(c.MaxDecompressed, maxDecompressed)),
	)
	if c.Log != nil {
		opts = append(opts, kgo.WithLogger(clientLogger{kslog.New(c.Log.With("from", "kgo")), c.Log.Enabled(context.Background(), slog.LevelDebug)}))
	}
	if c.Dialer != nil {
		opts = append(opts, kgo.Dialer(c.Dialer))
	}
	return opts, nil
}

// dial opens a connection to host:port, with TLS if that is configured.
func (c *Config) dial(ctx context.Context, host string) (net.Conn, error) {
	if c.Dialer != nil {
		return c.Dialer(ctx, "tcp", host)
	}
	config, err := c.Security.tls()
	if err != nil {
		return nil, err
	}
	if config == nil {
		return new(net.Dialer).DialContext(ctx, "tcp", host)
	}
	return (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", host)
}

// clientLogger keeps the client's own lines, several a transaction, out of the log
// unless it is at debug.
type clientLogger struct {
	kgo.Logger
	debug bool
}

func (l clientLogger) Level() kgo.LogLevel {
	if l.debug {
		return kgo.LogLevelDebug
	}
	return min(l.Logger.Level(), kgo.LogLevelError)
}
