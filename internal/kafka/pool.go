package kafka

import (
	"math/bits"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// recordPool lends the client the memory of the records that it fetches, a slice for each
// record batch, and gets it back when all records of the batch are recycled. It is worth
// as much as their bytes: a record takes 160. What is never recycled, since nobody wants
// it any more, is garbage as without a pool. Safe for concurrent use.
type recordPool struct {
	mu   sync.Mutex
	free map[int][][]kgo.Record // by capacity
	kept int                    // records in free
}

// poolKept bounds the records in free, some 10 MB.
const poolKept = 64 << 10

func newRecordPool() *recordPool { return &recordPool{free: make(map[int][][]kgo.Record)} }

// GetRecords implements kgo.PoolRecords.
func (p *recordPool) GetRecords(n int) []kgo.Record {
	n = roundUp(n)
	p.mu.Lock()
	defer p.mu.Unlock()
	if free := p.free[n]; len(free) > 0 {
		last := len(free) - 1
		records := free[last]
		free[last], p.free[n] = nil, free[:last]
		p.kept -= n
		return records
	}
	return make([]kgo.Record, n)
}

// PutRecords implements kgo.PoolRecords.
func (p *recordPool) PutRecords(records []kgo.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := cap(records); p.kept+n <= poolKept {
		p.free[n] = append(p.free[n], records)
		p.kept += n
	}
}

// roundUp rounds to three significant bits, so that batches of about the same size share
// their memory.
func roundUp(n int) int {
	shift := max(bits.Len(uint(n))-3, 0)
	return (n + 1<<shift - 1) >> shift << shift
}

// bytesPool lends the memory of decompressed record batches, to the client and, by its
// decompressor, to chunks. The garbage collector takes what nobody has wanted for a while.
// Safe for concurrent use.
type bytesPool struct{ free sync.Pool }

// GetDecompressBytes implements kgo.PoolDecompressBytes.
func (p *bytesPool) GetDecompressBytes([]byte, kgo.CompressionCodecType) []byte {
	if b, ok := p.free.Get().(*[]byte); ok {
		return *b
	}
	return nil // it grows to what is needed, and that comes back
}

// PutDecompressBytes implements kgo.PoolDecompressBytes.
func (p *bytesPool) PutDecompressBytes(b []byte) {
	if b = b[:cap(b)]; len(b) == 0 || len(b) > maxLent {
		return
	}
	useless(b)
	p.free.Put(&b)
}

// maxLent is the largest memory of a decompressed batch that is kept.
const maxLent = 4 << 20
