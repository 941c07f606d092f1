package metrics

import (
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"windowed/internal/engine"
	"windowed/internal/wire"
	"windowed/state"
)

// Source is what metrics are made from. Its functions may be called at any time.
type Source struct {
	State    func() *state.State // nil while there is none
	Status   *engine.Status
	Restore  func() Restore    // nil: nothing is ever restored
	Streams  func() int        // open event streams; nil: none
	Schemas  func() wire.Stats // of the schema registry; nil: there is none
	Orders   string            // name of the orders topic
	Changes  string            // name of the changelog topic
	Version  string
	registry *prometheus.Registry
}

// Restore is how far a restore is.
type Restore struct {
	Remaining map[int32]int64 // records, by changelog partition
	Seconds   float64         // until it is done, by the rate so far
	Took      float64         // seconds so far, or those of the last one
	Restored  int64           // records, since the brokers were connected to
}

// Registry collects a source, the Go runtime and the process.
func (s *Source) Registry() *prometheus.Registry {
	if s.registry == nil {
		s.registry = prometheus.NewRegistry()
		s.registry.MustRegister(&collector{s}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
		build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "windowed_build_info", Help: "1; the labels say what runs."}, []string{"version", "goversion"})
		build.WithLabelValues(s.Version, runtime.Version()).Set(1)
		s.registry.MustRegister(build)
	}
	return s.registry
}

// Handler serves the registry as Prometheus text, or as OpenMetrics if asked for.
func (s *Source) Handler() http.Handler {
	return promhttp.HandlerFor(s.Registry(), promhttp.HandlerOpts{EnableOpenMetrics: true})
}

// collector makes all metrics of one scrape from one look at the run.
type collector struct{ source *Source }

// Describe implements prometheus.Collector.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range described {
		out <- d.desc
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	s := c.source
	s.Status.WantEnds()
	w := writer{out: out, now: s.Status.Now()}
	w.run(s)
	st := s.State()
	if st == nil {
		return
	}
	if v, err := st.View(); err == nil {
		w.time(v)
		w.lag(s, st, v)
	}
	if h, err := st.Health(); err == nil {
		w.store(&h)
	}
}
