package api

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// Table is an answer as rows, for csv and tsv: one form for the command line and for HTTP.
type Table struct {
	Header []string
	Rows   [][]string
	Text   int // the column with somebody else's text, or -1
}

// WriteCSV writes the header and the rows, lines ended by \n. Text that a spreadsheet
// would take for a formula gets a quote in front.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(t.Header)
	for _, row := range t.Rows {
		if t.Text >= 0 {
			row = append([]string(nil), row...)
			row[t.Text] = GuardFormula(row[t.Text])
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// WriteTSV writes the rows; tab, newline, carriage return and backslash in text are
// written \t, \n, \r, \\.
func (t *Table) WriteTSV(w io.Writer) error {
	var b strings.Builder
	for _, row := range t.Rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(tsvEscape.Replace(cell))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// tsvEscape keeps a text on its line and in its column.
var tsvEscape = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// AppendTSV appends one line of a top list.
func AppendTSV(dst []byte, scope string, rank int, drink string, count uint64) []byte {
	dst = append(append(dst, scope...), '\t')
	dst = append(strconv.AppendInt(dst, int64(rank), 10), '\t')
	dst = append(append(dst, tsvEscape.Replace(drink)...), '\t')
	return append(strconv.AppendUint(dst, count, 10), '\n')
}

// GuardFormula keeps spreadsheets from taking a text for a formula.
func GuardFormula(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
