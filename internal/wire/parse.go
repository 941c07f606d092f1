package wire

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/sr"

	"windowed/internal/avro"
	"windowed/internal/protobuf"
)

// parse makes a schema of its text.
func (s *Schemas) parse(ctx context.Context, id uint32, text *sr.Schema, references []named) (*schema, error) {
	made := &schema{id: id, format: formatOf(text.Type)}
	var err error
	switch made.format {
	case Avro:
		var reader *avro.Text
		if reader, err = s.reader(ctx, id); err != nil {
			return nil, err
		}
		made.avro, err = avro.Parse(avro.Text{Schema: text.Schema, References: texts(references)}, reader)
	case Protobuf:
		imports := make([]protobuf.Import, len(references))
		for i, r := range references {
			imports[i] = protobuf.Import{Name: r.name, Text: r.text}
		}
		made.protobuf, err = protobuf.Parse(text.Schema, imports)
	case JSONSchema:
		if s.config.Validate {
			made.json, err = newValidator(text.Schema, references)
		}
	}
	if err != nil {
		return nil, &uselessError{fmt.Errorf("schema id %d cannot be used: %s", id, cut(err.Error()))}
	}
	return made, nil
}

// reader is the schema to read Avro with: the newest version, if that is another.
func (s *Schemas) reader(ctx context.Context, id uint32) (*avro.Text, error) {
	newest, err := s.newest(ctx, id)
	if err != nil || newest == nil || newest.ID == int(id) || formatOf(newest.Type) != Avro {
		return nil, err
	}
	references, err := s.references(ctx, newest.References)
	if err != nil {
		return nil, err
	}
	return &avro.Text{Schema: newest.Schema.Schema, References: texts(references)}, nil
}

func texts(all []named) []string {
	list := make([]string, len(all))
	for i := range all {
		list[i] = all[i].text
	}
	return list
}
