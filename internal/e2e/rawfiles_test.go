//go:build unix

package e2e

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// rawFiles are streams of other shapes than orders, how they are counted in windows of an
// hour, the published check sum of the top 3 of all windows and of all time, and what
// became of the records. A record of a topic has a timestamp, so that none is refused for
// the lack of a time.
var rawFiles = []struct {
	name, sum string
	flags     []string
	counted   uint64
	late      uint64
	refused   uint64 // for their name
	long      bool   // full form only
}{
	{name: "clicks.ndjson", flags: []string{"--time-field=t", "--time-unit=s", "--name=tz"}, sum: "8afd0a5cabdba917", counted: 2919, refused: 641},
	{name: "flights.ndjson", flags: []string{"--time-field=date", "--time-layout=2006/01/02 15:04", "--name=origin"}, sum: "b8bc4203cb6d1a0c", counted: 20000, long: true},
	{name: "rides.ndjson", flags: []string{"--time-field=timestamp", "--name=location"}, sum: "248ca0fecb3924ef", counted: 7932},
	{name: "ratings.ndjson", flags: []string{"--time-field=timestamp", "--name=title", "--grace=0s"}, sum: "a8f7da1e88017205", counted: 18, late: 10},
	{name: "ratings.ndjson", flags: []string{"--time-field=timestamp", "--name=title", "--grace=10h"}, sum: "8097463e4524ccc1", counted: 28},
	{name: "smoothies.csv", flags: []string{"--time-field=time", "--name=order_requested"}, sum: "e66ba774adc02686", counted: 50, long: true},
	{name: "smoothies.csv", flags: []string{"--time-field=time", "--name=ingredients", "--split=;"}, sum: "e31cd8b017f80609", counted: 50},
	{name: "coffee.csv", flags: []string{"--time-field=2", "--name=6"}, sum: "d30a286146db8f56", counted: 3636},
}

// TestRawFiles counts them through the embedded broker.
func TestRawFiles(t *testing.T) {
	for _, raw := range rawFiles {
		if raw.long && !full {
			continue
		}
		t.Run(raw.name+" "+strings.Join(raw.flags, " "), func(t *testing.T) {
			t.Parallel()
			records := rawRecords(t, raw.name)
			p := newPlace(t, "--retention=876000h", "--idle-timeout=1s", "--top=3").with(raw.flags...)
			p.topics(1, func(o *outside) { o.send(records...) })
			g := p.start().running()
			o := g.broker()
			g.reaches(o.ends(names.Orders)).closed()
			s := g.status()
			if s.Counted != raw.counted || s.Late != raw.late || s.Invalid["invalid_drink"] != raw.refused || s.Records != uint64(len(records)) {
				t.Errorf("of %d records %d counted, %d late, refused %v; want %d, %d and %d for their name", s.Records, s.Counted, s.Late, s.Invalid, raw.counted, raw.late, raw.refused)
			}
			if got := rawSum(t, g, finals(o, names.Output)); got != raw.sum {
				t.Errorf("the check sum is %s, not the published %s", got, raw.sum)
			}
			g.stop()
		})
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

// rawRecords are the lines of a file; rows become objects whose members are the columns,
// by name if the first row has names and else by number.
func rawRecords(t *testing.T, name string) []*kgo.Record {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "data", "raw", name))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("CI must have the data files: %v", err)
		}
		t.Skipf("the data files are not here: %v", err)
	}
	var records []*kgo.Record
	if !strings.HasSuffix(name, ".csv") {
		for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
			records = append(records, to(0, []byte(line)))
		}
		return records
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := rows[0]
	if strings.HasPrefix(columns[0], "20") {
		for i := range columns {
			columns[i] = strconv.Itoa(i + 1)
		}
		rows, _ = csv.NewReader(strings.NewReader(string(text))).ReadAll()
	} else {
		rows = rows[1:]
	}
	for _, row := range rows {
		object := map[string]string{}
		for i, field := range row {
			object[columns[i]] = field
		}
		value, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, to(0, value))
	}
	return records
}
