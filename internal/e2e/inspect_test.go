//go:build unix

package e2e

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"
)

// visits are records of another shape than orders, in Avro, Protobuf and JSON.
const (
	visitAvro = `{"type":"record","name":"Visit","fields":[{"name":"session","type":"string"},{"name":"at","type":{"type":"long","logicalType":"timestamp-micros"}},
		{"name":"page","type":{"type":"record","name":"Page","fields":[{"name":"path","type":"string"},{"name":"lang","type":["null","string"],"default":null}]}},
		{"name":"count","type":"long"},{"name":"cost","type":{"type":"bytes","logicalType":"decimal","precision":8,"scale":2}}]}`
	visitProtobuf = `syntax = "proto3"; import "google/protobuf/timestamp.proto"; import "google/protobuf/wrappers.proto";
		message Order { string session = 1; google.protobuf.Timestamp ts = 2; repeated Line lines = 3; bool paid = 4; google.protobuf.StringValue note = 5; map<string, int32> more = 6; double cost = 7; bytes raw = 8;
		message Line { string product = 1; int64 quantity = 2; Size size = 3; } enum Size { SMALL = 0; LARGE = 1; } }`
)

// TestInspectSchemas looks at topics whose values have schemas, and runs what is printed as
// it stands.
func TestInspectSchemas(t *testing.T) {
	t.Parallel()
	pages := []string{"/", "/a", "/b", "/c"}
	t.Run("Avro", func(t *testing.T) {
		t.Parallel()
		j := onFake(t)
		id := j.registry.register(j.topics.Orders+"-value", sr.TypeAvro, visitAvro)
		for i := range 60 {
			path := pages[i*i%4]
			j.good(int32(i%2), j.inAvro(id, visitAvro, object{"session": fmt.Sprint("s", i), "at": (noon + int64(i)) * 1000,
				"page": object{"path": path, "lang": nil}, "count": 1 + i%3, "cost": big.NewRat(5, 4)}), item{path, uint64(1 + i%3)})
		}
		out := j.inspected(0, "written   schema id 1, avro, brew.orders.v1-value version 1: 60 records",
			"at (RFC 3339 or alike), in 100 % of the records", "page.path, as many as count: 2 different", "counted   60 records, 100 %")
		j.runs(out)
	})
	t.Run("Protobuf", func(t *testing.T) {
		t.Parallel()
		j := onFake(t)
		id := j.registry.register("whatever", sr.TypeProtobuf, visitProtobuf)
		for i := range 60 {
			name := pages[i%4]
			j.good(int32(i%2), j.inMessage(id, visitProtobuf, 0, fmt.Sprintf(
				`{"session":"s%d","ts":%s,"lines":[{"product":"%s","quantity":"2","size":"LARGE"},{"product":"tea","quantity":"1"}],"note":"x","more":{"a":1},"cost":"NaN"}`, i, noonText, name)),
				item{name, 2}, item{"tea", 1})
		}
		out := j.inspected(0, "written   schema id 1, protobuf, whatever version 1: 60 records", "product of every item in lines, as many as quantity: 5 different", "counted   60 records")
		mustSay(t, out, "lines[].size  ", "LARGE  SMALL", "more.a ", "note ")
		j.runs(out)
	})
	t.Run("beside JSON", func(t *testing.T) {
		t.Parallel()
		j := onFake(t)
		for range 4 {
			for kind, v := range j.orders() {
				j.good(0, v, item{kind, 2}, item{"tea", 1})
			}
		}
		j.bad(0, framed(4711, nil, []byte("x")), "malformed")
		out := j.inspected(0, "25 records of json and avro and protobuf and json-schema, 1 of them unreadable",
			"refused   1 records, 4 %, as malformed: schema id 4711 is not registered at")
		j.runs(out)
	})
}

// inspected is what inspect prints of the topic; it must end with code and say all of the
// given on one of the two outputs.
func (j *schemed) inspected(code int, says ...string) string {
	j.t.Helper()
	o := j.place.run("inspect", "--brokers="+j.seed, "--schema-registry="+j.registry.URL(), "--sample=1000")
	if o.code != code {
		j.t.Fatalf("exit code %d, not %d: %s%s", o.code, code, o.out, o.err)
	}
	mustSay(j.t, o.out+o.err, says...)
	return o.out
}

// runs runs the command that inspect has printed, and compares the counts.
func (j *schemed) runs(out string) {
	j.t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	command := strings.Fields(strings.ReplaceAll(lines[len(lines)-1], "'", ""))
	if command[0] != "windowed" {
		j.t.Fatalf("no command is printed: %s", out)
	}
	g := newPlace(j.t, append([]string{"--idle-timeout=1s"}, command[1:]...)...).start().running()
	j.settled(g)
	g.stop()
}

// TestInspectRefused: what a topic lacks is named, and a format of files is none of topics.
func TestInspectRefused(t *testing.T) {
	t.Parallel()
	j := onFake(t)
	j.orders()
	for range 3 {
		j.send(j.order(0, framed(2, nil, []byte("x"))))
	}
	look := func(code int, says string, flags ...string) {
		t.Helper()
		j.place.run(append([]string{"inspect", "--brokers=" + j.seed}, flags...)...).exits(code, says)
	}
	look(3, "3 of 3 values begin with the Confluent magic byte (schema id 2): say with --schema-registry where their schemas are")
	look(2, "--format=csv is how a file is written; the values of a topic are auto, json, avro, protobuf or json-schema", "--format=csv")
	look(2, "--format=avro needs --schema-registry", "--format=avro")
	look(3, "no record could be read", "--schema-registry="+j.registry.URL())
	j.registry.down.Store(true)
	look(4, "the schema registry does not answer within 1s (--timeout): GET", "--schema-registry="+j.registry.URL(), "--timeout=1s")
	j.place.run("run", "--format=csv").exits(2, "--format=csv is how a file is written")
}
