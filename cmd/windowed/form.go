package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"windowed/internal/api"
)

// outputFlag chooses the form of what a command prints.
type outputFlag struct {
	Output string `short:"o" help:"Form of the output: table, json, csv, tsv." enum:"table,json,csv,tsv" default:"table"`
}

// print prints what a command has found: rows as csv (with a header) and tsv (without),
// value as one line of JSON, text as the table.
func (f outputFlag) print(w io.Writer, rows api.Table, value any, text func(io.Writer) error) error {
	switch f.Output {
	case "json":
		line, err := json.Marshal(value)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n", line)
		return err
	case "csv":
		return rows.WriteCSV(w)
	case "tsv":
		return rows.WriteTSV(w)
	}
	return text(w)
}

// columns writes rows as columns below their titles.
func columns(w io.Writer, titles []string, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(titles, "\t"))
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	return t.Flush()
}
