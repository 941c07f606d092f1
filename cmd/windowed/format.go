package main

import (
	"windowed/internal/exit"
	"windowed/internal/files"
	"windowed/internal/wire"
)

// formatFlag says what records are written in: the values of a topic, or a file. Both take
// json and auto; of the others each command refuses what it cannot mean, by name.
type formatFlag struct {
	Format string `help:"What records are written in. In a topic: json, avro, protobuf, json-schema, or auto, each as its first byte and its schema say. In a file: json (lines or an array), csv, tsv, or auto, by its name." enum:"auto,json,avro,protobuf,json-schema,csv,tsv" default:"auto"`
}

// values is the format of the values of a topic.
func (f *formatFlag) values() (wire.Format, error) {
	format, err := wire.ParseFormat(f.Format)
	if err != nil {
		return format, exit.Errorf(exit.Usage, "--format=%s is how a file is written; the values of a topic are auto, json, avro, protobuf or json-schema", f.Format)
	}
	return format, nil
}

// file is the format of a file.
func (f *formatFlag) file() (files.Format, error) {
	format, err := files.ParseFormat(f.Format)
	if err != nil {
		return format, exit.Errorf(exit.Usage, "--format=%s is what values of a topic are written in; files are auto, json (lines or an array), csv or tsv", f.Format)
	}
	return format, nil
}
