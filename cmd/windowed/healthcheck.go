package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"

	"windowed/internal/api"
)

// healthcheckCmd is a probe for images without a shell.
type healthcheckCmd struct {
	askFlags
	outputFlag
	Ready bool `help:"Ask whether it is ready to answer, not only alive."`
}

// Run exits with 0, or with 4 if nobody answers or the counts are not there yet.
func (c *healthcheckCmd) Run(std streams) error {
	path := "/livez"
	if c.Ready {
		path = "/readyz"
	}
	var health struct {
		Status string `json:"status"`
	}
	body, err := c.ask(path, url.Values{}, &health)
	if err != nil {
		return err
	}
	rows := api.Table{Header: []string{"status"}, Rows: [][]string{{health.Status}}, Text: -1}
	return c.print(std.out, rows, json.RawMessage(body), func(w io.Writer) error {
		_, err := fmt.Fprintln(w, health.Status)
		return err
	})
}
