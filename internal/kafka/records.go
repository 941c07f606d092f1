package kafka

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"windowed/internal/engine"
	"windowed/internal/event"
	"windowed/window"
)

// maxDeadKey is the longest key a dead letter carries.
const maxDeadKey = 4 << 10

func outputRecord(topic, instance string, t *engine.Transaction, o *engine.Output) (*kgo.Record, error) {
	value, err := o.Value()
	if err != nil {
		return nil, err
	}
	r := &kgo.Record{Topic: topic, Key: o.Key(), Value: value, Headers: []kgo.RecordHeader{
		header("type", o.Type.String()),
		header("schema", engine.Schema),
		header("revision", strconv.Itoa(int(o.Revision))),
		header("positions", positions(t.Positions)),
		header("instance", instance),
		header("emitted", window.FormatTime(t.Now)),
	}}
	if t.CloseThrough != window.None {
		r.Headers = append(r.Headers, header("watermark", window.FormatTime(t.CloseThrough)))
	}
	return r, nil
}

// positions writes input positions as "0=12,1=40".
func positions(at map[int32]int64) string {
	var b strings.Builder
	for p := range int32(len(at)) {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d=%d", p, at[p])
	}
	return b.String()
}

func deadRecord(topics *Topics, partitions int32, d *engine.DeadLetter) *kgo.Record {
	counted := "none"
	if d.AllTime {
		counted = "all-time"
	}
	r := &kgo.Record{Topic: topics.DeadLetters, Partition: d.Partition % max(partitions, 1), Value: d.Value, Headers: []kgo.RecordHeader{
		header("reason", d.Reason.String()),
		header("error", d.Detail),
		header("topic", topics.Orders),
		header("partition", strconv.Itoa(int(d.Partition))),
		header("offset", strconv.FormatInt(d.Offset, 10)),
		header("timestamp", time.UnixMilli(d.Timestamp).UTC().Format("2006-01-02T15:04:05.000Z")),
		header("counted", counted),
	}}
	if len(d.Key) <= maxDeadKey {
		r.Key = d.Key
	}
	if d.Size > len(d.Value) {
		r.Headers = append(r.Headers, header("truncated", "true"), header("original-size", strconv.Itoa(d.Size)))
	}
	return withHeaders(r, d.Headers)
}

// maxDeadHeaders is how many bytes of headers of a refused record its dead letter carries
// behind those that say why.
const maxDeadHeaders = 64 << 10

func withHeaders(r *kgo.Record, headers []event.Header) *kgo.Record {
	size := 0
	for i := range headers {
		h := &headers[i]
		if size += len(h.Key) + len(h.Value); size > maxDeadHeaders {
			break
		}
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value})
	}
	return r
}

func header(key, value string) kgo.RecordHeader {
	return kgo.RecordHeader{Key: key, Value: []byte(value)}
}

// fetched are records of one partition that the client has made structs of. It implements
// engine.Fetched.
type fetched struct {
	partition int32
	records   []*kgo.Record
	memory    *answer // that they may lie in; nil: the client's
	at        int
}

func (f *fetched) Partition() int32 { return f.partition }
func (f *fetched) Len() int         { return len(f.records) }
func (f *fetched) Err() error       { return nil }
func (f *fetched) Again()           { f.at = 0 }

func (f *fetched) Done() {
	for _, r := range f.records {
		r.Recycle()
	}
	f.records = nil
	if f.memory != nil {
		f.memory.done()
	}
}

func (f *fetched) Next(r *engine.Record) bool {
	if f.at == len(f.records) {
		return false
	}
	from, headers := f.records[f.at], r.Headers[:0]
	f.at++
	for _, h := range from.Headers {
		headers = append(headers, event.Header{Key: h.Key, Value: h.Value})
	}
	r.Key, r.Value, r.Headers, r.Timestamp = from.Key, from.Value, headers, from.Timestamp.UnixMilli()
	r.Offset, r.AppendTime, r.Control = from.Offset, from.Attrs.TimestampType() == 1, from.Attrs.IsControl()
	return true
}
