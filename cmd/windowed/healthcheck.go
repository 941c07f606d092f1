package main

import (
	"fmt"
	"net/url"
)

// healthcheckCmd is a probe for images without a shell.
type healthcheckCmd struct {
	askFlags
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
	if _, err := c.ask(path, url.Values{}, &health); err != nil {
		return err
	}
	_, err := fmt.Fprintln(std.out, health.Status)
	return err
}
