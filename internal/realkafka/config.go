package realkafka

import (
	"crypto/rand"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// bootstrap is what StorageTool's format writes into every data directory of
// this Kafka version. Without it a broker starts with the features of old,
// transaction.version 0 among them, and says nothing.
//
//go:embed testdata/bootstrap.checkpoint
var bootstrap []byte

const (
	serverConfigName = "server.properties"
	logConfigName    = "log4j2.properties"
	dataName         = "data"
	metaName         = "meta.properties"

	logConfig = `rootLogger.level=WARN
rootLogger.appenderRef.out.ref=out
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=%d %p %m (%c)%n
logger.rep.name=org.apache.kafka.controller.ReplicationControlManager
logger.rep.level=INFO
`
)

// baseProps are the settings of all brokers: small, quick to notice a dead
// broker or member, quick to compact.
func baseProps(brokers int) map[string]string {
	replicas := strconv.Itoa(brokers)
	inSync := strconv.Itoa(max(1, brokers-1))
	return map[string]string{
		"process.roles":                  "broker,controller",
		"controller.listener.names":      "CONTROLLER",
		"inter.broker.listener.name":     "PLAINTEXT",
		"listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
		"auto.create.topics.enable":      "false",
		"default.replication.factor":     replicas,
		"min.insync.replicas":            inSync,

		"offsets.topic.num.partitions":                     "3",
		"offsets.topic.replication.factor":                 replicas,
		"transaction.state.log.num.partitions":             "3",
		"transaction.state.log.replication.factor":         replicas,
		"transaction.state.log.min.isr":                    inSync,
		"share.coordinator.state.topic.num.partitions":     "1",
		"share.coordinator.state.topic.replication.factor": replicas,
		"share.coordinator.state.topic.min.isr":            inSync,

		"group.initial.rebalance.delay.ms":         "0",
		"group.min.session.timeout.ms":             "1000",
		"group.consumer.min.session.timeout.ms":    "1000",
		"group.consumer.min.heartbeat.interval.ms": "200",
		"group.consumer.session.timeout.ms":        "3000",
		"group.consumer.heartbeat.interval.ms":     "500",

		// With the default of 9s a killed broker needs 11s to come back: the
		// controller refuses it until its former session ends.
		"broker.session.timeout.ms":    "2000",
		"broker.heartbeat.interval.ms": "300",

		"transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",

		"log.cleaner.backoff.ms":         "250",
		"log.initial.task.delay.ms":      "1000",
		"log.cleaner.dedupe.buffer.size": "4194304",

		"num.network.threads": "2",
		"num.io.threads":      "4",
		"background.threads":  "2",
	}
}

// writeFiles writes the configuration of b and, into a data directory that has
// none yet, what StorageTool's format would.
func (b *Broker) writeFiles(voters string) error {
	props := baseProps(b.c.opts.brokers)
	props["node.id"] = strconv.Itoa(int(b.ID))
	props["controller.quorum.voters"] = voters
	props["listeners"] = "PLAINTEXT://" + b.Addr() + ",CONTROLLER://" + address(b.controllerPort)
	props["advertised.listeners"] = "PLAINTEXT://" + b.Addr()
	if b.proxiedPort != 0 {
		props["listeners"] += ",PROXIED://" + b.BehindProxy()
		props["advertised.listeners"] += ",PROXIED://" + b.c.opts.proxy
		props["listener.security.protocol.map"] += ",PROXIED:PLAINTEXT"
	}
	props["log.dirs"] = b.dataDir()
	maps.Copy(props, b.c.opts.props)

	if err := os.MkdirAll(b.dataDir(), 0o755); err != nil {
		return fmt.Errorf("make the data directory of broker %d: %w", b.ID, err)
	}
	files := map[string]string{
		filepath.Join(b.dir, serverConfigName): propertyLines(props),
		filepath.Join(b.dir, logConfigName):    logConfig,
	}
	meta := filepath.Join(b.dataDir(), metaName)
	if _, err := os.Stat(meta); errors.Is(err, fs.ErrNotExist) {
		files[meta] = fmt.Sprintf("version=1\ncluster.id=%s\nnode.id=%d\n", b.c.id, b.ID)
		files[filepath.Join(b.dataDir(), "bootstrap.checkpoint")] = string(bootstrap)
	}
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return fmt.Errorf("write the files of broker %d: %w", b.ID, err)
		}
	}
	return nil
}

func propertyLines(props map[string]string) string {
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(props)) {
		// Java's format takes a backslash as the begin of an escape.
		fmt.Fprintf(&text, "%s=%s\n", key, strings.ReplaceAll(props[key], `\`, `\\`))
	}
	return text.String()
}

var clusterIDLine = regexp.MustCompile(`(?m)^cluster\.id=(\S+)$`)

// clusterID returns the id of the cluster whose data is below dir, or a new one.
func clusterID(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(brokerDir(dir, 1), dataName, metaName))
	if errors.Is(err, fs.ErrNotExist) {
		var id [16]byte
		rand.Read(id[:])
		return base64.RawURLEncoding.EncodeToString(id[:]), nil
	}
	if err != nil {
		return "", fmt.Errorf("read the cluster id: %w", err)
	}
	found := clusterIDLine.FindSubmatch(text)
	if found == nil {
		return "", fmt.Errorf("read the cluster id: none in %s of broker 1", metaName)
	}
	return string(found[1]), nil
}
