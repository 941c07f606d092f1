package kafka

import (
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/internal/fault"
)

// source fetches some partitions from one broker: one request at a time, as brokers answer
// those of a connection.
type source struct {
	fetcher *fetcher
	broker  int32
	conn    *conn         // nil: not yet
	awake   chan struct{} // there may be something to ask for

	streams []*stream // in the order to ask for; guarded by fetcher.mu
}

const (
	// fetchWait is how long a broker may wait for the first record, in ms. A partition
	// that is resumed meanwhile waits for the answer.
	fetchWait = 250
	// fetchAhead is how many bytes an answer must have for the next one to be fetched
	// before it is taken. With less, what comes until it is taken goes along.
	fetchAhead = 256 << 10
)

// asked is what a request asks for of a partition.
type asked struct {
	stream *stream
	moved  int
	from   int64
}

// run fetches until the fetcher stops or fails.
func (s *source) run() {
	f := s.fetcher
	defer s.disconnect()
	for {
		req, of := s.request()
		if len(of) == 0 {
			select {
			case <-s.awake:
				continue
			case <-f.ctx.Done():
				return
			}
		}
		d, err := s.fetch(req, of)
		if err != nil {
			f.fail(fmt.Errorf("fetch %s from broker %d: %w", f.topic, s.broker, err))
			return
		}
		if !s.deliver(d) {
			return
		}
	}
}

// fetch sends a request and takes what comes.
func (s *source) fetch(req *kmsg.FetchRequest, of map[int32]asked) (d delivery, err error) {
	f := s.fetcher
	if s.conn != nil && s.conn.old() {
		s.disconnect()
	}
	if s.conn == nil {
		b, ok := f.broker(s.broker)
		if !ok {
			return d, kerr.BrokerNotAvailable
		}
		if s.conn, err = connect(f.ctx, f.cfg, b, f.hook); err != nil {
			return d, err
		}
	}
	resp, memory, err := s.conn.fetch(f.ctx, req)
	if err == nil {
		err = kerr.ErrorForCode(resp.ErrorCode)
	}
	if err != nil {
		return d, err
	}
	return s.take(resp, memory, of)
}

func (s *source) disconnect() {
	if s.conn != nil {
		s.conn.close()
		s.conn = nil
	}
}

func (s *source) wake() {
	select {
	case s.awake <- struct{}{}:
	default:
	}
}

// drop takes a stream away. f.mu is locked.
func (s *source) drop(gone *stream) {
	s.streams = slices.DeleteFunc(s.streams, func(o *stream) bool { return o == gone })
}

// request asks for all streams of the source that are not held.
func (s *source) request() (*kmsg.FetchRequest, map[int32]asked) {
	f := s.fetcher
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes, req.IsolationLevel = fetchWait, 1, fetchMaxBytes, 1
	if fault.Planted(fault.ReadUncommitted) {
		req.IsolationLevel = 0
	}
	topic := kmsg.NewFetchRequestTopic()
	topic.Topic, topic.TopicID = f.topic, f.described.ID
	f.mu.Lock()
	defer f.mu.Unlock()
	of := make(map[int32]asked, len(s.streams))
	for _, st := range s.streams {
		if st.held {
			continue
		}
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition, p.FetchOffset, p.CurrentLeaderEpoch, p.PartitionMaxBytes = st.partition, st.next, st.epoch, fetchMaxPartBytes
		p.LastFetchedEpoch = st.last
		topic.Partitions = append(topic.Partitions, p)
		of[st.partition] = asked{st, st.moved, st.next}
	}
	req.Topics = append(req.Topics, topic)
	return req, of
}

// take moves the streams behind what has come of them. It lies in memory.
func (s *source) take(resp *kmsg.FetchResponse, memory *answer, of map[int32]asked) (delivery, error) {
	var d delivery
	var size, reads int
	s.fetcher.mu.Lock()
	defer s.fetcher.mu.Unlock()
	for i := range resp.Topics {
		for j := range resp.Topics[i].Partitions {
			rp := &resp.Topics[i].Partitions[j]
			a, ok := of[rp.Partition]
			if !ok || a.stream.moved != a.moved {
				continue
			}
			if err := kerr.ErrorForCode(rp.ErrorCode); err != nil {
				return d, fmt.Errorf("partition %d at %d: %w", rp.Partition, a.from, err)
			}
			if diverged := &rp.DivergingEpoch; diverged.Epoch >= 0 {
				return d, &kgo.ErrDataLoss{Topic: s.fetcher.topic, Partition: rp.Partition, ConsumedTo: a.from, ResetTo: diverged.EndOffset}
			}
			if len(rp.RecordBatches) == 0 {
				continue
			}
			p, err := s.fetcher.read(rp, memory, a.from)
			if err != nil {
				return d, err
			}
			p.partition, p.moved, p.from = rp.Partition, a.moved, a.from
			if p.records != nil {
				reads++
			}
			d.pieces = append(d.pieces, p)
			a.stream.next, a.stream.last = p.next, p.epoch
			size += len(rp.RecordBatches)
			// Its turn comes after that of those that the answer had no room for.
			s.drop(a.stream)
			s.streams = append(s.streams, a.stream)
		}
	}
	if size < fetchAhead {
		d.taken = make(chan struct{})
	}
	if reads == 0 {
		memory.free()
		return d, nil
	}
	memory.left.Store(int32(reads))
	return d, nil
}

// read is what came of a partition from an offset on, in memory.
func (f *fetcher) read(rp *kmsg.FetchResponseTopicPartition, memory *answer, from int64) (piece, error) {
	if len(rp.AbortedTransactions) == 0 {
		if c, next, ok := f.newChunk(rp.Partition, from, rp.RecordBatches, memory); ok {
			return piece{records: c, next: next, epoch: c.epoch}, nil
		}
	}
	opts := kgo.ProcessFetchPartitionOpts{
		KeepControlRecords: true, Offset: from, IsolationLevel: isolation(), Topic: f.topic, Partition: rp.Partition, Pools: []kgo.Pool{f.pool, f.bytes},
	}
	fp, next := kgo.ProcessFetchPartition(opts, rp, f.decompress, f.tell)
	switch {
	case fp.Err != nil:
		return piece{}, fmt.Errorf("partition %d at %d: %w", rp.Partition, from, fp.Err)
	case next <= from:
		return piece{}, fmt.Errorf("partition %d at %d: no whole batch in %d bytes", rp.Partition, from, len(rp.RecordBatches))
	case len(fp.Records) == 0:
		return piece{next: next, epoch: -1}, nil
	}
	last := fp.Records[len(fp.Records)-1]
	return piece{records: &fetched{partition: rp.Partition, records: fp.Records, memory: memory}, next: next, epoch: last.LeaderEpoch}, nil
}

// deliver waits until there is room for d; false if the fetcher stops.
func (s *source) deliver(d delivery) bool {
	if len(d.pieces) == 0 {
		return true
	}
	select {
	case s.fetcher.out <- d:
	case <-s.fetcher.ctx.Done():
		return false
	}
	if d.taken == nil {
		return true
	}
	select {
	case <-d.taken:
		return true
	case <-s.fetcher.ctx.Done():
		return false
	}
}
