package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/state"
	"windowed/window"
)

const (
	minute = 60_000
	hour   = 60 * minute
	day    = 24 * hour
)

// result is what a replay, or an oracle, says about a file.
type result struct {
	finals, allTime        string // tsv
	records, counted, late uint64
}

// replay runs the engine over a file.
func replay(t *testing.T, path string, size, grace int64, top int) result {
	t.Helper()
	return replayWith(t, path, Config{Window: window.Size(size), Grace: grace, Top: top})
}

func replayWith(t *testing.T, path string, cfg Config) result {
	t.Helper()
	cfg.Retention, cfg.Flush, cfg.Order.TimeField = day, 1, "ts"
	st, err := state.Open("replay", state.Options{FS: vfs.NewMem(), Window: cfg.Lifecycle(), Logger: quietLog{}})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Abandon()
	var finals []byte
	r, err := NewReplay(cfg, st, func(o *Output) error {
		finals = appendRows(finals, o.Scope.String(), o.Top)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := r.AddAll(lines(t, f, 0), ordersBy(&cfg), 2, func(int) {}); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	all, err := st.Top(window.AllTime, cfg.Top)
	if err != nil {
		t.Fatal(err)
	}
	k := st.Totals()
	return result{string(finals), string(appendRows(nil, "all-time", all)), k.Records, k.Counted, k.Late}
}

func orderLines(t *testing.T, path string) (lines [][]byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// appendRows appends a top list as tsv.
func appendRows(dst []byte, scope string, top []state.Entry) []byte {
	escape := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	for i, e := range top {
		dst = fmt.Appendf(dst, "%s\t%d\t%s\t%d\n", scope, i+1, escape.Replace(e.Drink), e.Count)
	}
	return dst
}

// oracle computes the same the slow and obvious way, with nothing of the engine: a map
// per window, everything sorted at the end.
func oracle(t *testing.T, path string, size, grace int64, top int) (res result) {
	t.Helper()
	windows, total := map[int64]map[string]uint64{}, map[string]uint64{}
	var high int64
	for i, line := range orderLines(t, path) {
		var o struct {
			Ts    json.RawMessage
			Items []struct {
				Drink    string
				Quantity uint64
			}
		}
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		ts := oracleTime(t, o.Ts)
		start := ts / size * size
		if start > ts {
			start -= size
		}
		late := i > 0 && start+size+grace <= high
		if high = max(high, ts); i == 0 {
			high = ts
		}
		res.records++
		if late {
			res.late++
		}
		for _, item := range o.Items {
			total[item.Drink] += item.Quantity
			if late {
				continue
			}
			if windows[start] == nil {
				windows[start] = map[string]uint64{}
			}
			windows[start][item.Drink] += item.Quantity
		}
	}
	res.counted = res.records - res.late
	for _, start := range sortedKeys(windows) {
		label := time.UnixMilli(start).UTC().Format("2006-01-02T15:04:05.999Z")
		res.finals += string(appendRows(nil, label, oracleTop(windows[start], top)))
	}
	res.allTime = string(appendRows(nil, "all-time", oracleTop(total, top)))
	return res
}

func oracleTime(t *testing.T, raw json.RawMessage) int64 {
	if ms, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return ms
	}
	at, err := time.Parse(time.RFC3339, strings.ToUpper(strings.Trim(string(raw), `"`)))
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMilli()
}

func oracleTop(counts map[string]uint64, n int) []state.Entry {
	var all []state.Entry
	for drink, count := range counts {
		all = append(all, state.Entry{Drink: drink, Count: count})
	}
	slices.SortFunc(all, func(a, b state.Entry) int {
		if a.Count != b.Count {
			return cmp.Compare(b.Count, a.Count)
		}
		return bytes.Compare([]byte(a.Drink), []byte(b.Drink))
	})
	return all[:min(n, len(all))]
}

// TestReplayEqualsOracle: replay over a small file with odd names, ties, several items
// an order and disorder.
func TestReplayEqualsOracle(t *testing.T) {
	path := filepath.Join("..", "..", "testdata", "odd.jsonl")
	late := map[uint64]bool{}
	for _, size := range []int64{minute, hour, day} {
		for _, grace := range []int64{0, 10_000, minute} {
			for _, top := range []int{3, 10} {
				got, want := replay(t, path, size, grace, top), oracle(t, path, size, grace, top)
				compareResults(t, fmt.Sprintf("window %d, grace %d, top %d", size, grace, top), got, want)
				late[got.late] = true
			}
		}
	}
	if len(late) < 4 {
		t.Errorf("the file has too little disorder: late are %v", late)
	}
}

// TestReplayAmends: with late orders put into their windows, a replay of one batch holds
// each final until it is the last, and then nothing is late, as with an endless grace.
func TestReplayAmends(t *testing.T) {
	path := filepath.Join("..", "..", "testdata", "odd.jsonl")
	got := replayWith(t, path, Config{Window: minute, Top: 10, Late: AmendLate})
	want := oracle(t, path, minute, 1<<50, 10)
	if got.counted == want.counted {
		t.Error("nothing was amended")
	}
	got.counted = want.counted // amended ones are counted apart
	compareResults(t, "amend", got, want)
}

func compareResults(t *testing.T, what string, got, want result) {
	t.Helper()
	if got.records != want.records || got.counted != want.counted || got.late != want.late {
		t.Errorf("%s: %d records, %d counted, %d late; want %d, %d, %d", what,
			got.records, got.counted, got.late, want.records, want.counted, want.late)
	}
	if got.allTime != want.allTime {
		t.Errorf("%s: all-time is\n%swant\n%s", what, got.allTime, want.allTime)
	}
	g, w := strings.SplitAfter(got.finals, "\n"), strings.SplitAfter(want.finals, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Errorf("%s: line %d is %q, want %q", what, i+1, g[i], w[i])
			return
		}
	}
	if len(g) != len(w) {
		t.Errorf("%s: %d lines, want %d", what, len(g), len(w))
	}
}
