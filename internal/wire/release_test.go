package wire

import (
	"runtime"
	"testing"
	"weak"

	"github.com/twmb/franz-go/pkg/sr"

	"windowed/internal/event"
)

const protobufOrder = `syntax = "proto3"; message Order { int64 ts = 1; repeated Item items = 2; }
	message Item { string drink = 1; int32 quantity = 2; }`

// kept says whether d keeps the memory of a record, after then.
func kept(t *testing.T, d *Decoder, value []byte, then func()) bool {
	t.Helper()
	var last weak.Pointer[byte]
	func() {
		block := append(make([]byte, 0, 1<<20), value...)
		last = weak.Make(&block[0])
		check(t, "before Release", decoded(t, d, block), good)
	}()
	then()
	runtime.GC()
	runtime.KeepAlive(d)
	return last.Value() != nil
}

func TestRelease(t *testing.T) {
	r := newRegistry(t)
	avro := latte(t, r.register(t, "avro", avroOrder, sr.TypeAvro))
	protobuf := framed(r.register(t, "protobuf", protobufOrder, sr.TypeProtobuf),
		append([]byte{0, 8, 0xf8, 0xdb, 0x96, 0xc7, 0xca, 0x33, 18, 9, 10, 5}, "latte\x10\x02"...)...)
	json := framed(r.register(t, "json", `{}`, sr.TypeJSON), []byte(jsonOrder)...)
	for name, value := range map[string][]byte{"avro": avro, "protobuf": protobuf, "json schema": json, "plain": []byte(jsonOrder)} {
		d := decoder(t, Auto, r.schemas(t))
		if !kept(t, d, value, func() {}) {
			t.Errorf("%s: nothing is kept, so that this tests nothing", name)
		}
		if kept(t, d, value, d.Release) {
			t.Errorf("%s: the last record is in memory after Release", name)
		}
		check(t, name+" after Release", decoded(t, d, value), good)
	}
}

var _ event.Reader = (*Decoder)(nil)
