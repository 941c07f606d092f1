package main

import (
	"context"
	"time"

	"windowed/internal/event"
	"windowed/internal/exit"
	"windowed/internal/inspect"
	"windowed/internal/kafka"
	"windowed/internal/wire"
)

// sampled is how many records are looked at before a run, and how long that may take.
const (
	sampledRecords = 1000
	sampledWait    = 3 * time.Second
)

// checkPaths refuses a mapping whose paths are in no record of the topic, most likely for
// a typing error. Orders are not asked: theirs are well known.
func checkPaths(ctx context.Context, cfg *kafka.Config, timeField string, options *wire.Options) error {
	m := options.Mapping
	if isOrders(m, timeField) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*sampledWait)
	defer cancel()
	sample, err := kafka.Sample(ctx, cfg, kafka.SampleOptions{Most: sampledRecords, Oldest: true, Wait: sampledWait})
	if err != nil {
		return err
	}
	decoder, err := options.NewDecoder()
	if err != nil {
		return err
	}
	p := inspect.NewProfile()
	for i := range sample {
		r := &sample[i].Record
		if r.Value == nil {
			continue
		}
		if options.Schemas != nil && options.Schemas.Await(ctx, r.Value) != nil {
			return nil // the registry need not be there yet
		}
		d, err := options.Document(r.Value)
		if err != nil {
			continue
		}
		if d.ID != 0 && countsWithoutTimestamp(decoder, *r, m) {
			return nil // fields of a schema have other names too: aliases
		}
		p.AddJSON(d.JSON)
	}
	return missing(p, m)
}

// isOrders says whether a mapping is that of orders.
func isOrders(m *event.Mapping, timeField string) bool { return m.Text() == "" && timeField == "ts" }

// countsWithoutTimestamp says whether a record has all that the mapping wants: also the
// time, for which its timestamp would stand in.
func countsWithoutTimestamp(d *wire.Decoder, r event.Record, m *event.Mapping) bool {
	if m.Time != nil {
		r.Timestamp = -1
	}
	_, fault := d.DecodeRecord(&r)
	return fault == nil
}

func missing(p *inspect.Profile, m *event.Mapping) error {
	if text := p.Missing(m); text != "" {
		return exit.Errorf(exit.Usage, "%s (windowed inspect shows what they have; --no-sample leaves this check out)", text)
	}
	return nil
}
