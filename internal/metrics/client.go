package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/plugin/kprom"
)

// Client is the hook with which a Kafka client counts connections, bytes and records
// under windowed_kafka_..., with what it is for as the label client. Each client needs
// its own; it takes its metrics away when it is closed.
func (s *Source) Client(name string) kgo.Hook {
	return kprom.NewMetrics("windowed",
		kprom.Subsystem("kafka"),
		kprom.Registerer(registerer{s.Registry()}),
		kprom.WithStaticLabel(prometheus.Labels{"client": name}),
		kprom.FetchAndProduceDetail(kprom.ByTopic, kprom.Records, kprom.CompressedBytes, kprom.UncompressedBytes, kprom.ConsistentNaming),
	)
}

// registerer takes what kprom registers, but for two gauges whose names end in _total,
// which scrapers refuse. A client that was not closed properly must not end the process
// when the next one registers the same.
type registerer struct{ prometheus.Registerer }

// MustRegister implements prometheus.Registerer.
func (r registerer) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		_ = r.Register(c)
	}
}

// Register implements prometheus.Registerer.
func (r registerer) Register(c prometheus.Collector) error {
	descs := make(chan *prometheus.Desc, 16)
	c.Describe(descs)
	close(descs)
	for d := range descs {
		if text := d.String(); strings.Contains(text, "buffered_produce_records_total") || strings.Contains(text, "buffered_fetch_records_total") {
			return nil
		}
	}
	return r.Registerer.Register(c)
}
