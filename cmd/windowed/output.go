package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"windowed/internal/api"
	"windowed/internal/engine"
)

// printer prints finals and the all-time list in a form, one after the other.
func printer(form string, words *api.Words, w io.Writer) func(*engine.Output) error {
	switch form {
	case "json":
		return func(o *engine.Output) error {
			value, err := o.Value()
			if err != nil {
				return err
			}
			_, err = w.Write(append(value, '\n'))
			return err
		}
	case "csv":
		return csvPrinter(words, w)
	case "table":
		return tablePrinter(words, w)
	}
	var line []byte
	return func(o *engine.Output) error {
		scope := o.Scope.String()
		line = line[:0]
		for i, e := range o.Top {
			line = api.AppendTSV(line, scope, i+1, e.Drink, e.Count)
		}
		_, err := w.Write(line)
		return err
	}
}

// csvPrinter writes one header, and rows.
func csvPrinter(words *api.Words, w io.Writer) func(*engine.Output) error {
	table := csv.NewWriter(w)
	header := true
	return func(o *engine.Output) error {
		if header {
			_ = table.Write([]string{"scope", "rank", words.Noun, "count"})
			header = false
		}
		for i, e := range o.Top {
			_ = table.Write([]string{o.Scope.String(), strconv.Itoa(i + 1), api.GuardFormula(e.Drink), itoa(e.Count)})
		}
		table.Flush()
		return table.Error()
	}
}

// tablePrinter writes a heading and a list, with a blank line between lists.
func tablePrinter(words *api.Words, w io.Writer) func(*engine.Output) error {
	gap := ""
	return func(o *engine.Output) error {
		title := "top of all time"
		if !o.Scope.AllTime {
			title = "top of " + o.Scope.String()
		}
		_, err := fmt.Fprintf(w, "%s%s: %s %s, %s %s\n", gap, title, group(o.Records), words.Records, group(o.Total), words.Portions)
		gap = "\n"
		for _, line := range topLines(&api.Top{Top: engine.Rank(o.Top)}) {
			if err == nil {
				_, err = fmt.Fprintln(w, line)
			}
		}
		return err
	}
}
