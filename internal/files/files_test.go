package files

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"windowed/internal/event"
)

// TestFormats has what a file is by its name, its first bytes or what is said of it.
func TestFormats(t *testing.T) {
	const bom = "\xef\xbb\xbf"
	for name, c := range map[string]struct {
		file, text string
		o          Options
		want       string
	}{
		"lines":                       {"a.jsonl", "{}\n[1]\n", Options{}, `"{}" "[1]"`},
		"lines of no name":            {"-", "1\n2", Options{}, `"1" "2"`},
		"blank lines":                 {"a", "\n\n {} \r\n\t\n  \n\r\n1\n\n", Options{}, `" {} " "1"`},
		"a mark in front":             {"a", bom + "{}\n" + bom + "1\n", Options{}, `"{}" "\ufeff1"`},
		"a mark only":                 {"a", bom, Options{}, ``},
		"nothing":                     {"a", "", Options{}, ``},
		"white space":                 {"a", " \n\t\r\n ", Options{}, ``},
		"no JSON":                     {"a", "hello\n\xff\n", Options{}, `"hello" "\xff"`},
		"a carriage return in a line": {"a", "{\r}\r\n1\r", Options{}, `"{\r}" "1"`},
		"an array":                    {"a.json", "[1,{\"a\":[2]},\n[3,[]] , \"x\"]\n", Options{}, `"1" "{\"a\":[2]}" "[3,[]]" "\"x\""`},
		"an array behind white space": {"a", bom + " \r\n\t[1]", Options{}, `"1"`},
		"an empty array":              {"a", "[ ]", Options{}, ``},
		"names twice in an array":     {"a", `[{"a":1,"a":2},"` + "\xff" + `"]`, Options{}, `"{\"a\":1,\"a\":2}" "\"\xff\""`},
		"an array cut short":          {"a", "[1,2", Options{}, `"1" "2" error: element 2 of the JSON array: jsontext: unexpected EOF after offset 4`},
		"an array cut in a value":     {"a", `[1,{"a":`, Options{}, `"1" error: element 1 of the JSON array: jsontext: unexpected EOF within "/1/:" after offset 8`},
		"an opening bracket":          {"a", "[", Options{}, `error: element 0 of the JSON array: jsontext: unexpected EOF after offset 1`},
		"no comma in an array":        {"a", "[1 2]", Options{}, `"1" error: element 1 of the JSON array: jsontext: invalid character '2' after array element (expecting ',' or ']') after offset 3`},
		"a comma too many":            {"a", "[1,]", Options{}, `"1" error: element 1 of the JSON array: jsontext: invalid character ',' at start of value after offset 2`},
		"more behind an array":        {"a", "[1]\n{}", Options{}, `"1" error: the JSON array is followed by more at byte 5; records are one array, or lines`},
		"two arrays":                  {"a", "[1]\n[2]", Options{}, `"1" error: the JSON array is followed by more at byte 5; records are one array, or lines`},
		"arrays in lines":             {"a", "[1]\n\n[2,3]\n", Options{Guess: true}, `"[1]" "[2,3]"`},
		"one array in lines":          {"a", "[[1],\n[2,3]]\n", Options{Guess: true}, `"[1]" "[2,3]"`},
		"one array in one line":       {"a", "[[1],[2,3]]\n", Options{Guess: true}, `"[1]" "[2,3]"`},
		"rows":                        {"a.csv", "a,b\n1,2\n", Options{}, `"1,2"`},
		"rows, tabs":                  {"A.TSV", "a\tb\n1\t2\n", Options{}, `"1\t2"`},
		"rows by what is said":        {"a.json", "a,b\n1,2\n", Options{Format: CSV}, `"1,2"`},
		"JSON by what is said":        {"a.csv", "{}\n", Options{Format: JSON}, `"{}"`},
		"rows that are packed":        {"a.csv.gz", gzipped("a,b\n1,2\n"), Options{}, `"1,2"`},
		"packed in spite of its name": {"a.jsonl", zstded("1\n2"), Options{}, `"1" "2"`},
		"a mark that is packed":       {"a.gz", gzipped(bom + "1\n"), Options{}, `"1"`},
		"packed twice":                {"a.gz", gzipped("1\n") + gzipped("2\n"), Options{}, `"1" "2"`},
		"zstd twice":                  {"a.zst", zstded("1\n") + zstded("2\n"), Options{}, `"1" "2"`},
		"packed nothing":              {"a.gz", gzipped(""), Options{}, ``},
		"named as if packed":          {"a.gz", "1\n", Options{}, `"1"`},
		"gzip cut in its header":      {"a.gz", gzipped("1\n")[:6], Options{}, `not opened: gzip: unexpected EOF`},
		"gzip cut":                    {"a.gz", gzipped("1\n2\n3\n")[:22], Options{}, `"1" "2" "3" error: unexpected EOF`},
		"gzip with something behind":  {"a.gz", gzipped("1\n") + "x", Options{}, `"1" error: unexpected EOF`},
		"zstd cut":                    {"a.zst", zstded("1\n2\n3\n")[:9], Options{}, `error: unexpected EOF`},
		"Avro":                        {"a.avro", "Obj\x01...", Options{}, `not opened: this is an Avro file; files are JSON lines, a JSON array, CSV or TSV in UTF-8, as they are or packed by gzip or zstd`},
		"Parquet that is packed":      {"a.gz", gzipped("PAR1..."), Options{}, `not opened: this is a Parquet file; files are JSON lines, a JSON array, CSV or TSV in UTF-8, as they are or packed by gzip or zstd`},
		"UTF-16":                      {"a.csv", "\xff\xfea\x00,\x00", Options{}, `not opened: this is in UTF-16; files are JSON lines, a JSON array, CSV or TSV in UTF-8, as they are or packed by gzip or zstd`},
		"values with a schema id":     {"a", "\x00\x00\x00\x00\x01x\n", Options{}, `not opened: it begins with a zero byte, as values with a schema id do: they have bytes that end lines, so a file of lines cannot hold them; count them from their topic, with --schema-registry`},
	} {
		check(t, name, read(c.text, c.file, c.o), c.want)
	}
}

// TestArrayRecords: where a record is an array by the mapping, a file of lines that begin
// with brackets is not one array.
func TestArrayRecords(t *testing.T) {
	m, err := event.NewMapping(event.Config{Items: "[]", Names: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "lines", read("[1]\n[2]\n", "a", Options{Mapping: m}), `"[1]" "[2]"`)
}

// TestCutShort cuts files everywhere: what comes before the cut is read, and where a cut
// can be told from an end it is.
func TestCutShort(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	var want []string
	for i := range 2000 { // that do not pack well
		fmt.Fprintf(&text, "{\"n\":%d,\"x\":\"%x\"}\n", i, rnd.Uint64())
		want = append(want, fmt.Sprintf("%q", text.String()[strings.LastIndexByte(text.String()[:text.Len()-1], '\n')+1:text.Len()-1]))
	}
	all := strings.Join(want, " ")
	for name, packed := range map[string]string{"gzip": gzipped(text.String()), "zstd": zstded(text.String())} {
		check(t, name, read(packed, "a", Options{}), all)
		for cutAt := 20; cutAt < len(packed); cutAt += len(packed)/60 + 1 {
			have, err, ok := strings.Cut(read(packed[:cutAt], "a", Options{}), "error: ")
			if !ok || err != "unexpected EOF" {
				t.Fatalf("%s cut at %d of %d: %q", name, cutAt, len(packed), err)
			}
			if have = strings.TrimSpace(have); !strings.HasPrefix(all, have) {
				t.Fatalf("%s cut at %d: what is read is not what was there: %s", name, cutAt, cut(have[max(0, len(have)-200):]))
			}
		}
	}
}

// TestBroken: bytes that are changed in a packed file are noticed, in the middle and in the
// check sum at its end.
func TestBroken(t *testing.T) {
	packed := gzipped(strings.Repeat("{\"a\":1}\n", 1000))
	for _, at := range []int{len(packed) / 2, len(packed) - 6, len(packed) - 2} {
		changed := packed[:at] + string(packed[at]^0x55) + packed[at+1:]
		if have := read(changed, "a", Options{}); !strings.Contains(have, "error: ") {
			t.Errorf("byte %d: %s", at, cut(have))
		}
	}
}

// TestInputFails: an error of the input is told, behind what was read before it, and what
// it cuts off is no record.
func TestInputFails(t *testing.T) {
	for _, name := range []string{"a.jsonl", "a.csv"} {
		f, err := Open(io.MultiReader(strings.NewReader("1\n2\n3"), failing{}), name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for err == nil {
			var value []byte
			if value, err = f.Next(); err == nil {
				have = append(have, string(value))
			}
		}
		check(t, name, fmt.Sprint(have, err), "[1 2] the disk is gone")
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, fmt.Errorf("the disk is gone") }

// TestEndlessElement: an element of an array that is not closed does not take all memory.
func TestEndlessElement(t *testing.T) {
	f, err := Open(io.MultiReader(strings.NewReader(`[1,"`), letters{}), "a", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if value, err := f.Next(); err != nil || string(value) != "1" {
		t.Fatalf("%s, %v", value, err)
	}
	if _, err := f.Next(); err == nil || !strings.Contains(err.Error(), "element 1 of the JSON array: ") || !strings.Contains(err.Error(), "is longer than 67108864 bytes") {
		t.Error(err)
	}
}

// letters has no end.
type letters struct{}

func (letters) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = 'x'
	}
	return len(into), nil
}

// TestLongRecords: what is too long for a record is passed on cut, to be refused, and the
// next one is whole.
func TestLongRecords(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	for name, c := range map[string]struct{ file, text, next string }{
		"a line":                 {"a", long + "\nnext\n", "next"},
		"rows":                   {"a.csv", "a,b\n1," + long + "\n3,4\n", "3,4"},
		"a row with a quote":     {"a.csv", "a,b\n1,\"" + long + "\n3,4\n", "3,4"},
		"as long as may be":      {"a", strings.Repeat("x", maxRecord-1) + "\nnext\n", "next"},
		"one more":               {"a", strings.Repeat("x", maxRecord) + "\nnext\n", "next"},
		"with a line end of two": {"a", strings.Repeat("x", maxRecord-2) + "\r\nnext\n", "next"},
	} {
		f, err := Open(strings.NewReader(c.text), c.file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		first, err := f.Next()
		if err != nil || len(first) > maxRecord || len(first) < maxRecord-3 {
			t.Errorf("%s: %d bytes, %v", name, len(first), err)
		}
		if next, err := f.Next(); err != nil || string(next) != c.next {
			t.Errorf("%s: then %s, %v", name, cut(string(next)), err)
		}
		f.Close()
	}
}

func TestParseFormat(t *testing.T) {
	for f := Auto; f <= TSV; f++ {
		if have, err := ParseFormat(f.String()); have != f || err != nil {
			t.Errorf("%v is read as %v, %v", f, have, err)
		}
	}
	if _, err := ParseFormat("xml"); err == nil {
		t.Error("xml is a format")
	}
}
