package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"

	"windowed/internal/exit"
)

// Embedded is a broker inside this process, for a first look, for tests and for single
// machines: franz-go's kfake, on loopback, with its logs in a directory.
type Embedded struct {
	cluster *kfake.Cluster
	cfg     *Config
	admin   *Admin
	file    string
	lock    io.Closer // of the directory: kfake itself would let two write to it
}

// The embedded broker's settings. Its cleaner loses committed values when it meets an
// open transaction that aborts, so it is off for good, and with it retention: Trim and
// Rewrite do what is needed instead. Small segments let DeleteRecords free disk soon.
var (
	embeddedBroker = map[string]string{"log.cleaner.backoff.ms": "315360000000"}
	embeddedTopic  = map[string]string{"segment.bytes": "4194304"}
)

// EmbeddedPartitions is how many partitions run makes on the embedded broker.
const EmbeddedPartitions = 4

// addrFile is where the broker's address is written, for the other commands; lockFile is
// locked by the process that writes to the directory.
const (
	addrFile = "broker.addr"
	lockFile = "LOCK"
)

// AddrFile is the file with the address of the broker that keeps its logs in dir.
func AddrFile(dir string) string { return filepath.Join(dir, addrFile) }

// StartEmbedded starts the broker on listen (host:port; port 0: the one of the last run
// if it is free), with its logs in dir, and fills in cfg.Brokers.
func StartEmbedded(dir, listen string, cfg *Config) (*Embedded, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make data directory: %w", err)
	}
	lock, err := lockData(dir)
	if err != nil {
		return nil, err
	}
	e := &Embedded{cfg: cfg, file: AddrFile(dir), lock: lock}
	if err := e.start(dir, listen); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// lockData makes sure that no other process writes to a data directory.
func lockData(dir string) (io.Closer, error) {
	lock, err := vfs.Default.Lock(filepath.Join(dir, lockFile))
	if err == nil {
		return lock, nil
	}
	at := ""
	if addr, rerr := os.ReadFile(AddrFile(dir)); rerr == nil {
		at = "--brokers=" + strings.TrimSpace(string(addr)) + " uses its broker, "
	}
	return nil, exit.Errorf(exit.Usage, "another process uses the data directory %s (%w); %s--data-dir names another directory", dir, err, at)
}

func (e *Embedded) start(dir, listen string) error {
	if _, err := os.Stat(e.file); err == nil {
		if err := e.afterKill(dir); err != nil {
			return err
		}
	}
	l, err := listenLast(listen, e.file)
	if err != nil {
		return err
	}
	if e.cluster, err = openCluster(dir, l); err != nil {
		return err
	}
	e.cfg.Brokers = e.cluster.ListenAddrs()
	if err := os.WriteFile(e.file, []byte(strings.Join(e.cfg.Brokers, ",")+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the broker's address: %w", err)
	}
	e.admin, err = NewAdmin(e.cfg)
	return err
}

// openCluster opens the broker on l with its logs in dir.
func openCluster(dir string, l net.Listener) (*kfake.Cluster, error) {
	taken := false
	cluster, err := kfake.NewCluster(
		kfake.NumBrokers(1),
		kfake.DataDir(filepath.Join(dir, "kafka")),
		kfake.BrokerConfigs(embeddedBroker),
		kfake.ListenFn(func(network, address string) (net.Listener, error) {
			if taken {
				return net.Listen(network, address)
			}
			taken = true
			return l, nil
		}),
	)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the embedded broker in %s: %w", dir, err), l.Close())
	}
	return cluster, nil
}

// listenLast listens on the address of the last run if the port is free to choose.
func listenLast(listen, file string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "--embedded-listen: %w", err)
	}
	if last, err := os.ReadFile(file); err == nil && port == "0" {
		if _, lastPort, err := net.SplitHostPort(strings.TrimSpace(string(last))); err == nil {
			if l, err := net.Listen("tcp", net.JoinHostPort(host, lastPort)); err == nil {
				return l, nil
			}
		}
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "--embedded-listen: %w", err)
	}
	return l, nil
}

// MakeTopics makes the job's topics if they are missing.
func (e *Embedded) MakeTopics(ctx context.Context) error {
	_, err := e.admin.Create(ctx, Shape{Partitions: EmbeddedPartitions, Replication: 1}, embeddedTopic)
	return err
}

// Close stops the broker. Its logs are complete then, and its address file is gone.
func (e *Embedded) Close() error {
	if e.admin != nil {
		e.admin.Close()
	}
	var err error
	if e.cluster != nil {
		e.cluster.Close()
		if err = os.Remove(e.file); errors.Is(err, os.ErrNotExist) {
			err = nil
		}
	}
	return errors.Join(err, e.lock.Close())
}

// Bounds of the embedded topics, in records of a partition: kfake keeps an index entry
// per batch in memory and opens only as fast as it reads them.
const (
	keepOrders   = 200_000
	keepOutput   = 20_000
	rewriteAt    = 100_000
	rewriteTimes = 4 // times the live keys
)

// Rewrite implements engine.Housekeeper.
func (e *Embedded) Rewrite(p int32, position int64, live func() (int, error)) (bool, error) {
	starts, err := e.admin.adm.ListStartOffsets(context.Background(), e.cfg.Topics.Changelog)
	if err != nil {
		return false, fmt.Errorf("look at the embedded changelog: %w", err)
	}
	start, ok := starts.Lookup(e.cfg.Topics.Changelog, p)
	if !ok || position-start.Offset < rewriteAt {
		return false, nil
	}
	keys, err := live()
	return position-start.Offset > int64(rewriteTimes*keys), err
}

// Rewritten implements engine.Housekeeper.
func (e *Embedded) Rewritten(ctx context.Context, p int32, first int64) error {
	return e.deleteBefore(ctx, e.cfg.Topics.Changelog, map[int32]int64{p: first})
}

// Trim implements engine.Housekeeper.
func (e *Embedded) Trim(ctx context.Context, next map[int32]int64) error {
	before := make(map[int32]int64)
	for p, offset := range next {
		before[p] = offset - keepOrders
	}
	if err := e.deleteBefore(ctx, e.cfg.Topics.Orders, before); err != nil {
		return err
	}
	for _, topic := range []string{e.cfg.Topics.Output, e.cfg.Topics.DeadLetters} {
		ends, err := e.admin.adm.ListEndOffsets(ctx, topic)
		if err != nil {
			return fmt.Errorf("look at the embedded topic %s: %w", topic, err)
		}
		before := make(map[int32]int64)
		for p, o := range ends[topic] {
			before[p] = o.Offset - keepOutput
		}
		if err := e.deleteBefore(ctx, topic, before); err != nil {
			return err
		}
	}
	return nil
}

// deleteBefore deletes the records before the given offsets, where there are enough of
// them to be worth it.
func (e *Embedded) deleteBefore(ctx context.Context, topic string, before map[int32]int64) error {
	starts, err := e.admin.adm.ListStartOffsets(ctx, topic)
	if err != nil {
		return fmt.Errorf("look at the embedded topic %s: %w", topic, err)
	}
	var offsets kadm.Offsets
	for p, offset := range before {
		if start, ok := starts.Lookup(topic, p); ok && offset > start.Offset {
			offsets.AddOffset(topic, p, offset, -1)
		}
	}
	if len(offsets) == 0 {
		return nil
	}
	resps, err := e.admin.adm.DeleteRecords(ctx, offsets)
	if err == nil {
		err = resps.Error()
	}
	if err != nil {
		return fmt.Errorf("trim the embedded topic %s: %w", topic, err)
	}
	return nil
}
