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
	memory    *answer // that they lie in
	count     int
	epoch     int32 // of the leader that wrote the last batch

	rest    []byte // batches that are not begun
	now     batch
	first   int64  // offset that those of the records are added to
	time    int64  // and their timestamps, in ms
	highest int64  // the timestamp of all, if it is the broker's
	records []byte // of the batch, decompressed
	lent    bool   // records is the pool's
	at      int    // in records
	left    uint32 // records of the batch
	told    int64  // behind the last batch that was counted for metrics
	err     error
}

// newChunk is what there is to read of batches, which lie in memory, from an offset on, and
// the offset behind it, by the headers of the batches alone. ok says whether it is something
// for a chunk: batches of another magic, and bytes that are no whole batch, are not.
func (f *fetcher) newChunk(partition int32, from int64, batches []byte, memory *answer) (c *chunk, next int64, ok bool) {
	c = &chunk{fetcher: f, partition: partition, from: from, batches: batches, memory: memory, rest: batches}
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
func (c *chunk) Again() {
	c.giveBack()
	c.rest, c.left, c.err = c.batches, 0, nil
}

// Done implements engine.Fetched.
func (c *chunk) Done() {
	c.giveBack()
	c.batches, c.rest, c.now = nil, nil, nil
	c.memory.done()
}

// giveBack gives the memory of the batch's records back.
func (c *chunk) giveBack() {
	if c.lent {
		c.fetcher.bytes.PutDecompressBytes(c.records)
	}
	c.records, c.lent = nil, false
}

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
	c.giveBack()
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
		records, err := c.fetcher.decompress.Decompress(c.records, codec)
		if err != nil {
			return c.fail(err.Error())
		}
		c.records, c.lent = records, true
	}
	c.first, c.left = first, c.now.records()
	c.time, c.highest = c.now.times()
	if behind > c.told { // not when it is read again
		c.told = behind
		c.fetcher.tell(kgo.FetchBatchMetrics{
			NumRecords: int(c.left), CompressedBytes: len(c.now) - batchHeader, UncompressedBytes: len(c.records), CompressionType: uint8(c.now.codec()),
		})
	}
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
	size, at := int32At(c.records, c.at)
	if at < 0 || size < 1 || size > int64(len(c.records)-at) {
		return false
	}
	c.at = at + int(size)
	b := c.records[:c.at]
	time, at := varintAt(b, at+1, binary.MaxVarintLen64)
	offset, at := int32At(b, at)
	r.Key, at = bytesAt(b, at)
	r.Value, at = bytesAt(b, at)
	headers, at := int32At(b, at)
	if headers > 0 || len(r.Headers) > 0 {
		r.Headers, at = headersAt(b, at, headers, r.Headers[:0])
	}
	r.Timestamp, r.Offset = c.time+time, c.first+offset
	if r.Control, r.AppendTime = c.now.control(), c.now.appendTime(); r.AppendTime {
		r.Timestamp = c.highest
	}
	return at >= 0
}

// What follows reads a part of a record at a place in b, and returns it and the place
// behind it, which is below 0 if b ends too early or the one before was.

// varintAt is a zigzag varint of at most so many bytes.
func varintAt(b []byte, at, most int) (v int64, next int) {
	if at >= 0 && at+1 < len(b) { // most are small
		u := uint64(b[at])
		if u < 0x80 {
			return zigzag(u), at + 1
		}
		if b[at+1] < 0x80 {
			return zigzag(u&0x7f | uint64(b[at+1])<<7), at + 2
		}
	}
	if at < 0 {
		return 0, -1
	}
	var u uint64
	for i, b := range b[at:min(at+most, len(b))] {
		if u |= uint64(b&0x7f) << (7 * i); b < 0x80 {
			return zigzag(u), at + i + 1
		}
	}
	return 0, -1
}

func zigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

func int32At(b []byte, at int) (v int64, next int) {
	if v, next = varintAt(b, at, binary.MaxVarintLen32); v != int64(int32(v)) {
		return 0, -1
	}
	return v, next
}

// bytesAt are bytes behind their number; nil for one below 0.
func bytesAt(b []byte, at int) ([]byte, int) {
	n, at := int32At(b, at)
	switch {
	case n < 0 || at < 0:
		return nil, at
	case n > int64(len(b)-at):
		return nil, -1
	}
	end := at + int(n)
	return b[at:end:end], end
}

// headersAt appends n headers to all.
func headersAt(b []byte, at int, n int64, all []event.Header) ([]event.Header, int) {
	var key, value []byte
	for range n {
		key, at = bytesAt(b, at)
		if value, at = bytesAt(b, at); at < 0 {
			break
		}
		all = append(all, event.Header{Key: string(key), Value: value})
	}
	return all, at
}
