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

// TestExpectedOfFormats has what users of topics with schemas ask for, by the numbers of
// the list it was collected in; U are requests to other programs of this kind.
func TestExpectedOfFormats(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(*schemed){
		"1 each record by its first byte": (*schemed).formats,
		"2 U30 no registry":               (*schemed).withoutRegistry,
		"3 dead letters":                  (*schemed).deadLetters,
		"4 evolution":                     (*schemed).evolution,
		"5 a subject before a run":        (*schemed).subject,
		"6 no time":                       (*schemed).noTime,
		"7 what is ignored and refused":   (*schemed).ignored,
		"8 U19 output in JSON":            (*schemed).outputJSON,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(onFake(t))
		})
	}
}

type object = map[string]any

// line is an item of an order in Avro.
func line(drink string, quantity int) object { return object{"drink": drink, "quantity": quantity} }

// firstOrder is an order in the first version of the schema.
func (j *schemed) firstOrder(id int, items ...any) []byte {
	return j.inAvro(id, firstVersion, object{"order_id": 1, "ts": noon, "items": items})
}

// registered registers a version of the schema of the orders.
func (j *schemed) registered(schema string) int {
	return j.registry.register(j.topics.Orders+"-value", sr.TypeAvro, schema)
}

// withoutRegistry: orders that need a registry are refused by name, not guessed at, and
// the others count.
func (j *schemed) withoutRegistry() {
	j.place = j.place.with("--schema-registry=")
	g := j.place.start().running()
	j.bad(0, framed(42, nil, []byte("x")), "malformed")
	j.good(0, orderAt(noon, item{"latte", 1}), item{"latte", 1})
	j.settled(g)
	var s struct {
		Refused map[string][]struct {
			Error string `json:"error"`
		} `json:"last_invalid"`
	}
	g.answer("/v1/status", &s)
	if r := s.Refused["malformed"]; len(r) != 1 || !strings.Contains(r[0].Error, "Confluent magic byte (schema id 42), but no --schema-registry is set") {
		j.t.Errorf("%+v", s)
	}
	g.stop()
}

// refusals are the errors of the dead letters of a partition, in their order.
func (j *schemed) refusals(partition int32) []string {
	j.t.Helper()
	var all []string
	for _, r := range j.committed(j.topics.DeadLetters)[partition] {
		all = append(all, headerOf(r, "error"))
	}
	return all
}

// deadLetters: what cannot be counted goes to the dead letters, with where it came from and
// the id of its schema, and what comes behind it counts. There is no other policy: skipping
// would lose it, and failing would stop the job for one record.
func (j *schemed) deadLetters() {
	id := j.registered(firstVersion)
	g := j.place.start().running()
	j.good(1, j.firstOrder(id, line("latte", 2)), item{"latte", 2})
	poison := j.firstOrder(id, line("latte", 2), line("", 1))
	j.bad(1, poison, "invalid_drink")
	j.good(1, j.firstOrder(id, line("tea", 1)), item{"tea", 1})
	j.settled(g)
	letter := j.committed(j.topics.DeadLetters)[1][0]
	for name, want := range map[string]string{
		"topic": j.topics.Orders, "partition": "1", "offset": "1", "reason": "invalid_drink", "counted": "none", "error": "items[1].drink: is empty (schema id 1)",
	} {
		if have := headerOf(letter, name); have != want {
			j.t.Errorf("header %s is %q, not %q", name, have, want)
		}
	}
	if string(letter.Value) != string(poison) {
		j.t.Errorf("the dead letter holds %q", letter.Value)
	}
	g.stop()
}

// evolution: fields that are added or moved change nothing; one that is gone or of another
// type is told by its path and the id of the schema, for every record of it.
func (j *schemed) evolution() {
	first, second := j.registered(firstVersion), j.registered(secondVersion)
	without := strings.Replace(firstVersion, `,{"name":"quantity","type":"int"}`, "", 1)
	retyped := strings.Replace(firstVersion, `{"name":"drink","type":"string"}`, `{"name":"drink","type":"int"}`, 1)
	gone, other := j.registered(without), j.registered(retyped)
	g := j.place.start().running()
	j.good(0, j.firstOrder(first, line("latte", 2)), item{"latte", 2})
	j.good(0, j.inAvro(second, secondVersion, object{"till": "back", "ts": noon * 1000, "items": []any{object{"drink": "tea", "quantity": 3, "size": nil}}}), item{"tea", 3})
	j.bad(0, j.inAvro(gone, without, object{"order_id": 1, "ts": noon, "items": []any{object{"drink": "latte"}}}), "invalid_quantity")
	j.bad(0, j.inAvro(other, retyped, object{"order_id": 1, "ts": noon, "items": []any{object{"drink": 7, "quantity": 1}}}), "invalid_drink")
	j.good(0, j.firstOrder(first, line("latte", 1)), item{"latte", 1})
	j.settled(g)
	j.refusedFor("[items[0].quantity: is missing (schema id 3) items[0].drink: has type int and is not a string (schema id 4)]")
	g.stop()
}

// refusedFor checks why records of partition 0 were refused, in their order.
func (j *schemed) refusedFor(want string) {
	j.t.Helper()
	if have := fmt.Sprint(j.refusals(0)); have != want {
		j.t.Errorf("refused for %s, not %s", have, want)
	}
}

// subject: whether the versions of a subject can be counted is told before there are
// records of them.
func (j *schemed) subject() {
	j.registered(firstVersion)
	j.registered(secondVersion)
	j.registered(strings.Replace(firstVersion, `,{"name":"quantity","type":"int"}`, "", 1))
	j.registered(`{"type":"record","name":"Order","fields":[{"name":"items","type":{"type":"array","items":{"type":"record","name":"Item","fields":[{"name":"drink","type":"string"},{"name":"quantity","type":"int"}]}}}]}`)
	j.registered(thirdVersion)
	j.registry.register("protobuf", sr.TypeProtobuf, protobufOrder)
	j.registry.register("protobuf", sr.TypeProtobuf, strings.Replace(protobufOrder, "uint32 quantity", "string quantity", 1))
	j.registry.register("json", sr.TypeJSON, `{"type":"object"}`)
	try := func(code int, want string, flags ...string) {
		j.t.Helper()
		o := j.place.run(append([]string{"inspect", "--schema-registry=" + j.registry.URL()}, flags...)...)
		if have := strings.TrimSpace(o.out + o.err); o.code != code || have != strings.TrimSpace(want) {
			j.t.Errorf("%v: exit code %d\n%s\nnot %d\n%s", flags, o.code, have, code, want)
		}
	}
	try(3, `VERSION  SCHEMA ID  FORMAT  COUNTED
1        1          avro    yes
2        2          avro    yes
3        3          avro    no: items[0].quantity: is missing
4        4          avro    it has no ts: the time is the record's timestamp
5        5          avro    yes
windowed: records of 1 of 5 versions of brew.orders.v1-value would be refused`, "--subject=brew.orders.v1-value")
	try(3, `VERSION  SCHEMA ID  FORMAT    COUNTED
1        6          protobuf  as message Order
2        7          protobuf  no: items: is missing
windowed: records of 1 of 2 versions of protobuf would be refused`, "--subject=protobuf")
	try(0, `VERSION  SCHEMA ID  FORMAT       COUNTED
1        8          json-schema  a JSON Schema does not tell what records have`, "--subject=json")
	try(3, `1	1	avro	items[0].page: is missing	
2	2	avro	items[0].page: is missing	
3	3	avro	items[0].page: is missing	
4	4	avro	items[0].page: is missing	
5	5	avro	items[0].page: is missing	
windowed: records of 5 of 5 versions of brew.orders.v1-value would be refused`, "--subject=brew.orders.v1-value", "--items=items", "--name=page", "-o", "tsv")
	try(2, `windowed: there is no subject "x" at `+j.registry.URL(), "--subject=x")
	j.place.run("inspect", "--subject=x").exits(2, "--subject=x needs --schema-registry")
	j.place.run("inspect", "--subject=x", "a.json").exits(2, "leave out a.json")
	j.registry.down.Store(true)
	try(4, "windowed: the schema registry does not tell: GET "+j.registry.URL()+"/subjects/x/versions: HTTP 503: under repair", "--subject=x")
}

// noTime: an order without a time has its record's, and one whose record has none either
// is refused, not counted somewhere.
func (j *schemed) noTime() {
	id := j.registered(thirdVersion)
	value := j.inAvro(id, thirdVersion, object{"ts": nil, "items": []any{object{"beverage": "latte", "amount": 2}}})
	g := j.place.start().running()
	r := j.order(0, value)
	r.Timestamp = time.UnixMilli(noon)
	j.send(r)
	j.counted(item{"latte", 2})
	r = j.order(0, value)
	r.Timestamp = time.UnixMilli(-1)
	j.send(r)
	j.refused["no_timestamp"]++
	j.settled(g)
	var top topAnswer
	g.answer("/v1/top?window="+label(noon), &top)
	if top.Records != 1 || top.Total != 2 {
		j.t.Errorf("at noon: %+v", top)
	}
	g.stop()
}

// ignored: fields that nobody asked for may hold anything; a quantity has its limits.
func (j *schemed) ignored() {
	id := j.registered(firstVersion)
	g := j.place.start().running()
	j.good(0, []byte(`{"ts":"`+label(noon)+`","x":{"y":[1e400,{"drink":-1}]},"items":[{"drink":"latte","quantity":1,"z":null}]}`), item{"latte", 1})
	j.good(0, j.firstOrder(id, line("tea", 1_000_000)), item{"tea", 1_000_000})
	j.bad(0, j.firstOrder(id, line("tea", 1_000_001)), "invalid_quantity")
	j.bad(0, j.firstOrder(id, line("tea", -1)), "invalid_quantity")
	j.bad(0, j.firstOrder(id, line("tea", 1), line("tea", 0)), "invalid_quantity")
	j.settled(g)
	j.refusedFor("[items[0].quantity: 1000001 is not between 1 and 1000000 (schema id 1) items[0].quantity: -1 is not between 1 and 1000000 (schema id 1) items[1].quantity: 0 is not between 1 and 1000000 (schema id 1)]")
	g.stop()
}

// outputJSON: whatever the orders are written in, finals are JSON and say the bounds of
// their window, in the value and by the key.
func (j *schemed) outputJSON() {
	id := j.registered(firstVersion)
	j.place = j.place.with("--idle-timeout=1s")
	g := j.place.start().running()
	j.good(0, j.firstOrder(id, line("latte", 2)), item{"latte", 2})
	j.settled(g)
	g.closed()
	all := finals(j.outside, j.topics.Output)
	if len(all) != 1 {
		j.t.Fatalf("%d finals", len(all))
	}
	var v finalValue
	if err := json.Unmarshal(all[0].Value, &v); err != nil {
		j.t.Fatal(err)
	}
	if string(all[0].Key) != label(noon) || v.Start != label(noon) || v.End != label(noon+hour) || v.Total != 2 {
		j.t.Errorf("the final is %s: %s", all[0].Key, all[0].Value)
	}
	g.stop()
}
