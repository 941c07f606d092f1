//go:build unix

package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// rawFiles are streams of other shapes than orders, how they are counted, the published
// check sums of the top 3 of all windows and of all time for windows of an hour and of a
// day, and what became of the records. A record of a topic has a timestamp, so that none
// is refused for the lack of a time.
var rawFiles = []struct {
	name, hour, day string
	flags           []string
	late, dayLate   uint64
	refused         uint64 // for their name
}{
	{name: "clicks.ndjson", flags: []string{"--time-field=t", "--time-unit=s", "--name=tz"}, hour: "8afd0a5cabdba917", day: "75517a905eb5251f", refused: 641},
	{name: "flights.ndjson", flags: []string{"--time-field=date", "--time-layout=2006/01/02 15:04", "--name=origin"}, hour: "b8bc4203cb6d1a0c", day: "2a6a16fc2f7822de"},
	{name: "rides.ndjson", flags: []string{"--time-field=timestamp", "--name=location"}, hour: "248ca0fecb3924ef", day: "4a40f2f5cf9f7797"},
	{name: "ratings.ndjson", flags: []string{"--time-field=timestamp", "--name=title", "--grace=0s"}, hour: "a8f7da1e88017205", day: "16d47493adb586cd", late: 10, dayLate: 4},
	{name: "ratings.ndjson", flags: []string{"--time-field=timestamp", "--name=title", "--grace=10h"}, hour: "8097463e4524ccc1", day: "dce4085e97d1e0a8"},
	{name: "smoothies.csv", flags: []string{"--time-field=time", "--name=order_requested"}, hour: "e66ba774adc02686", day: "28c2a4f71d3811f6"},
	{name: "smoothies.csv", flags: []string{"--time-field=time", "--name=ingredients", "--split=;"}, hour: "e31cd8b017f80609", day: "61cf6730d88a4aa0"},
	{name: "coffee.csv", flags: []string{"--time-field=2", "--name=6"}, hour: "d30a286146db8f56", day: "6cd5e9f50db9a1da"},
}

// TestRawFiles counts them through a broker in the test's own process.
func TestRawFiles(t *testing.T) {
	runRawFiles(t, func(t *testing.T) (*outside, *place) {
		b := newBroker(t)
		b.createAll(1)
		return b, newPlace(t).on(b.seed)
	})
}

// TestKafkaRawFiles counts them through a real Kafka.
func TestKafkaRawFiles(t *testing.T) {
	s := newSite(t)
	runRawFiles(t, func(t *testing.T) (*outside, *place) {
		j := s.job(t, 1, nil)
		return j.outside, j.place()
	})
}

// runRawFiles counts the files by windows of an hour, and in the full form of a day. on
// makes the topics of a job and a place for it.
func runRawFiles(t *testing.T, on func(t *testing.T) (*outside, *place)) {
	for _, raw := range rawFiles {
		count := func(window, want string, late uint64) {
			t.Run(window+" "+raw.name+" "+strings.Join(raw.flags, " "), func(t *testing.T) {
				t.Parallel()
				o, p := on(t)
				p = p.with("--window="+window, "--grace=1m", "--retention=876000h", "--idle-timeout=1s", "--top=3").with(raw.flags...)
				values := rawValues(t, raw.name)
				for _, value := range values {
					o.cl.Produce(context.Background(), o.order(0, value), func(_ *kgo.Record, err error) {
						if err != nil {
							t.Error(err)
						}
					})
				}
				if err := o.cl.Flush(context.Background()); err != nil {
					t.Fatal(err)
				}
				g := p.start().running()
				g.reaches(o.ends(o.topics.Orders)).closed()
				s := g.status()
				all := uint64(len(values))
				if s.Records != all || s.Late != late || s.Invalid["invalid_drink"] != raw.refused || s.Counted != all-late-raw.refused {
					t.Errorf("of %d records %d counted, %d late, refused %v; want %d late and %d refused for their name", s.Records, s.Counted, s.Late, s.Invalid, late, raw.refused)
				}
				if got := rawSum(t, g, finals(o, o.topics.Output)); got != want {
					t.Errorf("the check sum is %s, not the published %s", got, want)
				}
				figures.sums(all, s.Records)
				g.stop()
			})
		}
		count("1h", raw.hour, raw.late)
		if full {
			count("24h", raw.day, raw.dayLate)
		}
	}
}

// rawSum is the check sum of the finals and of all time, as replay prints them.
func rawSum(t *testing.T, g *program, finals []*kgo.Record) string {
	t.Helper()
	sum := sha256.New()
	for _, r := range finals {
		var v finalValue
		if err := json.Unmarshal(r.Value, &v); err != nil {
			t.Fatal(err)
		}
		for _, row := range v.Top {
			fmt.Fprintf(sum, "%s\t%d\t%s\t%d\n", v.Start, row.Rank, row.Drink, row.Count)
		}
	}
	fmt.Fprint(sum, g.place.run("top", "--all-time", "-n", "3", "-o", "tsv", "--state="+g.place.state()).ok())
	return fmt.Sprintf("%x", sum.Sum(nil))[:16]
}

// rawValues are the lines of a file; rows become objects whose members are the columns,
// by name if the first row has names and else by number.
func rawValues(t *testing.T, name string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "data", "raw", name))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("CI must have the data files: %v", err)
		}
		t.Skipf("the data files are not here: %v", err)
	}
	if !strings.HasSuffix(name, ".csv") {
		return bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := slices.Clone(rows[0])
	if strings.HasPrefix(columns[0], "20") {
		for i := range columns {
			columns[i] = strconv.Itoa(i + 1)
		}
	} else {
		rows = rows[1:]
	}
	var values [][]byte
	for _, row := range rows {
		object := map[string]string{}
		for i, field := range row {
			object[columns[i]] = field
		}
		value, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, value)
	}
	return values
}
