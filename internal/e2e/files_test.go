//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// dataFile is a file of real orders with a job over it. sum is the published check sum
// (16 hex digits of SHA-256) of the tsv of the top 3 of all windows, if the file is
// counted as one partition.
type dataFile struct {
	name   string
	window time.Duration
	grace  time.Duration
	late   uint64 // as one partition
	sum    string
	long   bool // full form only
}

const day = 24 * time.Hour

var dataFiles = []dataFile{
	{name: "coffee", window: time.Hour, sum: "3eb71a74bbea1a7a"},
	{name: "rides", window: time.Minute, late: 17},
	{name: "rides", window: time.Minute, grace: 10 * time.Second, long: true},
	{name: "rides", window: time.Hour, sum: "48ebce8e43f0d4cf", long: true},
	{name: "rides", window: day, sum: "ca8487915c401cd8", long: true},
	{name: "coffee", window: day, sum: "3ef51afd6676d67a", long: true},
	{name: "bakery", window: time.Hour, sum: "a15c3c7b912b59da", long: true},
	{name: "bakery", window: day, sum: "ba47736b61c803ff", long: true},
	{name: "pizza", window: time.Hour, sum: "5def0c1af4318dee", long: true},
	{name: "pizza", window: day, sum: "8b57331820163a0d", long: true},
	{name: "smoothies", window: time.Hour, sum: "ae0f3863cf5f87ca", long: true},
	{name: "smoothies", window: day, sum: "101404f3d88cdc48", long: true},
	{name: "weblog", window: time.Hour, sum: "d6fda9f8e76dfa39", long: true},
	{name: "weblog", window: day, sum: "38f151b1f32d942c", long: true},
	{name: "weblog", window: 10 * time.Second, late: 8144, long: true},
	{name: "weblog", window: 10 * time.Second, grace: 10 * time.Second, late: 6489, long: true},
	{name: "weblog", window: 10 * time.Second, grace: 30 * time.Second, late: 3136, long: true},
	{name: "weblog", window: 10 * time.Second, grace: 59 * time.Second, long: true},
}

// TestFiles counts files of real orders through the embedded broker, in 1, 4 and 12
// partitions, each order whole in one of them. The counts, finals and dead letters must
// be those of the model; as one partition they must also have the published check sum.
func TestFiles(t *testing.T) {
	for _, d := range dataFiles {
		if d.long && !full {
			continue
		}
		for _, partitions := range []int32{1, 4, 12} {
			t.Run(fmt.Sprintf("%s/%v/grace %v/%d", d.name, d.window, d.grace, partitions), func(t *testing.T) {
				t.Parallel()
				d.count(t, partitions)
			})
		}
	}
}

func (d dataFile) count(t *testing.T, partitions int32) {
	lines := readLines(t, d.name)
	p := newPlace(t, "--window="+d.window.String(), "--grace="+d.grace.String(), "--retention=876000h", "--idle-timeout=1s", "--top=3")
	p.topics(partitions, func(o *outside) { o.send(spread(t, lines, partitions)...) })
	g := p.start().running()
	o := g.broker()
	g.reaches(o.ends(names.Orders)).closed()

	e, err := expect(rules{window: d.window, grace: d.grace}, o.committed(names.Orders))
	if err != nil {
		t.Fatal(err)
	}
	if e.allTime.orders != uint64(len(lines)) {
		t.Fatalf("the topic holds %d orders, the file %d", e.allTime.orders, len(lines))
	}
	e.checkChangelog(t, o)
	e.checkAnswers(t, g)
	e.checkFinals(t, o, 3, false)
	e.checkLetters(t, o, false)
	if partitions == 1 {
		d.published(t, e, finals(o, names.Output))
	}
	g.stop()
}

// published compares with what is published about the file, so that the model itself is
// under test too.
func (d dataFile) published(t *testing.T, e *expectation, finals []*kgo.Record) {
	t.Helper()
	if e.late != d.late {
		t.Errorf("%d late orders, not the published %d", e.late, d.late)
	}
	if d.sum == "" {
		return
	}
	var tsv bytes.Buffer
	for _, r := range finals {
		var v finalValue
		if err := json.Unmarshal(r.Value, &v); err != nil {
			t.Fatal(err)
		}
		for _, row := range v.Top {
			fmt.Fprintf(&tsv, "%s\t%d\t%s\t%d\n", v.Start, row.Rank, row.Drink, row.Count)
		}
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(tsv.Bytes()))[:16]; sum != d.sum {
		t.Errorf("the check sum of all windows is %s, not the published %s", sum, d.sum)
	}
}

// readLines reads a data file. The files are not shipped with the project: without them
// the test is skipped, but never in CI, which must have them.
func readLines(t *testing.T, name string) [][]byte {
	t.Helper()
	file := filepath.Join("..", "..", "..", "shared", "data", name+".jsonl")
	f, err := os.Open(file)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("CI must have the data files: %v", err)
		}
		t.Skipf("the data files are not here: %v", err)
	}
	defer f.Close()
	var lines [][]byte
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := bytes.TrimSpace(s.Bytes()); len(line) > 0 {
			lines = append(lines, bytes.Clone(line))
		}
	}
	return lines
}

// spread puts every order into the partition that its id decides.
func spread(t *testing.T, lines [][]byte, partitions int32) []*kgo.Record {
	t.Helper()
	records := make([]*kgo.Record, len(lines))
	for i, line := range lines {
		var o order
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatalf("line %d: %v: %s", i+1, err, strings.TrimSpace(string(line)))
		}
		records[i] = to(int32(o.OrderID%int64(partitions)), line)
	}
	return records
}
