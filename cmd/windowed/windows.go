package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"windowed/internal/api"
)

type windowsCmd struct {
	askFlags
	outputFlag
}

// Run prints the newest windows.
func (c *windowsCmd) Run(std streams) error {
	var list api.Windows
	body, err := c.ask("/v1/windows", nil, &list)
	if err != nil {
		return err
	}
	return c.print(std.out, list.Table(), json.RawMessage(body), func(w io.Writer) error { return writeWindows(w, &list) })
}

func writeWindows(out io.Writer, list *api.Windows) error {
	var rows [][]string
	for i := range list.Windows {
		w := &list.Windows[i]
		final := "no"
		switch {
		case w.Final && *w.Revision > 0:
			final = fmt.Sprintf("revision %d", *w.Revision)
		case w.Final:
			final = "yes"
		case w.InGrace:
			final = "in grace"
		}
		rows = append(rows, []string{w.Start, w.End, w.State, final, group(w.Records), group(w.Total), group(w.Drinks), group(w.LateRecords)})
	}
	words := list.Words.OrDefault()
	titles := []string{"START", "END", "STATE", "FINAL", strings.ToUpper(words.Records), strings.ToUpper(words.Portions), strings.ToUpper(words.Nouns), "LATE"}
	if err := columns(out, titles, rows); err != nil {
		return err
	}
	if list.Truncated {
		if _, err := fmt.Fprintf(out, "and older ones: GET /v1/windows?cursor=%s\n", list.Next); err != nil {
			return err
		}
	}
	if len(list.HeldBy) > 0 {
		_, err := fmt.Fprintf(out, "held back by input partitions %v\n", list.HeldBy)
		return err
	}
	return nil
}
