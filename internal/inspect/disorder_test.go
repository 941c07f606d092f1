package inspect

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"windowed/window"
)

// TestDisorder has what a grace loses in windows of ten seconds, by hand.
func TestDisorder(t *testing.T) {
	const second = int64(1000)
	size, err := window.ParseSize(10 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	type records [][2]int64 // partition and seconds
	for name, c := range map[string]struct {
		records records
		want    string // how many are earlier, by how much, the losses, the grace
	}{
		"none":                       {nil, "0 0s; 0s:0; 0s"},
		"in order":                   {records{{0, 1}, {0, 1}, {0, 25}}, "0 0s; 0s:0; 0s"},
		"late for its window":        {records{{0, 5}, {0, 12}, {0, 9}}, "1 3s; 0s:1 1s:1 10s:0; 10s"},
		"early, but in its window":   {records{{0, 5}, {0, 9}, {0, 2}}, "1 7s; 0s:0; 0s"},
		"each partition has its own": {records{{0, 100}, {1, 5}, {0, 101}, {1, 6}}, "0 0s; 0s:0; 0s"},
		"two partitions":             {records{{0, 12}, {1, 52}, {0, 9}, {1, 9}}, "2 43s; 0s:2 1s:2 10s:1 30s:1 1m0s:0; 1m0s"},
		"exactly the grace":          {records{{0, 20}, {0, 9}}, "1 11s; 0s:1 1s:1 10s:1 30s:0; 30s"},
		"over all that are proposed": {records{{0, 86400 * 100}, {0, 0}}, "1 2400h0m0s; 0s:1 1s:1 10s:1 30s:1 1m0s:1 5m0s:1 10m0s:1 30m0s:1 1h0m0s:1 3h0m0s:1 6h0m0s:1 12h0m0s:1 24h0m0s:1 168h0m0s:1 720h0m0s:1 2400h0m0s:0; 0s"},
		// The late one does not move the time on, so the next is not later for it.
		"a late one counts for nothing": {records{{0, 12}, {0, 1}, {0, 8}, {0, 15}}, "2 11s; 0s:2 1s:2 10s:0; 10s"},
	} {
		var moments []Moment
		for _, r := range c.records {
			moments = append(moments, Moment{Partition: int32(r[0]), Time: r[1] * second, Items: 1})
		}
		d := DisorderOf(moments, size)
		var losses []string
		for _, l := range d.Loss {
			losses = append(losses, fmt.Sprintf("%v:%d", l.Grace, l.Late))
		}
		check(t, name, fmt.Sprintf("%d %v; %s; %v", d.Earlier, d.Most, strings.Join(losses, " "), d.Grace(0)), c.want)
		if d.Grace(time.Hour*24*365) != time.Hour*24*365 {
			t.Errorf("%s: a grace that is asked for is not kept", name)
		}
	}
}
