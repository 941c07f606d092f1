package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"text/tabwriter"

	"windowed/internal/api"
)

type windowsCmd struct {
	askFlags
	Output string `short:"o" help:"Form of the output: table, json, csv, tsv." enum:"table,json,csv,tsv" default:"table"`
}

func (c *windowsCmd) Run(std streams) error {
	var list api.Windows
	body, err := c.ask("/v1/windows", nil, &list)
	if err != nil {
		return err
	}
	switch c.Output {
	case "json":
		_, err := fmt.Fprintf(std.out, "%s\n", body)
		return err
	case "table":
		return writeWindows(std.out, &list)
	}
	table := csv.NewWriter(std.out)
	if c.Output == "tsv" {
		table.Comma = '\t'
	}
	_ = table.Write([]string{"start", "end", "state", "final", "revision", "orders", "portions", "drinks", "late_orders", "late_portions"})
	for i := range list.Windows {
		w := &list.Windows[i]
		_ = table.Write([]string{w.Start, w.End, w.State, fmt.Sprint(w.Final), revision(w), itoa(w.Records), itoa(w.Total), itoa(w.Drinks), itoa(w.LateRecords), itoa(w.LatePortions)})
	}
	table.Flush()
	return table.Error()
}

func revision(w *api.WindowLine) string {
	if w.Revision == nil {
		return ""
	}
	return fmt.Sprint(*w.Revision)
}

func writeWindows(out io.Writer, list *api.Windows) error {
	t := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "START\tEND\tSTATE\tFINAL\tORDERS\tPORTIONS\tDRINKS\tLATE")
	for i := range list.Windows {
		w := &list.Windows[i]
		final := "no"
		if w.Final {
			final = "yes"
			if *w.Revision > 0 {
				final = fmt.Sprintf("revision %d", *w.Revision)
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", w.Start, w.End, w.State, final, group(w.Records), group(w.Total), group(w.Drinks), group(w.LateRecords))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(list.HeldBy) > 0 {
		_, err := fmt.Fprintf(out, "held back by input partitions %v\n", list.HeldBy)
		return err
	}
	return nil
}
