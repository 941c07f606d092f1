//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// TestKafkaSchemas counts orders with schemas from a real Kafka: those of TestExpectedOfFormats,
// an outage of the registry, and what an independent producer sends.
func TestKafkaSchemas(t *testing.T) {
	s := newSite(t)
	for name, run := range map[string]func(*schemed){
		"formats in one topic": (*schemed).formats, "outage": (*schemed).outage, "independent producer": (*schemed).independent,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := s.job(t, 2, nil)
			d := newSchemed(j.outside, j.place)
			run(d)
			figures.sums(d.sent.orders, d.sent.orders)
		})
	}
}

// independentOrders is how many orders of each format the independent producer sends.
const independentOrders = 1000

// independent counts the orders of a producer that has nothing of ours, nor of the
// libraries we read with: confluent-kafka for Python, with its own serializers.
func (j *schemed) independent() {
	bin := python(j.t)
	g := j.place.start().running()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, filepath.Join("testdata", "producer.py"), j.seed, j.topics.Orders, j.registry.URL(), strconv.Itoa(independentOrders))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		j.t.Fatalf("the producer: %v: %s", err, lastLines(stderr.String(), 10))
	}
	var sent struct {
		Orders uint64            `json:"orders"`
		Drinks map[string]uint64 `json:"drinks"`
	}
	if err := json.Unmarshal(out, &sent); err != nil || sent.Orders != 3*independentOrders {
		j.t.Fatalf("the producer says %s (%v)", out, err)
	}
	j.sent.orders = sent.Orders
	for drink, n := range sent.Drinks {
		j.sent.add(item{drink, n})
	}
	j.settled(g)
	g.stop()
}
