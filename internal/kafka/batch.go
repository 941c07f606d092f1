package kafka

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/twmb/franz-go/pkg/kgo"
)

// batch is a record batch (magic 2) as it is on the wire: base offset at byte 0, length
// at 8, leader epoch at 12, magic at 16, CRC of all behind it at 17, attributes at 21,
// last offset delta at 23, first timestamp at 27, highest timestamp at 35, producer id at
// 43, its epoch at 51, number of records at 57, records from 61 on.
// https://kafka.apache.org/documentation/#recordbatch
type batch []byte

const batchHeader = 61

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// firstBatch cuts the first whole batch off b; nil if there is none.
func firstBatch(b []byte) (first batch, rest []byte) {
	if len(b) < batchHeader {
		return nil, nil
	}
	length := int(binary.BigEndian.Uint32(b[8:])) + 12
	if length < batchHeader || length > len(b) {
		return nil, nil
	}
	return batch(b[:length]), b[length:]
}

// span is the first offset of the batch and the offset behind it.
func (b batch) span() (first, next int64) {
	first = int64(binary.BigEndian.Uint64(b))
	return first, first + int64(int32(binary.BigEndian.Uint32(b[23:]))) + 1
}

func (b batch) epoch() int32 { return int32(binary.BigEndian.Uint32(b[12:])) }
func (b batch) magic() byte  { return b[16] }
func (b batch) whole() bool {
	return binary.BigEndian.Uint32(b[17:]) == crc32.Checksum(b[21:], castagnoli)
}
func (b batch) records() uint32     { return binary.BigEndian.Uint32(b[57:]) }
func (b batch) appendTime() bool    { return b[22]&0x08 != 0 }
func (b batch) transactional() bool { return b[22]&0x10 != 0 }
func (b batch) control() bool       { return b[22]&0x20 != 0 }

func (b batch) codec() kgo.CompressionCodecType { return kgo.CompressionCodecType(b[22] & 0x07) }

// times are the timestamp that those of the records are added to, and the highest one, in
// ms.
func (b batch) times() (first, highest int64) {
	return int64(binary.BigEndian.Uint64(b[27:])), int64(binary.BigEndian.Uint64(b[35:]))
}

// producer is who wrote the batch.
func (b batch) producer() (id int64, epoch int16) {
	return int64(binary.BigEndian.Uint64(b[43:])), int16(binary.BigEndian.Uint16(b[51:]))
}
