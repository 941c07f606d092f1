package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"windowed/internal/event"
	"windowed/internal/exit"
	"windowed/internal/inspect"
	"windowed/internal/kafka"
	"windowed/internal/wire"
)

// sampleTopic reads the last records of the orders topic, with their schemas. What it
// returns must be closed after the sample was used.
func (c *inspectCmd) sampleTopic(std streams, root *cli) (_ *inspect.Sample, end func(), err error) {
	format, err := c.formatFlag.values()
	if err != nil {
		return nil, nil, err
	}
	log, err := root.logger(std)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel, cfg, admin, err := c.once(std, root, c.Timeout)
	if err != nil {
		return nil, nil, err
	}
	defer cancel()
	admin.Close()
	records, err := kafka.Sample(ctx, cfg, kafka.SampleOptions{Most: c.Sample, Wait: c.Timeout})
	if err != nil {
		return nil, nil, err
	}
	options, err := c.registryFlags.options(format, new(event.Mapping), c.OrdersTopic, log)
	if err != nil {
		return nil, nil, err
	}
	end = func() {}
	if options.Schemas != nil {
		end = options.Schemas.Close
	}
	s, err := c.sampleOf(records, options)
	if err != nil {
		end()
		return nil, nil, err
	}
	return s, end, nil
}

// sampleOf is a sample of records of a topic, whose schemas it waits for.
func (c *inspectCmd) sampleOf(records []kafka.Sampled, options *wire.Options) (*inspect.Sample, error) {
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	s := &inspect.Sample{Format: "json", Profile: inspect.NewProfile()}
	s.Decoder = func(m *event.Mapping) (event.Reader, error) {
		own := *options
		own.Mapping = m
		return own.NewDecoder()
	}
	written := map[uint32]*inspect.Written{}
	for _, r := range records {
		s.Records = append(s.Records, inspect.Record{Partition: r.Partition, Record: r.Record})
		if r.Value == nil {
			continue
		}
		if schemas := options.Schemas; schemas != nil {
			if err := schemas.Await(ctx, r.Value); err != nil {
				return nil, exit.Errorf(exit.NotReady, "the schema registry does not answer within %v (--timeout): %s", c.Timeout, schemas.Trouble())
			}
		}
		d, err := options.Document(r.Value)
		if err != nil {
			s.Profile.Broken++
		} else {
			s.Profile.AddJSON(d.JSON)
		}
		if d.ID == 0 && err != nil {
			continue
		}
		if written[d.ID] == nil {
			written[d.ID] = &inspect.Written{ID: d.ID}
		}
		if written[d.ID].Records++; d.Format != wire.Auto {
			written[d.ID].Format = d.Format.String()
		}
	}
	describe(ctx, s, written, options.Schemas)
	return s, nil
}

// describe says what the values of a sample are written in.
func describe(ctx context.Context, s *inspect.Sample, written map[uint32]*inspect.Written, schemas *wire.Schemas) {
	var formats []string
	for _, id := range slices.Sorted(maps.Keys(written)) {
		w := written[id]
		switch {
		case id == 0:
		case schemas == nil:
			s.Lacking = fmt.Sprintf("%s of %s values begin with the Confluent magic byte (schema id %d): say with --schema-registry where their schemas are",
				group(uint64(w.Records)), group(uint64(len(s.Records))), id)
		default:
			for _, v := range schemas.Of(ctx, id) {
				w.Versions = append(w.Versions, fmt.Sprintf("%s version %d", v.Subject, v.Version))
			}
		}
		s.Written = append(s.Written, *w)
		if w.Format != "" && !slices.Contains(formats, w.Format) {
			formats = append(formats, w.Format)
		}
	}
	if len(formats) > 0 {
		s.Format = strings.Join(formats, " and ")
	}
}
