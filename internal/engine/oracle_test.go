package engine

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/internal/order"
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
func replay(t *testing.T, path string, size, grace int64, top int) (res result) {
	t.Helper()
	cfg := Config{
		Window: window.Size(size), Grace: grace, Retention: day, Top: top, Flush: 1, Order: order.Config{TimeField: "ts"},
	}
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
	for _, line := range orderLines(t, path) {
		if err := r.Add(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	all, err := st.Top(window.AllTime, top)
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

// streams is the directory of the order streams that are too large, or not ours, to be
// in this repository. Without it the test is skipped; on CI that is a failure.
func streams(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "data")
	if _, err := os.Stat(filepath.Join(dir, "README.md")); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the order streams are not in %s: %v", dir, err)
		}
		t.Skipf("the order streams are not in %s", dir)
	}
	return dir
}

// TestReplayDigests: the finals of public order streams, top 3 and grace 0, by the
// digests computed once by an oracle.
func TestReplayDigests(t *testing.T) {
	t.Parallel()
	dir := streams(t)
	for name, want := range map[string][2]string{
		"bakery":    {"a15c3c7b912b59da", "ba47736b61c803ff"},
		"coffee":    {"3eb71a74bbea1a7a", "3ef51afd6676d67a"},
		"pizza":     {"5def0c1af4318dee", "8b57331820163a0d"},
		"rides":     {"48ebce8e43f0d4cf", "ca8487915c401cd8"},
		"smoothies": {"ae0f3863cf5f87ca", "101404f3d88cdc48"},
		"weblog":    {"d6fda9f8e76dfa39", "38f151b1f32d942c"},
	} {
		for i, size := range []int64{hour, day} {
			got := sha256.Sum256([]byte(replay(t, filepath.Join(dir, name+".jsonl"), size, 0, 3).finals))
			if digest := hex.EncodeToString(got[:8]); digest != want[i] {
				t.Errorf("%s, window %d: digest %s, want %s", name, size, digest, want[i])
			}
		}
	}
}

// TestReplayLateness: how many are late in two streams that are known for it.
func TestReplayLateness(t *testing.T) {
	t.Parallel()
	dir := streams(t)
	for _, c := range []struct {
		name              string
		size, grace, late int64
	}{
		{"rides", minute, 0, 17}, {"rides", minute, 10_000, 0},
		{"weblog", 10_000, 0, 8144}, {"weblog", 10_000, 10_000, 6489}, {"weblog", 10_000, 30_000, 3136}, {"weblog", 10_000, 59_000, 0},
	} {
		if got := replay(t, filepath.Join(dir, c.name+".jsonl"), c.size, c.grace, 3).late; got != uint64(c.late) {
			t.Errorf("%s, window %d, grace %d: %d late, want %d", c.name, c.size, c.grace, got, c.late)
		}
	}
}

// TestReplayEqualsScript compares replay byte for byte with an oracle in another
// language. WINDOWED_FULL=1 takes the whole matrix.
func TestReplayEqualsScript(t *testing.T) {
	t.Parallel()
	dir := streams(t)
	script := filepath.Join(dir, "..", "tools", "oracle.py")
	python, err := exec.LookPath("python3")
	if _, serr := os.Stat(script); err != nil || serr != nil {
		t.Skipf("python3 or %s is missing: %v", script, cmp.Or(err, serr))
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no streams in %s: %v", dir, err)
	}
	sizes, graces, tops := []int64{hour}, []int64{0}, []int{10}
	if os.Getenv("WINDOWED_FULL") == "1" {
		sizes, graces, tops = []int64{minute, hour, day}, []int64{0, 10_000}, []int{3, 10}
	}
	files = append(files, filepath.Join("..", "..", "testdata", "odd.jsonl"))
	for _, path := range files {
		for _, size := range sizes {
			for _, grace := range graces {
				for _, top := range tops {
					want := runScript(t, python, script, path, size, grace, top)
					got := replay(t, path, size, grace, top)
					got.finals, got.allTime = got.finals+got.allTime, ""
					compareResults(t, fmt.Sprintf("%s, window %d, grace %d, top %d", filepath.Base(path), size, grace, top), got, want)
				}
			}
		}
	}
}

func runScript(t *testing.T, python, script, path string, size, grace int64, top int) (res result) {
	t.Helper()
	cmd := exec.Command(python, script, fmt.Sprintf("--window-ms=%d", size), fmt.Sprintf("--grace-ms=%d", grace), fmt.Sprintf("--n=%d", top), path)
	var out, summary bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &summary
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, &summary)
	}
	var n struct{ Records, Counted, Late uint64 }
	if err := json.Unmarshal(summary.Bytes(), &n); err != nil {
		t.Fatal(err)
	}
	return result{finals: out.String(), records: n.Records, counted: n.Counted, late: n.Late}
}
