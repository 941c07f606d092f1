package files

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"windowed/internal/event"
)

// rowsOf are the columns of a file and the fields of its rows.
func rowsOf(t *testing.T, text string, o Options) string {
	t.Helper()
	f, err := Open(strings.NewReader(text), "a.csv", o)
	if err != nil {
		return "not opened: " + err.Error()
	}
	defer f.Close()
	all := []string{fmt.Sprintf("%q", f.Columns())}
	for {
		row, err := f.Next()
		if err != nil {
			return strings.Join(all, " ")
		}
		fields, err := f.Split(row)
		if err != nil {
			all = append(all, "error: "+err.Error())
			continue
		}
		all = append(all, fmt.Sprintf("%q", fields))
	}
}

// TestRows has rows with quotes, line ends and blanks, with a header and without.
func TestRows(t *testing.T) {
	numbered, err := event.NewMapping(event.Config{TimeField: "1", Names: []string{"2"}})
	if err != nil {
		t.Fatal(err)
	}
	named, err := event.NewMapping(event.Config{TimeField: "1", Names: []string{"b"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text string
		o    Options
		want string
	}{
		"a header":                        {"a,b\n1,2\n3,4", Options{}, `["a" "b"] ["1" "2"] ["3" "4"]`},
		"numbers in the first row":        {"a,1\n3,4\n", Options{}, `["1" "2"] ["a" "1"] ["3" "4"]`},
		"a time in the first row":         {"2026-03-01 10:00,x\n", Options{}, `["1" "2"] ["2026-03-01 10:00" "x"]`},
		"a time of another form":          {"03/01/2026 10:00,x\n", Options{}, `["1" "2"] ["03/01/2026 10:00" "x"]`},
		"a clock in the first row":        {"10/Oct/2000:13:55:36 -0700,x\n", Options{}, `["1" "2"] ["10/Oct/2000:13:55:36 -0700" "x"]`},
		"signs in the first row":          {"#,at 1\n1,2\n", Options{}, `["#" "at 1"] ["1" "2"]`},
		"an empty name in the first row":  {"a,\n1,2\n", Options{}, `["1" "2"] ["a" ""] ["1" "2"]`},
		"a header by what is said":        {"1,2\n3,4\n", Options{Header: HeaderPresent}, `["1" "2"] ["3" "4"]`},
		"no header by what is said":       {"a,b\n3,4\n", Options{Header: HeaderAbsent}, `["1" "2"] ["a" "b"] ["3" "4"]`},
		"no header by the mapping":        {"a,b\n3,4\n", Options{Mapping: numbered}, `["1" "2"] ["a" "b"] ["3" "4"]`},
		"a header by the mapping":         {"1,b\n3,4\n", Options{Mapping: named}, `["1" "b"] ["3" "4"]`},
		"a header only":                   {"a,b\n", Options{}, `["a" "b"]`},
		"nothing":                         {"", Options{}, `[]`},
		"blank lines":                     {"\n\na,b\r\n\r\n1,2\n  \n\t\n3,4\n\n", Options{}, `["a" "b"] ["1" "2"] ["3" "4"]`},
		"empty fields":                    {"a,b\n,\n", Options{}, `["a" "b"] ["" ""]`},
		"empty fields between tabs":       {"a\tb\n\t\n\n1\t2\n", Options{Comma: '\t'}, `["a" "b"] ["" ""] ["1" "2"]`},
		"quotes":                          {"a,\"b,c\"\n\"1\",\"x \"\"y\"\", z\"\n", Options{}, `["a" "b,c"] ["1" "x \"y\", z"]`},
		"a quoted nothing":                {"a,b\n\"\",\"\"\"\"\n", Options{}, `["a" "b"] ["" "\""]`},
		"a line end in quotes":            {"a,b\n1,\"x\r\n\n,y\"\r\n3,4\n", Options{}, `["a" "b"] ["1" "x\r\n\n,y"] ["3" "4"]`},
		"a line end in a quoted header":   {"a,\"b\nc\"\n1,2\n", Options{}, `["a" "b\nc"] ["1" "2"]`},
		"a quote in the middle":           {"a,b\n5\" pipe,x\"y\"\n3,\"4\n5\"\n", Options{}, `["a" "b"] ["5\" pipe" "x\"y\""] ["3" "4\n5"]`},
		"a blank before a quote":          {"a,b\n1, \"2\"\n3,4\n", Options{}, `["a" "b"] ["1" " \"2\""] ["3" "4"]`},
		"text behind a quote":             {"a,b\n1,\"2\"x\n3,4\n", Options{}, `["a" "b"] error: field 2 goes on behind its closing quote ["3" "4"]`},
		"a quote that is not closed":      {"a,b\n1,\"2\n3,4\n5,6\n", Options{}, `["a" "b"] error: field 2 begins with a quote that is not closed, and takes the next 2 lines with it`},
		"a header that cannot be":         {"a,\"b\"c\n", Options{}, `not opened: the first row: field 2 goes on behind its closing quote`},
		"more and fewer fields":           {"a,b\n1\n1,2,3\n", Options{}, `["a" "b"] ["1"] ["1" "2" "3"]`},
		"semicolons that are said":        {"a;b\n1,5;2\n", Options{Comma: ';'}, `["a" "b"] ["1,5" "2"]`},
		"semicolons that are guessed":     {"a;b\n1,5;2,5\n", Options{Guess: true}, `["a" "b"] ["1,5" "2,5"]`},
		"semicolons that are not guessed": {"a;b\n1;2\n", Options{}, `["a;b"] ["1;2"]`},
		"bars that are guessed":           {"a|b|c,d\n1|2|3\n", Options{Guess: true}, `["a" "b" "c,d"] ["1" "2" "3"]`},
		"commas that are guessed":         {"a,b;c\n1,2\n", Options{Guess: true}, `["a" "b;c"] ["1" "2"]`},
		"commas in quotes":                {"\"a, of all\";b\n1;2\n", Options{Guess: true}, `["a, of all" "b"] ["1" "2"]`},
		"what is said is not guessed":     {"a;b,c\n1;2\n", Options{Guess: true, Comma: ','}, `["a;b" "c"] ["1;2"]`},
	} {
		check(t, name, rowsOf(t, c.text, c.o), c.want)
	}
}

// TestRowsEqualEncodingCSV compares rows, and the fields in them, with the standard library's
// reading of the same text.
func TestRowsEqualEncodingCSV(t *testing.T) {
	field := rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "é", " x ", "1.5", `""`, `"a"`, `"a,b"`, `"a""b"`, "\"a\nb\"", `""""`, "\"\n\"", `"` + strings.Repeat("x", 30) + `"`}),
		rapid.StringMatching(`[a-c;. ]{0,5}`),
	)
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(2, 4).Draw(t, "width") // a single empty field is a blank line
		var text strings.Builder
		for range rapid.IntRange(1, 20).Draw(t, "rows") {
			text.WriteString(strings.Join(rapid.SliceOfN(field, width, width).Draw(t, "row"), ","))
			text.WriteString(rapid.SampledFrom([]string{"\n", "\r\n", "\n\n"}).Draw(t, "end"))
		}
		want, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
		if err != nil {
			t.Fatalf("%q: %v", text.String(), err)
		}
		f := &File{comma: ','}
		// Small reads, so that quotes and line ends meet the end of one.
		rows := &rows{r: bufio.NewReaderSize(strings.NewReader(text.String()), 16), comma: ','}
		for i := range want {
			row, err := rows.next()
			if err != nil {
				t.Fatalf("row %d of %q: %v", i, text.String(), err)
			}
			if have, err := f.Split(row); err != nil || !slices.Equal(have, want[i]) {
				t.Fatalf("row %d of %q: %q (%v), not %q", i, text.String(), have, err, want[i])
			}
		}
		if row, err := rows.next(); err == nil {
			t.Fatalf("%q has one row more: %q", text.String(), row)
		}
	})
}
