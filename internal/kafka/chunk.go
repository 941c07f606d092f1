package kafka

import (
	"encoding/binary"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
	"windowed/internal/event"
)

// chunk are records of one partition as they came: whole record batches, which are taken
// apart, checked and decompressed only by who reads the records. It implements
// engine.Fetched.
type chunk struct {
	fetcher   *fetcher
	partition int32
	from      int64 // what lies before it is not wanted
	batches   []byte
	count     int
	epoch     int32 // of the leader that wrote the last batch

	rest    []byte // batches that are not begun
	now     batch
	first   int64  // offset that those of the records are added to
	time    int64  // and their timestamps, in ms
	highest int64  // the timestamp of all, if it is the broker's
	records []byte // of the batch, decompressed
	at      int    // in records
	left    uint32 // records of the batch
	err     error
}

// newChunk is what there is to read of rp from an offset on, and the offset behind it.
// ok says whether a chunk can be read: another magic, batches of an aborted transaction
// and bytes that are no batch are not for it.
func (f *fetcher) newChunk(partition int32, from int64, batches []byte) (c *chunk, next int64, ok bool) {
	c = &chunk{fetcher: f, partition: partition, from: from, batches: batches, rest: batches}
	next = from
	for b, rest := firstBatch(batches); b != nil; b, rest = firstBatch(rest) {
		first, behind := b.span()
		if b.magic() != 2 || behind <= first {
			return nil, from, false
		}
		if behind <= from {
			continue
		}
		c.count += int(b.records())
		next, c.epoch = behind, b.epoch()
	}
	return c, next, next > from
}

// Partition implements engine.Fetched.
func (c *chunk) Partition() int32 { return c.partition }

// Len implements engine.Fetched.
func (c *chunk) Len() int { return c.count }

// Err implements engine.Fetched.
func (c *chunk) Err() error { return c.err }

// Again implements engine.Fetched.
func (c *chunk) Again() { c.rest, c.left, c.err = c.batches, 0, nil }

// Done implements engine.Fetched.
func (c *chunk) Done() { c.batches, c.rest, c.now, c.records = nil, nil, nil, nil }

// Next implements engine.Fetched.
func (c *chunk) Next(r *engine.Record) bool {
	for {
		for c.left == 0 {
			if c.err != nil || !c.open() {
				return false
			}
		}
		c.left--
		if !c.take(r) {
			c.fail("a record is cut")
			return false
		}
		if r.Offset >= c.from {
			return true
		}
	}
}

// open begins the next batch, if there is one.
func (c *chunk) open() bool {
	c.now, c.rest = firstBatch(c.rest)
	if c.now == nil {
		return false
	}
	first, behind := c.now.span()
	if behind <= c.from {
		return true
	}
	if !c.now.whole() {
		return c.fail("its checksum is wrong")
	}
	c.records, c.at = c.now[batchHeader:], 0
	if codec := c.now.codec(); codec != 0 {
		var err error
		if c.records, err = c.fetcher.decompress.Decompress(c.records, codec); err != nil {
			return c.fail(err.Error())
		}
	}
	c.first, c.left = first, c.now.records()
	c.time, c.highest = c.now.times()
	c.fetcher.tell(kgo.FetchBatchMetrics{
		NumRecords: int(c.left), CompressedBytes: len(c.now) - batchHeader, UncompressedBytes: len(c.records), CompressionType: uint8(c.now.codec()),
	})
	return true
}

// fail ends the reading of the chunk, and that by the fetcher; it returns false.
func (c *chunk) fail(why string) bool {
	first, _ := c.now.span()
	c.left, c.err = 0, fmt.Errorf("read %s partition %d: the batch at offset %d: %s", c.fetcher.topic, c.partition, first, why)
	c.fetcher.fail(c.err)
	return false
}

// take reads the next record of the batch; false if its bytes are none: a length, a byte
// of attributes, timestamp and offset less those of the batch, key, value, headers.
// https://kafka.apache.org/documentation/#record
func (c *chunk) take(r *engine.Record) bool {
	f := fields{b: c.records, at: c.at}
	size := f.int32()
	if f.bad || size < 1 || size > int64(len(f.b)-f.at) {
		return false
	}
	c.at = f.at + int(size)
	f.b = f.b[:c.at]
	f.at++ // attributes
	at, offset := f.int64(), f.int32()
	r.Key, r.Value = f.bytes(), f.bytes()
	if n := f.int32(); n > 0 || len(r.Headers) > 0 {
		r.Headers = f.headers(r.Headers[:0], n)
	}
	r.Timestamp, r.Offset = c.time+at, c.first+offset
	if r.Control, r.AppendTime = c.now.control(), c.now.appendTime(); r.AppendTime {
		r.Timestamp = c.highest
	}
	return !f.bad
}

// fields are the bytes of a record, and where the next one begins. Numbers are zigzag
// varints. Nothing but at moves, since a pointer that moves costs more than all else here
// while garbage is collected.
type fields struct {
	b   []byte
	at  int
	bad bool // they end too early, or are none
}

func (f *fields) int64() int64 {
	if f.at < len(f.b) && f.b[f.at] < 0x80 { // most are small
		f.at++
		return zigzag(f.b[f.at-1])
	}
	return f.long(binary.MaxVarintLen64)
}

func (f *fields) int32() int64 {
	if f.at < len(f.b) && f.b[f.at] < 0x80 {
		f.at++
		return zigzag(f.b[f.at-1])
	}
	v := f.long(binary.MaxVarintLen32)
	f.bad = f.bad || v != int64(int32(v))
	return v
}

func zigzag(u byte) int64 { return int64(u>>1) ^ -int64(u&1) }

// long is a number of at most so many bytes.
func (f *fields) long(most int) int64 {
	var u uint64
	for i, b := range f.b[f.at:min(f.at+most, len(f.b))] {
		if u |= uint64(b&0x7f) << (7 * i); b < 0x80 {
			f.at += i + 1
			return int64(u>>1) ^ -int64(u&1)
		}
	}
	f.at, f.bad = len(f.b), true
	return 0
}

// bytes is nil for a length below zero.
func (f *fields) bytes() []byte {
	n := f.int32()
	switch {
	case n < 0:
		return nil
	case n > int64(len(f.b)-f.at):
		f.at, f.bad = len(f.b), true
		return nil
	}
	f.at += int(n)
	return f.b[f.at-int(n) : f.at : f.at]
}

// headers appends n headers to all.
func (f *fields) headers(all []event.Header, n int64) []event.Header {
	for range n {
		if f.bad {
			break
		}
		all = append(all, event.Header{Key: string(f.bytes()), Value: f.bytes()})
	}
	return all
}
