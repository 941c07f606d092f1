package realkafka

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	compactWait = 30 * time.Second
	rollAfter   = 100 * time.Millisecond
	rollPause   = 150 * time.Millisecond
	rollAgain   = 2 * time.Second
)

// Compact makes the brokers compact a topic with cleanup.policy=compact, and
// returns when every replica on a running broker is clean up to where it ended
// at the time of the call. Readers of committed records see no new record, but
// the offsets move on; and the topic is left with segment.ms=100 and
// min.cleanable.dirty.ratio=0, so later writes are compacted soon too.
//
// Tombstones and markers go only when delete.retention.ms of the topic is over
// and a further Compact comes by. An open transaction, or records with
// timestamps in the future, hold compaction back.
func (c *Cluster) Compact(ctx context.Context, topic string) error {
	if err := c.cleanEagerly(ctx, topic); err != nil {
		return err
	}
	info, err := c.describe(ctx, topic)
	if err != nil {
		return err
	}
	ends := make([]int64, len(info.Partitions))
	for p := range ends {
		o, err := c.Offsets(ctx, topic, int32(p))
		if err != nil {
			return err
		}
		ends[p] = o.HW
	}
	var rolled time.Time
	return c.wait(ctx, compactWait, "the compaction of "+topic, func(ctx context.Context) error {
		if time.Since(rolled) > rollAgain {
			time.Sleep(rollPause)
			if err := c.rollSegments(ctx, topic, len(ends)); err != nil {
				return err
			}
			rolled = time.Now()
		}
		return c.cleanedTo(topic, ends)
	})
}

func (c *Cluster) cleanEagerly(ctx context.Context, topic string) error {
	set := func(name, value string) kadm.AlterConfig {
		return kadm.AlterConfig{Op: kadm.SetConfig, Name: name, Value: &value}
	}
	altered, err := c.Admin().AlterTopicConfigs(ctx, []kadm.AlterConfig{
		set("segment.ms", strconv.Itoa(int(rollAfter/time.Millisecond))),
		set("min.cleanable.dirty.ratio", "0"),
	}, topic)
	if err != nil {
		return fmt.Errorf("set the compaction of %s: %w", topic, err)
	}
	for _, a := range altered {
		if a.Err != nil {
			return fmt.Errorf("set the compaction of %s: %w %s", topic, a.Err, a.ErrMessage)
		}
	}
	return nil
}

// rollSegments appends to every partition: the active segment is never cleaned,
// and only an append makes a new one. It does so in an aborted transaction, so
// that readers of committed records do not meet a record they cannot know.
func (c *Cluster) rollSegments(ctx context.Context, topic string, partitions int) error {
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(c.Seeds()...),
		kgo.TransactionalID("realkafka-compact-"+strconv.FormatInt(time.Now().UnixNano(), 36)),
		kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		return fmt.Errorf("roll the segments of %s: %w", topic, err)
	}
	defer cl.Close()
	if err := cl.BeginTransaction(); err != nil {
		return fmt.Errorf("roll the segments of %s: %w", topic, err)
	}
	var records []*kgo.Record
	for p := range partitions {
		records = append(records, &kgo.Record{Topic: topic, Partition: int32(p), Key: []byte("realkafka"), Value: []byte("roll")})
	}
	err = errors.Join(cl.ProduceSync(ctx, records...).FirstErr(), cl.EndTransaction(ctx, kgo.TryAbort))
	if err != nil {
		return fmt.Errorf("roll the segments of %s: %w", topic, err)
	}
	return nil
}

// cleanedTo returns nil when the cleaner of each running broker has noted, for
// each partition with records that it holds, at least the offset in ends.
func (c *Cluster) cleanedTo(topic string, ends []int64) error {
	for _, b := range c.brokers {
		if !b.Running() {
			continue
		}
		cleaned, err := b.cleanerOffsets(topic)
		if err != nil {
			return err
		}
		for p, end := range ends {
			partition := strconv.Itoa(p)
			if end == 0 || !exists(filepath.Join(b.dataDir(), topic+"-"+partition)) {
				continue
			}
			if cleaned[partition] < end {
				return fmt.Errorf("broker %d has cleaned %s/%d up to %d of %d", b.ID, topic, p, cleaned[partition], end)
			}
		}
	}
	return nil
}

// cleanerOffsets reads how far the broker's log cleaner has come, by partition.
// The file has a line with a version, one with a count, then one a partition.
func (b *Broker) cleanerOffsets(topic string) (map[string]int64, error) {
	f, err := os.Open(filepath.Join(b.dataDir(), "cleaner-offset-checkpoint"))
	if err != nil {
		return nil, fmt.Errorf("read the cleaner's checkpoint: %w", err)
	}
	defer f.Close()
	cleaned := map[string]int64{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 || fields[0] != topic {
			continue
		}
		offset, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read the cleaner's checkpoint: %w", err)
		}
		cleaned[fields[1]] = offset
	}
	return cleaned, lines.Err()
}
