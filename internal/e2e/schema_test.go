//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/sr"
)

// The versions of an order's schema: the first, one with fields more and less, in another
// order, and one whose drink has a new name and whose quantity is gone for a default.
const (
	firstVersion = `{"type":"record","name":"Order","namespace":"brew","fields":[
		{"name":"order_id","type":"long"},{"name":"ts","type":{"type":"long","logicalType":"timestamp-millis"}},
		{"name":"items","type":{"type":"array","items":{"type":"record","name":"Item","fields":[{"name":"drink","type":"string"},{"name":"quantity","type":"int"}]}}}]}`
	secondVersion = `{"type":"record","name":"Order","namespace":"brew","fields":[
		{"name":"items","type":{"type":"array","items":{"type":"record","name":"Item","fields":[{"name":"size","type":["null","string"],"default":null},{"name":"quantity","type":"int"},{"name":"drink","type":"string"}]}}},
		{"name":"till","type":"string","default":"front"},{"name":"ts","type":{"type":"long","logicalType":"timestamp-micros"}}]}`
	thirdVersion = `{"type":"record","name":"Order","namespace":"brew","fields":[
		{"name":"ts","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"default":null},
		{"name":"items","type":{"type":"array","items":{"type":"record","name":"Item","fields":[{"name":"beverage","type":"string","aliases":["drink"]},{"name":"amount","type":"int","aliases":["quantity"]}]}}}]}`
)

// noonText is noon as the time of an order in JSON.
var noonText = json.RawMessage(`"` + label(noon) + `"`)

// formats sends orders in all formats to one topic: a migration from JSON to Avro, and
// further versions of its schema, Protobuf and JSON Schema beside it, and what is bad in
// them. All of it counts right, together.
func (j *schemed) formats() {
	value := j.orders()
	g := j.place.start().running()
	for i := range int32(6) {
		for kind, v := range value {
			j.good(i%2, v, item{kind, 2}, item{"tea", 1})
		}
	}
	for reason, values := range j.wrong() {
		for i, v := range values {
			j.bad(int32(i)%2, v, reason)
		}
	}
	j.tombstone(0)
	for kind, v := range value {
		j.good(1, v, item{kind, 2}, item{"tea", 1})
	}
	j.settled(g)
	g.ready()
	for _, name := range []string{"windowed_schemas 5", "windowed_schemas_missing 1", `windowed_schema_registry_requests_total{result="failed"} 0`} {
		mustSay(j.t, g.body("/metrics"), name)
	}
	g.stop()
}

// orders are one order in each format and version, by the name of its first drink.
func (j *schemed) orders() map[string][]byte {
	subject := j.topics.Orders + "-value"
	first := j.registry.register(subject, sr.TypeAvro, firstVersion)
	second := j.registry.register(subject, sr.TypeAvro, secondVersion)
	third := j.registry.register(subject, sr.TypeAvro, thirdVersion)
	inProtobuf := j.registry.register("order.proto", sr.TypeProtobuf, protobufOrder)
	inJSON := j.registry.register("order.json", sr.TypeJSON, `{"type":"object","properties":{"items":{"type":"array"}}}`)
	whole := func(kind string) order { return order{TS: noonText, Items: []item{{kind, 2}, {"tea", 1}}} }
	return map[string][]byte{
		"plain": orderAt(noon, item{"plain", 2}, item{"tea", 1}),
		"first": j.inAvro(first, firstVersion, object{"order_id": 1, "ts": noon, "items": []any{object{"drink": "first", "quantity": 2}, object{"drink": "tea", "quantity": 1}}}),
		"second": j.inAvro(second, secondVersion, object{"till": "back", "ts": noon * 1000,
			"items": []any{object{"drink": "second", "quantity": 2, "size": "L"}, object{"drink": "tea", "quantity": 1, "size": nil}}}),
		"third":    j.inAvro(third, thirdVersion, object{"ts": noon, "items": []any{object{"beverage": "third", "amount": 2}, object{"beverage": "tea", "amount": 1}}}),
		"protobuf": j.inProtobuf(inProtobuf, whole("protobuf")),
		"schema":   framed(inJSON, nil, orderAt(noon, item{"schema", 2}, item{"tea", 1})),
	}
}

// wrong are values that are refused, by their reason. They come after those of orders.
func (j *schemed) wrong() map[string][][]byte {
	const first, inProtobuf, inJSON = 1, 4, 5
	avroItems := func(items ...any) []byte {
		return j.inAvro(first, firstVersion, object{"order_id": 1, "ts": noon, "items": items})
	}
	good := avroItems(object{"drink": "never", "quantity": 2})
	return map[string][][]byte{
		"malformed": {
			framed(4711, nil, []byte("unknown id")),
			append([]byte{1}, good[1:]...), // another magic byte
			good[:3],                       // half a header
			good[:len(good)-1],             // half a value
			append(good, 0),
			avroItems(),
			framed(inProtobuf, []int{7}, nil),
			framed(inJSON, nil, []byte("{")),
		},
		"invalid_quantity": {avroItems(object{"drink": "never", "quantity": 0}), j.inProtobuf(inProtobuf, order{TS: noonText, Items: []item{{"never", 0}}})},
		"invalid_drink":    {avroItems(object{"drink": "", "quantity": 1}), framed(inJSON, nil, []byte(`{"items":[{"drink":1,"quantity":1}]}`))},
	}
}

// outage takes the registry away while a new version of the schema comes in. What can be
// read goes on being counted, the group does not notice, no order is refused, and all
// counts are exact after it has come back.
func (j *schemed) outage() {
	value := j.orders()
	g := j.place.start().running()
	j.good(0, value["first"], item{"first", 2}, item{"tea", 1})
	g.reaches(j.ends(j.topics.Orders))
	members := g.rebalances()

	j.registry.down.Store(true)
	before := j.ends(j.topics.Orders)
	j.good(0, value["first"], item{"first", 2}, item{"tea", 1}) // known: still counted
	before[0]++
	g.reaches(before)
	g.ready()
	j.good(0, value["second"], item{"second", 2}, item{"tea", 1})
	j.good(0, value["first"], item{"first", 2}, item{"tea", 1}) // behind one that waits
	g.notReady("503: under repair")
	g.saying("cannot get a schema from the registry", j.registry.URL(), "under repair")
	for i := range int32(20) {
		j.good(i%2, value["second"], item{"second", 2}, item{"tea", 1})
	}
	time.Sleep(2 * sessionTimeout) // not a wait: how long the registry is away
	var s statusAnswer
	g.answer("/v1/status", &s)
	if s.Partitions[0].Next != before[0] || s.Rebuilds > 0 {
		j.t.Errorf("in the outage: %+v", s)
	}
	mustSay(j.t, g.body("/metrics"), "windowed_schema_registry_waiting 1")
	if n := g.rebalances(); n != members {
		j.t.Errorf("the group has seen %d rebalances, %d before", n, members)
	}
	j.registry.down.Store(false)
	g.reaches(j.ends(j.topics.Orders))
	g.ready()
	j.settled(g)
	if !strings.Contains(g.stderr.String(), "the schema registry answers again") {
		j.t.Error("nothing says that the registry is back")
	}
	g.stop()
}

// TestRegistryOutage: the registry is away in mid-run.
func TestRegistryOutage(t *testing.T) {
	t.Parallel()
	onFake(t).outage()
}

// TestRegistryAwayFromTheStart: it need not be there when the program starts. A stop while
// orders wait is prompt, and the next start counts them.
func TestRegistryAwayFromTheStart(t *testing.T) {
	t.Parallel()
	j := onFake(t, "--format=avro")
	j.registry.down.Store(true)
	value := j.orders()
	g := j.place.start().running()
	j.good(0, value["first"], item{"first", 2}, item{"tea", 1})
	j.good(1, value["third"], item{"third", 2}, item{"tea", 1})
	g.notReady("under repair")
	began := time.Now()
	g.stop()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the stop took %v", took)
	}
	g = j.place.start().running()
	g.notReady("under repair")
	g.kill()
	j.registry.down.Store(false)
	g = j.place.start().running()
	j.bad(0, value["plain"], "malformed") // by --format=avro
	j.bad(0, value["protobuf"], "malformed")
	j.settled(g)
	g.stop()
}

// TestUnknownSchemaID: an id that is registered later is found then; what was refused
// before stays so.
func TestUnknownSchemaID(t *testing.T) {
	t.Parallel()
	j := onFake(t)
	g := j.place.start().running()
	value := j.inAvro(1, firstVersion, object{"order_id": 1, "ts": noon, "items": []any{object{"drink": "latte", "quantity": 2}}})
	j.bad(0, value, "malformed")
	g.reaches(j.ends(j.topics.Orders))
	for _, records := range j.committed(j.topics.DeadLetters) {
		for _, r := range records {
			for _, h := range r.Headers {
				if h.Key == "error" && string(h.Value) != "schema id 1 is not registered at "+j.registry.URL() {
					t.Errorf("the dead letter says %q", h.Value)
				}
			}
		}
	}
	j.registry.register("brew.orders.v1-value", sr.TypeAvro, firstVersion)
	time.Sleep(10 * time.Second) // not a wait: for how long it is not asked for again
	j.good(0, value, item{"latte", 2})
	j.settled(g)
	g.stop()
}

// TestRegistryFlags: what cannot work is refused at the start, and no secret is shown.
func TestRegistryFlags(t *testing.T) {
	t.Parallel()
	for says, flags := range map[string][]string{
		"--format=avro needs --schema-registry":                        {"--format=avro"},
		`must be one of "auto","json","avro","protobuf","json-schema"`: {"--format=xml"},
		"credentials belong into --schema-registry-username":           {"--schema-registry=https://me:hunter2@registry"},
		"is not an address such as":                                    {"--schema-registry=registry:8081"},
		"read --schema-registry-password-file":                         {"--schema-registry=http://registry", "--schema-registry-password-file=/nowhere"},
		"read --schema-registry-ca":                                    {"--schema-registry=https://registry", "--schema-registry-ca=/nowhere"},
		"a user name and a token":                                      {"--schema-registry=http://registry", "--schema-registry-username=me"},
	} {
		p := newPlace(t)
		p.env = []string{"WINDOWED_SCHEMA_REGISTRY_TOKEN=hunter2"}
		o := p.run(append([]string{"run", "--http="}, flags...)...)
		o.exits(2, says)
		if strings.Contains(o.err, "hunter2") {
			t.Errorf("%v shows the secret: %s", flags, o.err)
		}
	}
}

// TestRegistryOutageInARebalance: a second instance takes partitions over while orders
// wait, and leaves again. What waited is read anew by who owns it; nothing is lost or
// counted twice.
func TestRegistryOutageInARebalance(t *testing.T) {
	t.Parallel()
	b := newBroker(t)
	b.createAll(2)
	j := newSchemed(b, func(more ...string) *place { return newPlace(t, steady...).on(b.seed).with(more...) })
	value := j.orders()
	first := j.place.start().running()
	for i := range int32(10) {
		j.good(i%2, value["first"], item{"first", 2}, item{"tea", 1})
	}
	first.reaches(j.ends(j.topics.Orders))
	j.registry.down.Store(true)
	for i := range int32(10) {
		j.good(i%2, value["second"], item{"second", 2}, item{"tea", 1})
	}
	first.notReady("under repair")
	other := newPlace(t, steady...).on(b.seed).with("--schema-registry=" + j.registry.URL()).start()
	other.notReady("under repair")
	eventually(t, "each to own one", func() error {
		if n, m := len(first.status().Owned), len(other.status().Owned); n != 1 || m != 1 {
			return fmt.Errorf("they own %d and %d", n, m)
		}
		return nil
	})
	other.stop()
	eventually(t, "the first to own both", func() error {
		if n := len(first.status().Owned); n != 2 {
			return fmt.Errorf("it owns %d", n)
		}
		return nil
	})
	j.registry.down.Store(false)
	j.settled(first)
	first.stop()
}
