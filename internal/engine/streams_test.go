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
	"testing"
)

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
