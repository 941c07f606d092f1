package wire

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	lib "github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"windowed/internal/event"
)

const avroOrder = `{"type":"record","name":"Order","fields":[{"name":"ts","type":{"type":"long","logicalType":"timestamp-millis"}},
	{"name":"items","type":{"type":"array","items":{"type":"record","name":"Item","fields":[{"name":"drink","type":"string"},{"name":"quantity","type":"int"}]}}}]}`

const jsonOrder = `{"ts":1772360150520,"items":[{"drink":"latte","quantity":2}]}`

// registry is one that can be out of order.
type registry struct {
	*srfake.Registry
	down     atomic.Pointer[http.HandlerFunc] // answers instead, if there is one
	requests atomic.Int64
}

func newRegistry(t testing.TB, opts ...srfake.Option) *registry {
	r := &registry{Registry: srfake.New(opts...)}
	t.Cleanup(r.Close)
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		r.requests.Add(1)
		if down := r.down.Load(); down != nil {
			(*down)(w, req)
			return true
		}
		return false
	})
	return r
}

// fail lets the registry answer with a status and a body; 0 mends it.
func (r *registry) fail(status int, body string) {
	if status == 0 {
		r.down.Store(nil)
		return
	}
	down := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
	r.down.Store(&down)
}

func (r *registry) register(t testing.TB, subject, text string, kind sr.SchemaType, references ...sr.SchemaReference) uint32 {
	t.Helper()
	id, _, err := r.RegisterSchema(subject, sr.Schema{Schema: text, Type: kind, References: references})
	if err != nil {
		t.Fatal(err)
	}
	return uint32(id)
}

// schemas are those of the registry, with short waits.
func (r *registry) schemas(t testing.TB, change ...func(*Config)) *Schemas {
	t.Helper()
	c := Config{URLs: []string{r.URL()}, Topic: "orders", grace: 20 * time.Millisecond, pause: time.Millisecond, keep: 50 * time.Millisecond}
	for _, f := range change {
		f(&c)
	}
	s, err := NewSchemas(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func mapping(t testing.TB, config event.Config) *event.Mapping {
	t.Helper()
	m, err := event.NewMapping(config)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func decoder(t testing.TB, format Format, s *Schemas) *Decoder {
	t.Helper()
	o := Options{Mapping: mapping(t, event.Config{TimeField: "ts"}), Format: format, Schemas: s}
	d, err := o.NewDecoder()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// framed is a payload behind a header.
func framed(id uint32, payload ...byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, id), payload...)
}

func avroValue(t testing.TB, id uint32, schema string, v any) []byte {
	t.Helper()
	b, err := lib.MustParse(schema).Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return framed(id, b...)
}

func latte(t testing.TB, id uint32) []byte {
	return avroValue(t, id, avroOrder, map[string]any{"ts": 1772360150520, "items": []any{map[string]any{"drink": "latte", "quantity": 2}}})
}

// decoded is what becomes of a value once its schema is known.
func decoded(t testing.TB, d *Decoder, value []byte) string {
	t.Helper()
	if s := d.options.Schemas; s != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := s.Await(ctx, value); err != nil {
			t.Fatalf("%v: %s", err, s.Trouble())
		}
	}
	e, fault := d.DecodeRecord(&event.Record{Value: value, Timestamp: 7})
	if fault != nil {
		return fault.Reason.String() + " " + fault.Error()
	}
	var parts []string
	for _, it := range e.Items {
		parts = append(parts, fmt.Sprintf("%s=%d", it.Name, it.Quantity))
	}
	return fmt.Sprintf("%d %s", e.Time, strings.Join(parts, ","))
}

func check(t testing.TB, what, have, want string) {
	t.Helper()
	if have != want {
		t.Errorf("%s:\nhave %s\nwant %s", what, have, want)
	}
}
