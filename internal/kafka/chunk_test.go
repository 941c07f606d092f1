package kafka

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/internal/engine"
	"windowed/internal/event"
)

// sealed is a record batch with its length and checksum set.
func sealed(b kmsg.RecordBatch) []byte {
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], castagnoli))
	return raw
}

// randomBatch is a record batch whose first offset is given, and the offset behind it. As
// after a compaction, some of its records may be gone.
func randomBatch(rnd *rand.Rand, first int64) ([]byte, int64) {
	text := func() []byte { return slices.Repeat([]byte{byte('a' + rnd.IntN(26))}, rnd.IntN(200)) }
	b := kmsg.RecordBatch{
		FirstOffset: first, Magic: 2, PartitionLeaderEpoch: rnd.Int32N(9), Attributes: int16(rnd.IntN(2) << 3), ProducerID: -1,
		FirstTimestamp: rnd.Int64N(1 << 41), MaxTimestamp: rnd.Int64N(1 << 41),
	}
	var all []byte
	delta := int32(0)
	for range rnd.IntN(30) {
		r := kmsg.Record{TimestampDelta64: rnd.Int64N(1<<20) - 1<<19, OffsetDelta: delta}
		if rnd.IntN(3) > 0 {
			r.Key = text()
		}
		if rnd.IntN(9) > 0 {
			r.Value = text()
		}
		for range rnd.IntN(3) * rnd.IntN(2) {
			r.Headers = append(r.Headers, kmsg.Header{Key: string(text()), Value: text()})
		}
		r.Length = int32(len(r.AppendTo(nil)) - 1) // the length 0 takes a byte
		all = r.AppendTo(all)
		b.NumRecords++
		delta += 1 + rnd.Int32N(2)*rnd.Int32N(3)
	}
	b.LastOffsetDelta = delta + rnd.Int32N(3)
	if rnd.IntN(2) == 0 {
		codec := []kgo.CompressionCodec{kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()}[rnd.IntN(4)]
		c, err := kgo.DefaultCompressor(codec)
		if err != nil {
			panic(err)
		}
		var to bytes.Buffer
		compressed, kind := c.Compress(&to, all)
		all, b.Attributes = bytes.Clone(compressed), b.Attributes|int16(kind)
	} else if rnd.IntN(4) == 0 {
		b.Attributes |= 0x20 // a control batch, as far as the wire goes
	}
	b.Records = all
	return sealed(b), first + int64(b.LastOffsetDelta) + 1
}

func testFetcher() *fetcher {
	lent := new(bytesPool)
	return &fetcher{topic: "orders", decompress: kgo.DefaultDecompressor(lent), bytes: lent, failed: make(chan struct{}), ctx: context.Background(), pool: newRecordPool()}
}

// all reads what is left of f.
func all(f engine.Fetched) (records []engine.Record) {
	var r engine.Record
	for f.Next(&r) {
		mine := r
		mine.Key, mine.Value, mine.Headers = bytes.Clone(r.Key), bytes.Clone(r.Value), nil
		for _, h := range r.Headers {
			if h.Value = bytes.Clone(h.Value); len(h.Value) == 0 {
				h.Value = nil
			}
			mine.Headers = append(mine.Headers, h)
		}
		records = append(records, mine)
	}
	return records
}

// byClient is what the client reads of the same bytes.
func byClient(batches []byte, from int64) (*fetched, int64, error) {
	rp := kmsg.NewFetchResponseTopicPartition()
	rp.RecordBatches = batches
	fp, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{KeepControlRecords: true, Offset: from, IsolationLevel: kgo.ReadCommitted()},
		&rp, kgo.DefaultDecompressor(), nil)
	return &fetched{records: fp.Records}, next, fp.Err
}

// A chunk reads what the client reads: all codecs, keys and values that are not there,
// headers, both kinds of timestamps, gaps, from the middle of a batch, up to one that is
// cut.
func TestChunkReadsWhatTheClientReads(t *testing.T) {
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		first := rnd.Int64N(1 << 40)
		var batches []byte
		next, upTo := first, first
		for range 1 + rnd.IntN(4) {
			var raw []byte
			raw, next = randomBatch(rnd, next)
			batches = append(batches, raw...)
			upTo = next
		}
		raw, _ := randomBatch(rnd, next)
		batches = append(batches, raw[:rnd.IntN(len(raw))]...)
		from := first + rnd.Int64N(max((upTo-first)/2, 1))
		c, next, ok := testFetcher().newChunk(3, from, batches, new(answer))
		want, wantNext, err := byClient(batches, from)
		if !ok || err != nil || next != upTo || wantNext != upTo {
			t.Fatalf("seed %d: ok %v, next %d; client: %v, next %d; want %d", seed, ok, next, err, wantNext, upTo)
		}
		for range 2 {
			got, wanted := all(c), all(want)
			if c.Err() != nil || !reflect.DeepEqual(got, wanted) {
				t.Fatalf("seed %d: %v, read\n%v\nwant\n%v", seed, c.Err(), got, wanted)
			}
			if c.Len() < len(got) || c.Partition() != 3 {
				t.Fatalf("seed %d: %d records of partition %d, read %d", seed, c.Len(), c.Partition(), len(got))
			}
			c.Again()
			want.Again()
		}
		c.Done()
	}
}

// Bytes that are no records end the reading at once, and the fetcher with it: nothing
// behind them is read.
func TestChunkTorn(t *testing.T) {
	record := kmsg.Record{OffsetDelta: 0, Value: []byte("tea")}
	record.Length = int32(len(record.AppendTo(nil)) - 1)
	one := record.AppendTo(nil)
	batch := func(n int32, records []byte) kmsg.RecordBatch {
		return kmsg.RecordBatch{FirstOffset: 7, Magic: 2, LastOffsetDelta: max(n-1, 0), NumRecords: n, Records: records}
	}
	good := sealed(batch(1, one))
	flipped := bytes.Clone(good)
	flipped[len(flipped)-2] ^= 1
	long := bytes.Clone(one)
	long[0] = 0x7e
	gzip := batch(1, one)
	gzip.Attributes = 1
	for _, c := range []struct {
		name string
		raw  []byte
		read int // before that
	}{
		{"whole", good, 2},
		{"a bit flipped", flipped, 0},
		{"fewer records than it says", sealed(batch(2, one)), 1},
		{"a record longer than the batch", sealed(batch(1, long)), 0},
		{"an empty record", sealed(batch(1, []byte{0})), 0},
		{"no records", sealed(batch(1, nil)), 0},
		{"negative number of records", sealed(batch(-1, one)), 1},
		{"not compressed as it says", sealed(gzip), 0},
		{"a key longer than the record", sealed(batch(1, []byte{10, 0, 0, 0, 20, 1})), 0},
		{"a number without an end", sealed(batch(1, []byte{6, 0, 0x80, 0x80})), 0},
		{"an offset too long", sealed(batch(1, []byte{24, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 1, 1, 0, 0})), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := testFetcher()
			k, _, ok := f.newChunk(0, 7, append(bytes.Clone(c.raw), good...), new(answer))
			if !ok {
				t.Fatal("no chunk")
			}
			n, torn := len(all(k)), c.name != "whole"
			if n != c.read || (k.Err() != nil) != torn || (f.err != nil) != torn {
				t.Errorf("%d records read, want %d: %v; fetcher: %v", n, c.read, k.Err(), f.err)
			}
			if all(k) != nil {
				t.Error("it goes on")
			}
		})
	}
}

// What a chunk is not for is left to the client.
func TestChunkNotFor(t *testing.T) {
	batch := func(edit func(*kmsg.RecordBatch)) []byte {
		b := kmsg.RecordBatch{FirstOffset: 5, Magic: 2, NumRecords: 1, LastOffsetDelta: 1}
		edit(&b)
		return sealed(b)
	}
	for name, raw := range map[string][]byte{
		"nothing":         nil,
		"cut":             batch(func(b *kmsg.RecordBatch) { b.Records = make([]byte, 9) })[:65],
		"another magic":   batch(func(b *kmsg.RecordBatch) { b.Magic = 1 }),
		"all read before": batch(func(b *kmsg.RecordBatch) { b.FirstOffset = 3 }),
		"ends before it begins": batch(func(b *kmsg.RecordBatch) {
			b.LastOffsetDelta = -3
		}),
	} {
		if c, next, ok := testFetcher().newChunk(0, 5, raw, new(answer)); ok {
			t.Errorf("%s: a chunk of %d records up to %d", name, c.Len(), next)
		}
	}
}

// FuzzChunk: whatever comes, a chunk that is read to its end has read what the client
// reads.
func FuzzChunk(f *testing.F) {
	for seed := range uint64(20) {
		raw, _ := randomBatch(rand.New(rand.NewPCG(seed, 2)), 10)
		f.Add(raw[batchHeader:], uint8(raw[22]), binary.BigEndian.Uint32(raw[57:]), int64(10+seed%3))
	}
	f.Fuzz(func(t *testing.T, records []byte, attributes uint8, n uint32, from int64) {
		b := kmsg.RecordBatch{FirstOffset: 10, Magic: 2, Attributes: int16(attributes), LastOffsetDelta: 100, NumRecords: int32(n), Records: records, ProducerID: 1}
		raw := sealed(b)
		c, _, ok := testFetcher().newChunk(0, from, raw, new(answer))
		if !ok {
			return
		}
		got := all(c)
		if c.Err() != nil {
			return
		}
		want, _, err := byClient(raw, from)
		if w := all(want); err != nil || !reflect.DeepEqual(got, w) {
			t.Fatalf("%v: read\n%v\nwant\n%v", err, got, w)
		}
	})
}

// A record costs no allocation, however many there are.
func TestChunkAllocates(t *testing.T) {
	var records []byte
	for i := range int32(1000) {
		r := kmsg.Record{OffsetDelta: i, Key: []byte("shop"), Value: fmt.Appendf(nil, "order %d", i)}
		r.Length = int32(len(r.AppendTo(nil)) - 1)
		records = r.AppendTo(records)
	}
	c, _, ok := testFetcher().newChunk(0, 0, sealed(kmsg.RecordBatch{Magic: 2, LastOffsetDelta: 999, NumRecords: 1000, Records: records}), new(answer))
	if !ok {
		t.Fatal("no chunk")
	}
	r := engine.Record{Record: event.Record{Headers: make([]event.Header, 0, 4)}}
	n := 0
	if got := testing.AllocsPerRun(10, func() {
		c.Again()
		for n = 0; c.Next(&r); n++ {
		}
	}); got > 0 || n != 1000 {
		t.Errorf("%v allocations for %d records: %v", got, n, c.Err())
	}
}

func BenchmarkChunk(b *testing.B) {
	const n = 5000
	var records []byte
	for i := range int32(n) {
		r := kmsg.Record{TimestampDelta64: int64(i / 10), OffsetDelta: i, Key: []byte("shop-123"), Value: make([]byte, 150+i%100)}
		r.Length = int32(len(r.AppendTo(nil)) - 1)
		records = r.AppendTo(records)
	}
	raw := sealed(kmsg.RecordBatch{Magic: 2, LastOffsetDelta: n - 1, NumRecords: n, Records: records})
	c, _, _ := testFetcher().newChunk(0, 0, raw, new(answer))
	var r engine.Record
	b.Run("chunk", func(b *testing.B) {
		for range b.N/n + 1 {
			c.Again()
			for c.Next(&r) {
			}
		}
	})
	b.Run("client", func(b *testing.B) {
		for range b.N/n + 1 {
			f, _, _ := byClient(raw, 0)
			for f.Next(&r) {
			}
			f.Done()
		}
	})
}

// Batches that are read again, as those that wait for a schema are, are counted for metrics
// once.
func TestChunkToldOnce(t *testing.T) {
	raw, next := randomBatch(rand.New(rand.NewPCG(5, 5)), 0)
	more, _ := randomBatch(rand.New(rand.NewPCG(6, 6)), next)
	raw = append(raw, more...)
	h := new(batches)
	f := testFetcher()
	f.hook = h
	c, _, _ := f.newChunk(0, 0, raw, new(answer))
	records := len(all(c))
	for range 2 {
		c.Again()
		if again := len(all(c)); again != records {
			t.Fatalf("%d records, and then %d", records, again)
		}
	}
	if records == 0 || h.told != 2 {
		t.Errorf("%d batches of %d records were counted, want 2", h.told, records)
	}
}

// batches counts the batches that metrics are told of.
type batches struct{ told int }

func (b *batches) OnFetchBatchRead(kgo.BrokerMetadata, string, int32, kgo.FetchBatchMetrics) {
	b.told++
}

// The memory of a decompressed batch is given back when the next one begins, when the chunk
// is read again, and when it is done.
func TestChunkGivesMemoryBack(t *testing.T) {
	var raw []byte
	for first := range int64(2) {
		raw = append(raw, zipped(first)...)
	}
	c, _, ok := testFetcher().newChunk(0, 0, raw, new(answer))
	if !ok {
		t.Fatal("no chunk")
	}
	var r engine.Record
	next := func() []byte {
		if !c.Next(&r) || string(r.Value) != "some tea" {
			t.Fatalf("%q was read, %v", r.Value, c.Err())
		}
		return r.Value
	}
	given := func(value []byte, when string) {
		if !bytes.Equal(value, bytes.Repeat([]byte{0xdb}, len(value))) {
			t.Errorf("%s the memory of a batch still holds %q", when, value)
		}
	}
	one := next()
	two := next()
	if &one[0] != &two[0] { // or it was used for the next batch
		given(one, "behind it")
	}
	c.Again()
	given(two, "from the start again")
	one = next()
	c.memory.left.Store(1)
	c.Done()
	given(one, "at the end")
}

// zipped is a compressed batch of one record.
func zipped(first int64) []byte {
	r := kmsg.Record{Value: []byte("some tea")}
	r.Length = int32(len(r.AppendTo(nil)) - 1)
	c, err := kgo.DefaultCompressor(kgo.SnappyCompression())
	if err != nil {
		panic(err)
	}
	var to bytes.Buffer
	records, codec := c.Compress(&to, r.AppendTo(nil))
	return sealed(kmsg.RecordBatch{FirstOffset: first, Magic: 2, ProducerID: -1, Attributes: int16(codec), NumRecords: 1, Records: records})
}
