package metrics

import (
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"windowed/internal/engine"
	"windowed/internal/event"
	"windowed/state"
	"windowed/window"
)

// writer sends the metrics of one scrape.
type writer struct {
	out chan<- prometheus.Metric
	now engine.StatusNow
}

func (w *writer) send(m metric, v float64, labels ...string) {
	w.out <- prometheus.MustNewConstMetric(m.desc, m.kind, v, labels...)
}

func (w *writer) histogram(m metric, h *engine.Histogram, labels ...string) {
	w.out <- prometheus.MustNewConstHistogram(m.desc, h.Count, h.Sum, h.Cumulative(), labels...)
}

// phases are all a run can be doing.
var phases = []engine.Phase{engine.Starting, engine.Joining, engine.Restoring, engine.Running, engine.Stopping}

// run sends what the run says of itself.
func (w *writer) run(s *Source) {
	n := &w.now
	for _, p := range phases {
		w.send(runState, truth(n.Phase == p), string(p))
	}
	w.send(assigned, float64(len(n.Owned)))
	w.send(rebalances, float64(n.Rebalances))
	w.send(rebuilds, float64(n.Rebuilds))
	w.send(transactions, float64(n.Commits), "committed")
	w.send(transactions, float64(n.Aborts), "aborted")
	w.send(transactions, float64(n.Fenced), "fenced")
	w.histogram(commitTimes, &n.CommitTimes, "committed")
	w.histogram(commitTimes, &n.AbortTimes, "aborted")
	w.histogram(closeDelays, &n.CloseDelays)
	w.send(backpressure, n.Pressure.Seconds())
	w.send(snapshots, float64(n.Shots), "committed")
	w.send(snapshots, float64(n.LostShots), "aborted")
	w.send(snapshotTime, seconds(n.Snapshot))
	w.send(deadLetters, float64(n.Dead))
	w.send(windowsClosed, float64(n.Finals))
	w.send(windowsAgain, float64(n.Revised))
	w.send(windowsGone, float64(n.Expired))
	w.send(lagMeasuredAt, seconds(n.Ends.At))
	var left Restore
	if s.Restore != nil {
		left = s.Restore()
	}
	for p, n := range left.Remaining {
		w.send(restoreLeft, float64(n), strconv.Itoa(int(p)))
	}
	w.send(restoreTime, max(0, left.Seconds))
	w.send(restoreTook, max(0, left.Took))
	w.send(restored, float64(max(0, left.Restored)))
	if s.Streams != nil {
		w.send(streams, float64(s.Streams()))
	}
	w.schemas(s)
	w.counters()
}

// schemas sends what is known of the schema registry.
func (w *writer) schemas(s *Source) {
	if s.Schemas == nil {
		return
	}
	n := s.Schemas()
	w.send(schemasKnown, float64(n.Known))
	w.send(schemasMissing, float64(n.Missing))
	w.send(schemaRequests, float64(n.Fetches), "answered")
	w.send(schemaRequests, float64(n.Errors), "failed")
	w.send(schemaErrorAt, seconds(n.LastErrorAt))
	w.send(schemaWaiting, truth(w.now.Waiting != ""))
}

// counters sends what this process has counted, every reason from the start on.
func (w *writer) counters() {
	c := &w.now.Counted
	w.send(consumed, float64(c.Records))
	w.send(counted, float64(c.Counted))
	w.send(portions, float64(c.Portions))
	w.send(lateRecords, float64(c.Late), "dead_letter")
	w.send(lateRecords, float64(c.Amended), "amended")
	w.send(lateIdle, float64(c.LateIdle))
	w.send(skipped, float64(w.now.Skipped))
	w.histogram(eventLags, &w.now.EventLags)
	w.histogram(lateness, &w.now.Lateness)
	w.send(unclearTimes, float64(w.now.Clocks.Repeated), "repeated")
	w.send(unclearTimes, float64(w.now.Clocks.Skipped), "skipped")
	w.send(batchesSkipped, float64(c.SkippedBatches))
	for i := event.Malformed; i < event.NumReasons; i++ {
		n := c.Invalid[i]
		if i == event.Late {
			n = c.Late
		}
		w.send(dropped, float64(n), i.String())
	}
}

// time sends how far the partitions are in event time.
func (w *writer) time(v *state.View) {
	times := v.Times()
	held := v.Holding()
	lowest, active := int64(0), int64(0)
	some, busy := false, false
	for i, t := range times {
		p := strconv.Itoa(i)
		w.send(idle, truth(t.Idle), p)
		w.send(holdsBack, truth(slices.Contains(held, int32(i))), p)
		if t.Watermark == window.None {
			continue
		}
		w.send(watermarkAt, float64(t.Watermark)/1000, p)
		if !some || t.Watermark < lowest {
			some, lowest = true, t.Watermark
		}
		if !t.Idle && (!busy || t.Watermark < active) {
			busy, active = true, t.Watermark
		}
	}
	if some {
		w.send(watermarkLow, float64(lowest)/1000)
	}
	if busy {
		w.send(watermarkLag, max(0, time.Since(time.UnixMilli(active)).Seconds()))
	}
	if v.Global.CloseThrough != window.None {
		w.send(closeThrough, float64(v.Global.CloseThrough)/1000)
	}
	w.send(windowsOpen, float64(v.Open))
	for _, p := range w.now.Owned {
		_, stuck := w.now.Stopped[p]
		w.send(stopped, truth(stuck), strconv.Itoa(int(p)))
		w.send(paused, truth(slices.Contains(w.now.Paused, p)), strconv.Itoa(int(p)))
	}
}

// lag sends how far reading is behind. Offsets of markers count on both sides, so a
// partition that is worked off has lag 0. A partition's own owner reads no changelog.
func (w *writer) lag(s *Source, st *state.State, v *state.View) {
	for p, end := range w.now.Ends.Orders {
		if m, ok := v.Meta(p); ok {
			w.send(consumerLag, float64(max(0, end-m.Next)), s.Orders, strconv.Itoa(int(p)))
		}
	}
	positions := st.Positions()
	for p, end := range w.now.Ends.Changelog {
		if !slices.Contains(w.now.Owned, p) {
			w.send(changelogLag, float64(max(0, end-positions[p])), s.Changes, strconv.Itoa(int(p)))
		}
	}
}

func (w *writer) store(h *state.Health) {
	w.send(stateBytes, float64(h.Bytes))
	if h.FreeBytes > 0 {
		w.send(stateFree, float64(h.FreeBytes))
	}
	w.send(stateKeys, float64(h.Keys))
	w.send(stateDirty, float64(h.Dirty))
	w.send(stateCached, float64(h.Cached))
	w.send(stateRankings, float64(h.Rankings))
	w.send(checkpoints, float64(h.Checkpoints))
	w.send(l0Files, float64(h.L0Files))
	w.send(l0Sublevels, float64(h.L0Sublevels))
	w.send(readAmp, float64(h.ReadAmplification))
	w.send(compactionDebt, float64(h.CompactionDebt))
	w.send(compactions, float64(h.Compactions))
	w.send(compactionTime, h.CompactionTime.Seconds())
	w.send(flushes, float64(h.Flushes))
	w.send(memtable, float64(h.MemTableBytes))
	w.send(wal, float64(h.WALBytes))
	w.send(cacheHits, float64(h.CacheHits))
	w.send(cacheMisses, float64(h.CacheMiss))
	w.send(stalls, float64(h.WriteStalls))
	w.send(stallTime, h.WriteStallTime.Seconds())
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}
