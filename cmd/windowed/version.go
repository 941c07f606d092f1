package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"windowed/internal/api"
)

type versionCmd struct{ outputFlag }

// Run prints what runs.
func (c versionCmd) Run(std streams) error {
	v := strings.TrimPrefix(version, "v")
	rows := api.Table{Header: []string{"version", "go", "platform"}, Text: -1}
	rows.Rows = [][]string{{v, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}}
	value := map[string]string{"version": v, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH}
	return c.print(std.out, rows, value, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "windowed", v)
		return err
	})
}
