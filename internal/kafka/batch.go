package kafka

import "encoding/binary"

// batch is a record batch (magic 2) as it is on the wire: base offset at byte 0, length
// at 8, attributes at 21, last offset delta at 23, producer id at 43, its epoch at 51,
// number of records at 57, records from 61 on.
type batch []byte

const batchHeader = 61

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
	return first, first + int64(binary.BigEndian.Uint32(b[23:])) + 1
}

func (b batch) records() uint32     { return binary.BigEndian.Uint32(b[57:]) }
func (b batch) transactional() bool { return b[22]&0x10 != 0 }
func (b batch) control() bool       { return b[22]&0x20 != 0 }

// producer is who wrote the batch.
func (b batch) producer() (id int64, epoch int16) {
	return int64(binary.BigEndian.Uint64(b[43:])), int16(binary.BigEndian.Uint16(b[51:]))
}
