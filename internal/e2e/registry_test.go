//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
)

// registry is a schema registry in the test's own process, which can be out of order.
type registry struct {
	*srfake.Registry
	t    *testing.T
	down atomic.Bool
}

func newRegistry(t *testing.T) *registry {
	r := &registry{Registry: srfake.New(), t: t}
	t.Cleanup(r.Close)
	r.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		if r.down.Load() {
			http.Error(w, "under repair", http.StatusServiceUnavailable)
		}
		return r.down.Load()
	})
	return r
}

func (r *registry) register(subject string, kind sr.SchemaType, text string) int {
	r.t.Helper()
	id, _, err := r.RegisterSchema(subject, sr.Schema{Schema: text, Type: kind})
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

// schemed is a job whose orders have schemas: its topics, its registry, what was sent and
// what must come of it.
type schemed struct {
	*outside
	registry *registry
	place    *place
	sent     tally
	refused  map[string]uint64
}

// newSchemed is a job on topics that exist. flags come after those that name the registry.
func newSchemed(o *outside, place func(flags ...string) *place, flags ...string) *schemed {
	r := newRegistry(o.t)
	return &schemed{
		outside: o, registry: r, place: place(append([]string{"--schema-registry=" + r.URL()}, flags...)...),
		sent: tally{drinks: make(map[string]uint64)}, refused: make(map[string]uint64),
	}
}

// onFake is such a job on a broker in the test's own process.
func onFake(t *testing.T, flags ...string) *schemed {
	t.Helper()
	b := newBroker(t)
	b.createAll(2)
	return newSchemed(b, func(more ...string) *place { return newPlace(t, steady...).on(b.seed).with(more...) }, flags...)
}

// good sends a value that counts, with what it holds; to a partition.
func (j *schemed) good(partition int32, value []byte, items ...item) {
	j.t.Helper()
	j.send(j.order(partition, value))
	j.counted(items...)
}

// counted takes note of a record that counts.
func (j *schemed) counted(items ...item) {
	j.sent.orders++
	for _, i := range items {
		j.sent.add(i)
	}
}

// bad sends a value that must be refused.
func (j *schemed) bad(partition int32, value []byte, reason string) {
	j.t.Helper()
	j.send(j.order(partition, value))
	j.refused[reason]++
}

// settled waits until all that was sent is counted, and compares.
func (j *schemed) settled(g *program) {
	j.t.Helper()
	g.reaches(j.ends(j.topics.Orders))
	var top topAnswer
	g.answer("/v1/top?n=1000", &top)
	have := make(map[string]uint64)
	for _, row := range top.Top {
		have[row.Drink] = row.Count
	}
	if !maps.Equal(have, j.sent.drinks) || top.Records != j.sent.orders || top.Total != j.sent.portions {
		j.t.Errorf("counted %v in %d orders, sent %v in %d", have, top.Records, j.sent.drinks, j.sent.orders)
	}
	refused := make(map[string]uint64)
	for reason, n := range g.status().Invalid {
		if n > 0 {
			refused[reason] = n
		}
	}
	if !maps.Equal(refused, j.refused) {
		j.t.Errorf("refused %v, not %v", refused, j.refused)
	}
	letters := 0
	for _, records := range j.committed(j.topics.DeadLetters) {
		letters += len(records)
	}
	want := 0
	for _, n := range j.refused {
		want += int(n)
	}
	if letters != want {
		j.t.Errorf("%d dead letters, not %d", letters, want)
	}
}

// notReady waits until /readyz says why it is not.
func (g *program) notReady(says string) {
	g.t.Helper()
	eventually(g.t, "/readyz to say "+says, func() error {
		g.alive()
		resp, err := client.Get("http://" + g.address() + "/readyz")
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), says) {
			return fmt.Errorf("%s: %s (%v)", resp.Status, body, err)
		}
		return nil
	})
}

// framed is a payload behind the header of Confluent's serializers.
func framed(id int, index []int, payload []byte) []byte {
	b, _ := new(sr.ConfluentHeader).AppendEncode(nil, id, index)
	return append(b, payload...)
}

// inAvro is a value of a schema, of which id is the id.
func (j *schemed) inAvro(id int, schema string, value any) []byte {
	j.t.Helper()
	b, err := avro.MustParse(schema).Encode(value)
	if err != nil {
		j.t.Fatal(err)
	}
	return framed(id, nil, b)
}

// protobufOrder is the schema of an order in Protobuf.
const protobufOrder = `syntax = "proto3"; package brew; import "google/protobuf/timestamp.proto";
message Unrelated { string x = 1; }
message Order { int64 order_id = 1; google.protobuf.Timestamp ts = 2; repeated Item items = 3; message Item { string drink = 1; uint32 quantity = 2; } }`

// inProtobuf is an order, the second message of protobufOrder.
func (j *schemed) inProtobuf(id int, o order) []byte {
	j.t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		j.t.Fatal(err)
	}
	return j.inMessage(id, protobufOrder, 1, string(text))
}

// inMessage is a value of the message at a place of a schema, of which id is the id.
func (j *schemed) inMessage(id int, schema string, at int, text string) []byte {
	j.t.Helper()
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(map[string]string{"schema.proto": schema}),
	})}
	files, err := compiler.Compile(context.Background(), "schema.proto")
	if err != nil {
		j.t.Fatal(err)
	}
	m := dynamicpb.NewMessage(files[0].Messages().Get(at))
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal([]byte(text), m); err != nil {
		j.t.Fatal(err)
	}
	b, err := proto.Marshal(m)
	if err != nil {
		j.t.Fatal(err)
	}
	return framed(id, []int{at}, b)
}

// tombstone is a record without a value.
func (j *schemed) tombstone(partition int32) {
	j.t.Helper()
	j.send(&kgo.Record{Topic: j.topics.Orders, Partition: partition, Key: []byte("x")})
	j.refused["null_value"]++
}
