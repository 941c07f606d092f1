package page

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// world is what the fake program counts: a café's day up to now.
type world struct {
	now     time.Time
	counts  map[string]uint64 // of the open window
	windows []object          // newest first
}

var noon = time.Date(2026, 3, 1, 12, 41, 10, 0, time.UTC)

var menu = []string{"latte", "cappuccino", "espresso", "flat white", "americano", "mocha", "tea: earl grey", "matcha latte", "chai", "café au lait"}

// newWorld has 30 windows: one open, one in grace, one expired, the others closed.
func newWorld() *world {
	w := &world{now: noon, counts: map[string]uint64{}}
	for i, drink := range menu {
		w.counts[drink] = uint64(1900 / (i + 2))
	}
	start := noon.Truncate(time.Hour)
	for i := range 30 {
		at := start.Add(time.Duration(-i) * time.Hour)
		if i > 20 {
			at = at.Add(-3 * time.Hour) // nobody ordered at night
		}
		total := int(2400 + 1900*math.Sin(float64(at.Hour()-6)/24*2*math.Pi))
		line := object{
			"start": stamp(at), "end": stamp(at.Add(time.Hour)), "state": "closed", "final": true, "revision": 0, "in_grace": false,
			"records": total / 2, "total": total, "drinks": 12, "late_records": i % 3, "late_portions": i % 3 * 2,
		}
		switch {
		case i < 2:
			line["state"], line["final"], line["in_grace"] = "open", false, i == 1
			delete(line, "revision")
		case i == 4:
			line["revision"] = 2
		case i == 29:
			line["state"] = "expired"
		}
		w.windows = append(w.windows, line)
	}
	return w
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func (w *world) asOf() object {
	return object{"watermark": stamp(w.now.Add(-70 * time.Second)), "positions": object{"0": 1200, "1": 1180}, "complete": true, "generated_at": stamp(w.now)}
}

// top is a list of counts, in the order of the program: by count, then by name.
func (w *world) top(counts map[string]uint64, line object, n int) object {
	type entry struct {
		drink string
		count uint64
	}
	var all []entry
	var total uint64
	for drink, count := range counts {
		all = append(all, entry{drink, count})
		total += count
	}
	slices.SortFunc(all, func(a, b entry) int {
		if a.count != b.count {
			return map[bool]int{true: -1, false: 1}[a.count > b.count]
		}
		return map[bool]int{true: -1, false: 1}[a.drink < b.drink]
	})
	list := []object{}
	for i, e := range all[:min(n, len(all))] {
		list = append(list, object{"rank": i + 1, "drink": e.drink, "count": e.count})
	}
	top := object{"schema": "windowed.top/v1", "scope": "all-time", "records": total / 2, "total": total, "drinks": len(all), "top": list, "as_of": w.asOf()}
	if line != nil {
		top["scope"], top["window"] = "window", line
	}
	return top
}

// scaled are the counts of another scope: other numbers and another order.
func (w *world) scaled(by float64) map[string]uint64 {
	counts := map[string]uint64{}
	for i, drink := range menu {
		counts[drink] = uint64(float64(w.counts[menu[(i*7+2)%len(menu)]]+uint64(17*i)) * by)
	}
	return counts
}

func (w *world) status(phase string) object {
	return object{
		"schema": "windowed.status/v1", "version": "1.0.0-test", "phase": phase,
		"restore":          object{"active": false, "done_records": 0, "total_records": 0, "records_per_second": 0, "eta_seconds": 0},
		"owned_partitions": []int{0, 1, 2, 3}, "partitions": []object{},
		"records": 184201 + w.now.Unix() - noon.Unix(), "counted": 184100 + 9*(w.now.Unix()-noon.Unix()), "portions": 402117, "late": 58, "late_idle": 3, "amended": 0,
		"invalid": object{"malformed": 12, "invalid_drink": 3, "invalid_quantity": 0, "future": 1}, "skipped": 0, "paused_partitions": []int{0},
		"last_invalid": object{"malformed": []object{{"partition": 1, "offset": 45991, "error": "not JSON: <b>\u202e at byte 12", "at": stamp(w.now.Add(-40 * time.Second))}}},
		"commits":      91877, "aborts": 2, "session_rebuilds": 1, "as_of": w.asOf(),
	}
}

func (w *world) watermark() object {
	partitions := []object{}
	for p := range 4 {
		at := w.now.Add(-time.Duration(p*p+1) * 7 * time.Second)
		partition := object{
			"partition": p, "watermark": stamp(at), "close_through": stamp(at.Add(-time.Minute)), "idle": p == 1, "next_offset": 46012 + 97*p,
			"lag": p * 3, "holds_back": p == 3,
		}
		if p == 2 {
			partition["stopped"] = "the batch at offset 46206 cannot be read"
		}
		partitions = append(partitions, partition)
	}
	return object{"schema": "windowed.watermark/v1", "close_through": stamp(w.now.Add(-130 * time.Second)), "held_back_by": []int{3}, "partitions": partitions, "as_of": w.asOf()}
}

// update is what the stream says while the program runs.
func (w *world) update() object {
	last := w.windows[2]
	return object{
		"schema": "windowed.stream/v1", "status": w.status("running"), "watermark": w.watermark(),
		"all_time": w.top(w.scaled(97.3), nil, 10), "current": w.top(w.counts, w.windows[0], 10), "last": w.top(w.scaled(1.3), last, 10),
		"windows": object{"schema": "windowed.windows/v1", "window_size": "1h0m0s", "windows": w.windows, "as_of": w.asOf()},
	}
}

// restoring is what the stream says while the counts are restored.
func (w *world) restoring(done, total int) object {
	status := w.status("restoring")
	status["restore"] = object{"active": true, "done_records": done, "total_records": total, "records_per_second": 61234.5678901234567, "eta_seconds": 12.3}
	watermark := w.watermark()
	watermark["partitions"] = []object{}
	return object{"schema": "windowed.stream/v1", "status": status, "watermark": watermark, "all_time": nil, "current": nil, "last": nil, "windows": nil}
}

// close closes the open window; the next one begins.
func (w *world) close() {
	line := w.windows[0]
	line["state"], line["final"], line["revision"] = "closed", true, 0
	start, _ := time.Parse(time.RFC3339, line["end"].(string))
	w.windows = slices.Insert(w.windows, 0, object{
		"start": stamp(start), "end": stamp(start.Add(time.Hour)), "state": "open", "final": false, "in_grace": false,
		"records": 3, "total": 6, "drinks": 1, "late_records": 0, "late_portions": 0,
	})
	w.now = start.Add(time.Minute)
}

// order counts n portions of a drink in the open window.
func (w *world) order(drink string, n uint64) {
	w.counts[drink] += n
	w.now = w.now.Add(3 * time.Second)
	var total uint64
	for _, c := range w.counts {
		total += c
	}
	w.windows[0]["total"], w.windows[0]["records"], w.windows[0]["drinks"] = total, total/2, len(w.counts)
}

// serve lets the fake answer for every window that is not expired.
func (w *world) serve(f *fake) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, line := range w.windows {
		start := line["start"].(string)
		counts := w.counts
		if i > 0 {
			counts = w.scaled(1.3)
			for k := range 60 {
				counts[fmt.Sprintf("special of the day no. %d", k+1)] = uint64(60 - k)
			}
		}
		if line["state"] == "expired" {
			f.gone[start] = 410
			continue
		}
		f.tops[start] = w.top(counts, line, 50)
	}
}
