package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// healWithin bounds how long the logs are looked through after a kill.
const healWithin = 5 * time.Minute

// afterKill ends the transactions that a kill of the embedded broker has cut, while
// nobody else can reach it. kfake takes them for aborted when it starts, but writes no
// markers. Without one a client takes all for aborted that the same producer commits
// behind them; and after the next kill kfake takes the next commit marker for theirs.
func (e *Embedded) afterKill(dir string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("look through the embedded logs: %w", err)
	}
	cluster, err := openCluster(dir, l)
	if err != nil {
		return err
	}
	defer cluster.Close()
	cfg := *e.cfg
	cfg.Brokers, cfg.Security, cfg.Dialer = cluster.ListenAddrs(), Security{}, nil
	admin, err := NewAdmin(&cfg)
	if err != nil {
		return err
	}
	defer admin.Close()
	ctx, cancel := context.WithTimeout(context.Background(), healWithin)
	defer cancel()
	if err := admin.heal(ctx); err != nil {
		return fmt.Errorf("look through the embedded logs: %w", err)
	}
	return nil
}

// producer is one that writes transactions.
type producer struct {
	id    int64
	epoch int16
}

// heal writes an abort marker behind every transaction that has none. No transaction may
// be under way.
func (a *Admin) heal(ctx context.Context) error {
	meta := kmsg.NewPtrMetadataRequest() // nil: all topics
	described, err := meta.RequestWith(ctx, a.cl)
	if err != nil {
		return fmt.Errorf("describe all topics: %w", err)
	}
	cut := make(map[producer][]kmsg.WriteTxnMarkersRequestMarkerTopic)
	for i := range described.Topics {
		t := &described.Topics[i]
		starts, err := a.adm.ListStartOffsets(ctx, *t.Topic)
		if err != nil {
			return fmt.Errorf("list start offsets of %s: %w", *t.Topic, err)
		}
		for _, p := range t.Partitions {
			start, _ := starts.Lookup(*t.Topic, p.Partition)
			open, err := a.unended(ctx, t, &p, start.Offset)
			if err != nil {
				return err
			}
			for _, who := range open {
				topic := kmsg.NewWriteTxnMarkersRequestMarkerTopic()
				topic.Topic, topic.Partitions = *t.Topic, []int32{p.Partition}
				cut[who] = append(cut[who], topic)
			}
		}
	}
	if len(cut) == 0 {
		return nil
	}
	return a.abort(ctx, cut)
}

// unended are the producers with records behind their last marker in a partition.
func (a *Admin) unended(ctx context.Context, t *kmsg.MetadataResponseTopic, p *kmsg.MetadataResponseTopicPartition, start int64) ([]producer, error) {
	open := make(map[int64]int16)
	for at, more := start, true; more; {
		rp, err := fetchFrom(ctx, a.cl, t, p.Leader, p.Partition, at)
		if err != nil {
			return nil, err
		}
		more = false
		for b, rest := firstBatch(rp.RecordBatches); b != nil; b, rest = firstBatch(rest) {
			id, epoch := b.producer()
			switch {
			case b.control():
				delete(open, id)
			case b.transactional():
				open[id] = epoch
			}
			_, behind := b.span()
			at, more = max(at, behind), true
		}
	}
	var all []producer
	for id, epoch := range open {
		all = append(all, producer{id, epoch})
	}
	return all, nil
}

// abort writes abort markers.
func (a *Admin) abort(ctx context.Context, cut map[producer][]kmsg.WriteTxnMarkersRequestMarkerTopic) error {
	req := kmsg.NewPtrWriteTxnMarkersRequest()
	for who, topics := range cut {
		m := kmsg.NewWriteTxnMarkersRequestMarker()
		m.ProducerID, m.ProducerEpoch, m.Topics = who.id, who.epoch, topics
		req.Markers = append(req.Markers, m)
	}
	resp, err := req.RequestWith(ctx, a.cl)
	if err != nil {
		return fmt.Errorf("end cut transactions: %w", err)
	}
	for _, m := range resp.Markers {
		for _, t := range m.Topics {
			for _, p := range t.Partitions {
				if perr := kerr.ErrorForCode(p.ErrorCode); perr != nil {
					err = errors.Join(err, fmt.Errorf("end a cut transaction in %s partition %d: %w", t.Topic, p.Partition, perr))
				}
			}
		}
	}
	return err
}
