package metrics

import (
	"io"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
	"windowed/internal/event"
	"windowed/internal/wire"
	"windowed/state"
	"windowed/window"
)

type quiet struct{}

func (quiet) Infof(string, ...any)         {}
func (quiet) Errorf(string, ...any)        {}
func (quiet) Fatalf(f string, args ...any) { panic(f) }

// source is a run in which every metric has something to say: partition 0 is owned and
// stopped, partition 1 is another's, idle, and follows with a lag.
func source(t *testing.T) *Source {
	t.Helper()
	st, err := state.Open(t.TempDir()+"/db", state.Options{FS: vfs.Default, Window: window.Lifecycle{Size: 1000, Retention: 5000}, Logger: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Abandon() })
	now := time.Now().UnixMilli()
	for p, m := range []state.Meta{state.NewMeta(7), state.NewMeta(90)} {
		m.Time.Accept(now-int64(p+1)*60_000, 1000)
		m.Time.Idle = p == 1
		changes := []state.Change{
			{Kind: state.CountKind, Scope: window.At(0), Drink: "a secret drink", Count: 5},
			{Kind: state.NumbersKind, Scope: window.At(0), Numbers: &window.Numbers{Records: 1, Portions: 5}},
			{Kind: state.MetaKind, Meta: &m},
		}
		if p == 0 {
			changes = append(changes, state.Change{Kind: state.GlobalKind, Global: &state.Global{CloseThrough: now - 121_000, Partitions: 2}})
		}
		if err := st.Apply(int32(p), changes, 40); err != nil {
			t.Fatal(err)
		}
	}
	s := &Source{
		State: func() *state.State { return st }, Status: new(engine.Status), Orders: "orders", Changes: "changelog", Version: "v1",
		Restore: func() Restore {
			return Restore{Remaining: map[int32]int64{0: 0, 3: 37}, Seconds: 1.5, Took: 2.5, Restored: 63}
		}, Streams: func() int { return 3 },
		Schemas: func() wire.Stats {
			return wire.Stats{Known: 2, Missing: 1, Fetches: 7, Errors: 3, LastErrorAt: time.Unix(3000, 0)}
		},
	}
	counters := state.Counters{Records: 100, Counted: 80, Portions: 300, Late: 6, Amended: 4, LateIdle: 1, SkippedBatches: 2}
	counters.Invalid[event.Malformed] = 10
	s.Status.Set(engine.StatusNow{
		Phase: engine.Running, Owned: []int32{0}, Paused: []int32{0}, Commits: 9, Aborts: 2, Fenced: 1, Rebuilds: 3, Rebalances: 4,
		Skipped: 11, Finals: 5, Revised: 2, Expired: 1, Dead: 16, Shots: 8, Snapshot: time.Unix(1000, 500e6), Counted: counters,
		Stopped: map[int32]string{0: "x"}, Ends: engine.Ends{Orders: map[int32]int64{0: 10, 1: 80}, Changelog: map[int32]int64{0: 90, 1: 55}, At: time.Unix(2000, 0)},
		CommitTimes: engine.Histogram{Bounds: []float64{.1, 1}, Counts: [16]uint64{3, 2, 1}, Count: 6, Sum: 4.5},
		AbortTimes:  engine.Histogram{Bounds: []float64{.1, 1}, Counts: [16]uint64{1, 0, 1}, Count: 2, Sum: 9},
		Clocks:      engine.Clocks{Repeated: 5, Skipped: 6},
		LostShots:   2, Pressure: 1500 * time.Millisecond,
	})
	return s
}

// TestMetrics compares the whole exposition of what the run decides.
func TestMetrics(t *testing.T) {
	s := source(t)
	want := `
# HELP windowed_assigned_partitions Input partitions this process owns.
# TYPE windowed_assigned_partitions gauge
windowed_assigned_partitions 1
# HELP windowed_backpressure_seconds_total How long reading has waited for transactions that were full before their time.
# TYPE windowed_backpressure_seconds_total counter
windowed_backpressure_seconds_total 1.5
# HELP windowed_changelog_lag_records Offsets up to the last stable one that are not followed yet, of the partitions that others own.
# TYPE windowed_changelog_lag_records gauge
windowed_changelog_lag_records{partition="1",topic="changelog"} 15
# HELP windowed_commit_duration_seconds From a planned transaction to its counts in the state, or to its end if it was aborted.
# TYPE windowed_commit_duration_seconds histogram
windowed_commit_duration_seconds_bucket{result="aborted",le="0.1"} 1
windowed_commit_duration_seconds_bucket{result="aborted",le="1"} 1
windowed_commit_duration_seconds_bucket{result="aborted",le="+Inf"} 2
windowed_commit_duration_seconds_sum{result="aborted"} 9
windowed_commit_duration_seconds_count{result="aborted"} 2
windowed_commit_duration_seconds_bucket{result="committed",le="0.1"} 3
windowed_commit_duration_seconds_bucket{result="committed",le="1"} 5
windowed_commit_duration_seconds_bucket{result="committed",le="+Inf"} 6
windowed_commit_duration_seconds_sum{result="committed"} 4.5
windowed_commit_duration_seconds_count{result="committed"} 6
# HELP windowed_consumer_lag_records Offsets up to the last stable one that are not counted yet.
# TYPE windowed_consumer_lag_records gauge
windowed_consumer_lag_records{partition="0",topic="orders"} 3
windowed_consumer_lag_records{partition="1",topic="orders"} 0
# HELP windowed_dead_letters_total Records committed to the dead-letter topic.
# TYPE windowed_dead_letters_total counter
windowed_dead_letters_total 16
# HELP windowed_http_streams Open event streams.
# TYPE windowed_http_streams gauge
windowed_http_streams 3
# HELP windowed_lag_timestamp_seconds When the last stable offsets were asked for; 0: never.
# TYPE windowed_lag_timestamp_seconds gauge
windowed_lag_timestamp_seconds 2000
# HELP windowed_partition_holds_back 1 if the partition is the last one, for which the windows stay open.
# TYPE windowed_partition_holds_back gauge
windowed_partition_holds_back{partition="0"} 0
windowed_partition_holds_back{partition="1"} 1
# HELP windowed_partition_idle 1 if the partition is silent at its end.
# TYPE windowed_partition_idle gauge
windowed_partition_idle{partition="0"} 0
windowed_partition_idle{partition="1"} 1
# HELP windowed_partition_paused 1 if this process owns the partition but does not read it now.
# TYPE windowed_partition_paused gauge
windowed_partition_paused{partition="0"} 1
# HELP windowed_partition_stopped 1 if a batch that cannot be read has stopped the partition.
# TYPE windowed_partition_stopped gauge
windowed_partition_stopped{partition="0"} 1
# HELP windowed_portions_counted_total Portions counted for all of time, late ones included.
# TYPE windowed_portions_counted_total counter
windowed_portions_counted_total 300
# HELP windowed_rebalances_total Changes of the partitions this process owns.
# TYPE windowed_rebalances_total counter
windowed_rebalances_total 4
# HELP windowed_records_consumed_total Orders read and committed, good or bad.
# TYPE windowed_records_consumed_total counter
windowed_records_consumed_total 100
# HELP windowed_records_dropped_total Orders that are not in their window, by the reason of their dead letter.
# TYPE windowed_records_dropped_total counter
windowed_records_dropped_total{reason="future"} 0
windowed_records_dropped_total{reason="invalid_drink"} 0
windowed_records_dropped_total{reason="invalid_quantity"} 0
windowed_records_dropped_total{reason="late"} 6
windowed_records_dropped_total{reason="malformed"} 10
windowed_records_dropped_total{reason="no_timestamp"} 0
windowed_records_dropped_total{reason="null_value"} 0
windowed_records_dropped_total{reason="too_large"} 0
windowed_records_dropped_total{reason="update"} 0
# HELP windowed_records_late_total Orders too late for their window, by what became of them.
# TYPE windowed_records_late_total counter
windowed_records_late_total{disposition="amended"} 4
windowed_records_late_total{disposition="dead_letter"} 6
# HELP windowed_restore_duration_seconds How long the restore that runs, or else the last one, has taken.
# TYPE windowed_restore_duration_seconds gauge
windowed_restore_duration_seconds 2.5
# HELP windowed_restore_records_total Changelog records restored since the brokers were connected to.
# TYPE windowed_restore_records_total counter
windowed_restore_records_total 63
# HELP windowed_restore_remaining_records Changelog records still to be restored; 0 when nothing is.
# TYPE windowed_restore_remaining_records gauge
windowed_restore_remaining_records{partition="0"} 0
windowed_restore_remaining_records{partition="3"} 37
# HELP windowed_snapshots_total Transactions with snapshots for the output topic, by what became of them.
# TYPE windowed_snapshots_total counter
windowed_snapshots_total{result="aborted"} 2
windowed_snapshots_total{result="committed"} 8
# HELP windowed_schema_registry_last_error_timestamp_seconds When the registry failed last; 0: never.
# TYPE windowed_schema_registry_last_error_timestamp_seconds gauge
windowed_schema_registry_last_error_timestamp_seconds 3000
# HELP windowed_schema_registry_requests_total Schemas asked for, by what became of it: what is missing was answered.
# TYPE windowed_schema_registry_requests_total counter
windowed_schema_registry_requests_total{result="answered"} 7
windowed_schema_registry_requests_total{result="failed"} 3
# HELP windowed_schema_registry_waiting 1 while records wait for a registry that fails.
# TYPE windowed_schema_registry_waiting gauge
windowed_schema_registry_waiting 0
# HELP windowed_schemas Schemas that are known, of use or not.
# TYPE windowed_schemas gauge
windowed_schemas 2
# HELP windowed_schemas_missing Schema ids of records that the registry does not know.
# TYPE windowed_schemas_missing gauge
windowed_schemas_missing 1
# HELP windowed_snapshot_last_success_timestamp_seconds When the last snapshots were committed; 0 before the first.
# TYPE windowed_snapshot_last_success_timestamp_seconds gauge
windowed_snapshot_last_success_timestamp_seconds 1000.5
# HELP windowed_state 1 for what the run is doing now, 0 for everything else.
# TYPE windowed_state gauge
windowed_state{state="joining"} 0
windowed_state{state="restoring"} 0
windowed_state{state="running"} 1
windowed_state{state="starting"} 0
windowed_state{state="stopping"} 0
# HELP windowed_times_ambiguous_total Orders whose time without zone is in an hour that came twice, or never.
# TYPE windowed_times_ambiguous_total counter
windowed_times_ambiguous_total{hour="repeated"} 5
windowed_times_ambiguous_total{hour="skipped"} 6
# HELP windowed_transactions_total Transactions by what became of them.
# TYPE windowed_transactions_total counter
windowed_transactions_total{result="aborted"} 2
windowed_transactions_total{result="committed"} 9
windowed_transactions_total{result="fenced"} 1
# HELP windowed_windows_open Windows with orders and without a final.
# TYPE windowed_windows_open gauge
windowed_windows_open 1
`
	var names []string
	for _, line := range strings.Split(want, "\n") {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			names = append(names, strings.Fields(name)[0])
		}
	}
	if err := testutil.GatherAndCompare(s.Registry(), strings.NewReader(want), names...); err != nil {
		t.Error(err)
	}
}

// gather is the exposition by name.
func gather(t *testing.T, s *Source) map[string]*dto.MetricFamily {
	t.Helper()
	families, err := s.Registry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]*dto.MetricFamily)
	for _, f := range families {
		all[f.GetName()] = f
	}
	return all
}

// TestMetricsTime looks at the times, which depend on the clock.
func TestMetricsTime(t *testing.T) {
	all := gather(t, source(t))
	value := func(name string) float64 { return all[name].GetMetric()[0].GetGauge().GetValue() }
	now := float64(time.Now().UnixMilli()) / 1000
	for name, want := range map[string]float64{
		"windowed_watermark_timestamp_seconds": now - 60, "windowed_watermark_min_timestamp_seconds": now - 120, "windowed_close_through_timestamp_seconds": now - 121,
		"windowed_watermark_lag_seconds": 60, // of partition 0: the other one is idle
	} {
		if have := value(name); have < want-20 || have > want+20 {
			t.Errorf("%s is %f, not %f", name, have, want)
		}
	}
}

// TestMetricsLint holds all names and helps against Prometheus' rules, those of a Kafka
// client among them, and looks for what must never be there.
func TestMetricsLint(t *testing.T) {
	s := source(t)
	client, err := kgo.NewClient(kgo.SeedBrokers("127.0.0.1:1"), kgo.WithHooks(s.Client("orders")))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	problems, err := testutil.GatherAndLint(s.Registry())
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	all := gather(t, s)
	for _, m := range described {
		name := m.name
		f := all[name]
		if f == nil {
			t.Errorf("%s is described, but never sent", name)
			continue
		}
		for _, x := range f.GetMetric() {
			if x.GetGauge().GetValue() < 0 || x.GetCounter().GetValue() < 0 {
				t.Errorf("%s is negative: %v", name, x)
			}
			for _, label := range x.GetLabel() {
				if label.GetName() == "drink" || label.GetName() == "window" || strings.Contains(label.GetValue(), "secret") {
					t.Errorf("%s has a label without a bound: %v", name, x)
				}
			}
		}
	}
	if all["windowed_kafka_buffered_fetch_bytes"] == nil || all["windowed_kafka_buffered_fetch_records_total"] != nil {
		t.Error("the metrics of the Kafka client are not as they should be")
	}
}

// TestMetricsCheck lets promtool, where there is one, check what a scraper gets.
func TestMetricsCheck(t *testing.T) {
	tool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("there is no promtool; TestMetricsLint applies its rules as a library")
	}
	rec := httptest.NewRecorder()
	source(t).Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	check := exec.CommandContext(t.Context(), tool, "check", "metrics")
	check.Stdin = rec.Body
	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
}

// TestClientAgain opens clients one after the other, and one that was not closed.
func TestClientAgain(t *testing.T) {
	s := source(t)
	open := func() *kgo.Client {
		client, err := kgo.NewClient(kgo.SeedBrokers("127.0.0.1:1"), kgo.WithHooks(s.Client("orders")))
		if err != nil {
			t.Fatal(err)
		}
		return client
	}
	open().Close()
	if gather(t, s)["windowed_kafka_buffered_fetch_bytes"] != nil {
		t.Error("a closed client leaves its metrics")
	}
	left := open()
	defer left.Close()
	open().Close()
	gather(t, s)
}

// TestHandler asks as a scraper does, before there is a state and after it is closed.
func TestHandler(t *testing.T) {
	s := source(t)
	scrape := func(accept string) (string, string) {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Header.Set("Accept", accept)
		rec := httptest.NewRecorder()
		s.Handler().ServeHTTP(rec, r)
		body, _ := io.ReadAll(rec.Body)
		if rec.Code != 200 {
			t.Errorf("%d %s", rec.Code, body)
		}
		return rec.Header().Get("Content-Type"), string(body)
	}
	if kind, body := scrape("application/openmetrics-text;version=1.0.0"); !strings.HasPrefix(kind, "application/openmetrics-text") || !strings.HasSuffix(body, "# EOF\n") {
		t.Errorf("OpenMetrics as %q", kind)
	}
	_, body := scrape("")
	for _, must := range []string{"go_goroutines ", `windowed_build_info{goversion="go`, "windowed_windows_open 1"} {
		if !strings.Contains(body, must) {
			t.Errorf("no %s", must)
		}
	}
	if !s.Status.Now().Ends.At.Equal(time.Unix(2000, 0)) {
		t.Error("a scrape changes the status")
	}
	_ = s.State().Close()
	if _, body := scrape(""); strings.Contains(body, "windowed_windows_open") || !strings.Contains(body, "windowed_records_consumed_total 100") {
		t.Error("after the state is closed")
	}
	s.State = func() *state.State { return nil }
	scrape("")
}
