package kafka

import (
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/state"
)

// slab makes changelog records without an allocation for each: their bytes lie in blocks,
// and a record that the client is done with is used again. Give may be called while
// records are made.
type slab struct {
	now     time.Time // of the transaction
	block   []byte
	records []*kgo.Record
	read    byte // by ahead, so that it is not left out

	mu    sync.Mutex
	given []*kgo.Record
}

// Sizes of what is allocated at once. A record that is larger gets a block of its own.
const (
	slabBlock   = 64 << 10
	slabRecords = 128
	slabRecord  = 2 << 10 // more than a count takes
	slabKept    = 64 << 10
	slabAhead   = 64
)

// ahead reads of each drink a byte. Where there are more of them than a cache holds, a loop
// that does nothing else waits for many at once; making their records would wait for one
// after another, some 5 % of what counting 100,000 drinks costs.
func (s *slab) ahead(changes []state.Change) {
	for i := range changes {
		if drink := changes[i].Drink; drink != "" {
			s.read ^= drink[0]
		}
	}
}

// changelogRecord is the record of a change of changelog partition p.
func (s *slab) changelogRecord(topic string, p int32, c *state.Change) *kgo.Record {
	if cap(s.block)-len(s.block) < slabRecord {
		s.block = make([]byte, 0, slabBlock)
	}
	at := len(s.block)
	s.block = c.AppendKey(s.block)
	behind := len(s.block)
	r := s.record()
	*r = kgo.Record{Topic: topic, Partition: p, Key: s.block[at:behind:behind], Timestamp: s.now}
	if !c.Deleted {
		s.block = c.AppendValue(s.block)
		r.Value = s.block[behind:len(s.block):len(s.block)]
	}
	return r
}

func (s *slab) record() *kgo.Record {
	if len(s.records) == 0 {
		s.mu.Lock()
		s.records, s.given = s.given, s.records
		s.mu.Unlock()
	}
	if len(s.records) == 0 {
		for some := make([]kgo.Record, slabRecords); len(some) > 0; some = some[1:] {
			s.records = append(s.records, &some[0])
		}
	}
	r := s.records[len(s.records)-1]
	s.records = s.records[:len(s.records)-1]
	return r
}

// give takes back a record whose promise was called.
func (s *slab) give(r *kgo.Record) {
	r.Key, r.Value, r.Context = nil, nil, nil // it must not keep a block
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.given) < slabKept {
		s.given = append(s.given, r)
	}
}
