package main

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"windowed/internal/engine"
)

// tsvEscape keeps a name on its line and in its column.
var tsvEscape = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// printer prints finals and the all-time list in a form.
func printer(form string, w io.Writer) func(*engine.Output) error {
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
		table := csv.NewWriter(w)
		header := true
		return func(o *engine.Output) error {
			if header {
				_ = table.Write([]string{"scope", "rank", "drink", "count"})
				header = false
			}
			for i, e := range o.Top {
				_ = table.Write([]string{o.Scope.String(), strconv.Itoa(i + 1), csvGuard(e.Drink), itoa(e.Count)})
			}
			table.Flush()
			return table.Error()
		}
	}
	var line []byte
	return func(o *engine.Output) error {
		scope := o.Scope.String()
		line = line[:0]
		for i, e := range o.Top {
			line = appendTSV(line, scope, i+1, e.Drink, e.Count)
		}
		_, err := w.Write(line)
		return err
	}
}

func appendTSV(dst []byte, scope string, rank int, drink string, count uint64) []byte {
	dst = append(append(dst, scope...), '\t')
	dst = append(strconv.AppendInt(dst, int64(rank), 10), '\t')
	dst = append(append(dst, tsvEscape.Replace(drink)...), '\t')
	return append(strconv.AppendUint(dst, count, 10), '\n')
}

// csvGuard keeps spreadsheets from taking a name for a formula.
func csvGuard(name string) string {
	if name != "" && strings.ContainsRune("=+-@\t\r", rune(name[0])) {
		return "'" + name
	}
	return name
}
