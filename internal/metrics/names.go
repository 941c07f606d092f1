package metrics

import "github.com/prometheus/client_golang/prometheus"

// metric is one name of ours.
type metric struct {
	name string
	desc *prometheus.Desc
	kind prometheus.ValueType
}

// described are all metrics that a collector may send.
var described []metric

func define(kind prometheus.ValueType, name, help string, labels ...string) metric {
	m := metric{"windowed_" + name, prometheus.NewDesc("windowed_"+name, help, labels, nil), kind}
	described = append(described, m)
	return m
}

func gauge(name, help string, labels ...string) metric {
	return define(prometheus.GaugeValue, name, help, labels...)
}

func counter(name, help string, labels ...string) metric {
	return define(prometheus.CounterValue, name, help, labels...)
}

// What the run is doing.
var (
	runState      = gauge("state", "1 for what the run is doing now, 0 for everything else.", "state")
	assigned      = gauge("assigned_partitions", "Input partitions this process owns.")
	rebalances    = counter("rebalances_total", "Changes of the partitions this process owns.")
	rebuilds      = counter("session_rebuilds_total", "Sessions with the brokers that were opened anew after an error.")
	transactions  = counter("transactions_total", "Transactions by what became of them.", "result")
	commitTimes   = gauge("commit_duration_seconds", "From a planned transaction to its counts in the state, or to its end if it was aborted.", "result")
	restoreLeft   = gauge("restore_remaining_records", "Changelog records still to be restored; 0 when nothing is.", "partition")
	restoreTime   = gauge("restore_remaining_seconds", "How long the restore will still take, by its rate so far; 0 when nothing is restored.")
	restoreTook   = gauge("restore_duration_seconds", "How long the restore that runs, or else the last one, has taken.")
	restored      = counter("restore_records_total", "Changelog records restored since the brokers were connected to.")
	streams       = gauge("http_streams", "Open event streams.")
	snapshots     = counter("snapshots_total", "Transactions with snapshots for the output topic, by what became of them.", "result")
	snapshotTime  = gauge("snapshot_last_success_timestamp_seconds", "When the last snapshots were committed; 0 before the first.")
	deadLetters   = counter("dead_letters_total", "Records committed to the dead-letter topic.")
	windowsClosed = counter("windows_closed_total", "Windows whose final this process committed.")
	windowsAgain  = counter("window_revisions_total", "Further finals of windows that were amended.")
	windowsGone   = counter("windows_expired_total", "Windows whose last trace this process removed.")
	backpressure  = counter("backpressure_seconds_total", "How long reading has waited for transactions that were full before their time.")
	closeDelays   = gauge("window_close_delay_seconds", "From the end of a window to its final, by the wall clock.")
)

// How the schema registry is, if there is one.
var (
	schemasKnown   = gauge("schemas", "Schemas that are known, of use or not.")
	schemasMissing = gauge("schemas_missing", "Schema ids of records that the registry does not know.")
	schemaRequests = counter("schema_registry_requests_total", "Schemas asked for, by what became of it: what is missing was answered.", "result")
	schemaErrorAt  = gauge("schema_registry_last_error_timestamp_seconds", "When the registry failed last; 0: never.")
	schemaWaiting  = gauge("schema_registry_waiting", "1 while records wait for a registry that fails.")
)

// What was read, by the committed transactions of this process.
var (
	consumed       = counter("records_consumed_total", "Orders read and committed, good or bad.")
	counted        = counter("records_counted_total", "Orders counted in time.")
	portions       = counter("portions_counted_total", "Portions counted for all of time, late ones included.")
	dropped        = counter("records_dropped_total", "Orders that are not in their window, by the reason of their dead letter.", "reason")
	lateRecords    = counter("records_late_total", "Orders too late for their window, by what became of them.", "disposition")
	lateIdle       = counter("records_late_idle_total", "Late orders that were in time, had their partition not been idle.")
	skipped        = counter("records_skipped_total", "Records seen again after they were counted.")
	eventLags      = gauge("event_time_lag_seconds", "From the newest event time of a transaction and partition to the commit.")
	lateness       = gauge("record_lateness_seconds", "From the event time of a late order to how far its partition was.")
	unclearTimes   = counter("times_ambiguous_total", "Orders whose time without zone is in an hour that came twice, or never.", "hour")
	batchesSkipped = counter("batches_skipped_total", "Batches passed by --skip-batch.")
)

// How far time and reading are, by partition.
var (
	watermarkAt   = gauge("watermark_timestamp_seconds", "Highest event time that was accepted.", "partition")
	watermarkLow  = gauge("watermark_min_timestamp_seconds", "Lowest watermark of all partitions that have one.")
	watermarkLag  = gauge("watermark_lag_seconds", "Wall clock minus the lowest watermark of the partitions that are not idle.")
	closeThrough  = gauge("close_through_timestamp_seconds", "Windows with an end at or before it are closed.")
	idle          = gauge("partition_idle", "1 if the partition is silent at its end.", "partition")
	holdsBack     = gauge("partition_holds_back", "1 if the partition is the last one, for which the windows stay open.", "partition")
	paused        = gauge("partition_paused", "1 if this process owns the partition but does not read it now.", "partition")
	stopped       = gauge("partition_stopped", "1 if a batch that cannot be read has stopped the partition.", "partition")
	windowsOpen   = gauge("windows_open", "Windows with orders and without a final.")
	consumerLag   = gauge("consumer_lag_records", "Offsets up to the last stable one that are not counted yet.", "topic", "partition")
	changelogLag  = gauge("changelog_lag_records", "Offsets up to the last stable one that are not followed yet, of the partitions that others own.", "topic", "partition")
	lagMeasuredAt = gauge("lag_timestamp_seconds", "When the last stable offsets were asked for; 0: never.")
)

// How the local store is.
var (
	stateBytes     = gauge("state_bytes", "Size of the local store on the disk.")
	stateFree      = gauge("state_disk_free_bytes", "Space left on the disk of the local store.")
	stateKeys      = gauge("state_keys", "Drinks that have a count, of all time and of each window, added up.")
	stateDirty     = gauge("state_dirty_keys", "Keys that the next checkpoint writes.")
	stateCached    = gauge("state_cached_keys", "Keys in memory.")
	stateRankings  = gauge("state_rankings", "Rankings in memory.")
	checkpoints    = counter("state_checkpoints_total", "Checkpoints written to the local store.")
	l0Files        = gauge("pebble_l0_files", "Tables in level 0.")
	l0Sublevels    = gauge("pebble_l0_sublevels", "Sublevels of level 0: many of them make writes stall.")
	readAmp        = gauge("pebble_read_amplification", "Tables that a read may have to look into.")
	compactionDebt = gauge("pebble_compaction_debt_bytes", "What has to be compacted, estimated.")
	compactions    = counter("pebble_compactions_total", "Compactions.")
	compactionTime = counter("pebble_compaction_seconds_total", "Time spent on compactions.")
	flushes        = counter("pebble_flushes_total", "Flushes of memtables.")
	memtable       = gauge("pebble_memtable_bytes", "Size of the memtables.")
	wal            = gauge("pebble_wal_bytes", "Size of the live write-ahead log.")
	cacheHits      = counter("pebble_block_cache_hits_total", "Reads that the block cache answered.")
	cacheMisses    = counter("pebble_block_cache_misses_total", "Reads that went to the disk.")
	stalls         = counter("pebble_write_stalls_total", "How often writes had to wait for flushes or compactions.")
	stallTime      = counter("pebble_write_stall_seconds_total", "How long writes had to wait.")
)
