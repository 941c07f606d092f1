//go:build unix

package e2e

import (
	"strings"
	"testing"

	"windowed/internal/realkafka"
)

// realBroker starts a real Kafka of one broker or three, for one test.
func realBroker(t *testing.T, brokers int) (*realkafka.Cluster, string) {
	t.Helper()
	realkafka.OptIn(t)
	cluster := realkafka.Start(t, realkafka.Brokers(brokers))
	figures.brokers(brokers)
	return cluster, strings.Join(cluster.Seeds(), ",")
}

// TestKafka is TestKill on a real Kafka.
func TestKafka(t *testing.T) {
	runSeries(t, []killed{
		{name: "one broker, one instance", rounds: 5, own: true, real: 1, instances: 1, wipe: 3},
		{name: "one broker, two instances", rounds: 4, own: true, real: 1, instances: 2, upsets: instanceUpsets},
		{name: "one broker, at least once", rounds: 5, own: true, real: 1, instances: 1, flags: []string{"--guarantee=at-least-once", "--commit-interval=20ms"}},
		{name: "three brokers, two instances", rounds: 4, own: true, real: 3, instances: 2, upsets: append(brokerUpsets, instanceUpsets...)},
		{name: "three brokers, four instances", rounds: 3, own: true, real: 3, instances: 4, upsets: append(instanceUpsets, brokerUpsets...)},
	})
}
