package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// written is a file with the given text.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

func zstded(text string) string {
	z, _ := zstd.NewWriter(nil)
	return string(z.EncodeAll([]byte(text), nil))
}

const (
	jsonLines = `{"at":"2026-03-01 10:00:00","page":"/a"}` + "\n" + `{"at":"2026-03-01 10:30:00","page":"/b"}` + "\n\n" + `{"at":"2026-03-01 10:59:59","page":"/a"}`
	jsonArray = "\xef\xbb\xbf [\n" + `{"at":"2026-03-01 10:00:00","page":"/a"}, {"at":"2026-03-01 10:30:00","page":"/b"},` + "\n" + `{"at":"2026-03-01 10:59:59","page":"/a"}]` + "\n"
	csvRows   = "\xef\xbb\xbfid,at,page,note\r\n1,2026-03-01 10:00:00,/a,\"x, \"\"y\"\"\r\nz\"\r\n2,2026-03-01 10:30:00,\"/b\",\r\n\r\n3,2026-03-01 10:59:59,/a,-\r\n"
	pages     = "2026-03-01T10:00:00Z\t1\t/a\t2\n2026-03-01T10:00:00Z\t2\t/b\t1\nall-time\t1\t/a\t2\nall-time\t2\t/b\t1\n"
)

// TestFileFormats has the same records in every format of files.
func TestFileFormats(t *testing.T) {
	cases := []struct{ id, name, text, flags string }{
		{"lines", "a.ndjson", jsonLines, ""},
		{"lines, CR LF, BOM", "a.jsonl", "\xef\xbb\xbf" + strings.ReplaceAll(jsonLines, "\n", "\r\n"), ""},
		{"an array", "a.json", jsonArray, ""},
		{"gzip", "a.json.gz", gzipped(jsonLines), ""},
		{"gzip of two members", "a", gzipped(jsonLines[:42]) + gzipped(jsonLines[42:]), ""},
		{"zstd", "a.zst", zstded(jsonArray), ""},
		{"rows", "a.csv", csvRows, ""},
		{"rows, packed", "a.CSV.GZ", gzipped(csvRows), ""},
		{"rows by number", "a.csv", csvRows[strings.Index(csvRows, "1,"):], "--time-field=2 --name=3"},
		{"rows by number, with names", "a.csv", csvRows, "--time-field=2 --name=3 --header=yes"},
		{"tabs", "a.tsv", "at\tpage\n2026-03-01 10:00:00\t/a\n2026-03-01 10:30:00\t/b\n2026-03-01 10:59:59\t/a\n", ""},
		{"semicolons", "a.csv", strings.ReplaceAll(csvRows, ",", ";"), "--delimiter=;"},
		{"tabs by their flag", "a.csv", "at\tpage\n2026-03-01 10:00:00\t/a\n2026-03-01 10:30:00\t/b\n2026-03-01 10:59:59\t/a\n", `--delimiter=\t`},
		{"a format by its flag", "a.txt", csvRows, "--format=csv"},
	}
	for _, c := range cases {
		args := []string{"replay", written(t, c.name, c.text)}
		if !strings.Contains(c.flags, "--name") {
			args = append(args, "--time-field=at", "--name=page")
		}
		got := call(append(args, strings.Fields(c.flags)...)...)
		if got.code != 0 || got.out != pages {
			t.Errorf("%s: exit %d, %s%s", c.id, got.code, got.out, got.err)
		}
	}
}

// TestFileFaults has files that cannot be read to their end, or not at all, and records
// that are refused.
func TestFileFaults(t *testing.T) {
	cases := []struct {
		id, name, text, flags string
		code                  int
		want                  string // on stderr
	}{
		{"a row too short", "a.csv", "at,page\n2026-03-01 10:00:00\n", "", 0, `"malformed":1`},
		{"a quote in the middle", "a.csv", "at,page\n2026-03-01 10:00:00,/a\"b\n2026-03-01 10:00:00,/a\n", "", 0, `"counted":2`},
		{"a quote that is not closed", "a.csv", "at,page\n2026-03-01 10:00:00,\"/a\n2026-03-01 10:00:00,/a\n", "", 0, `"counted":0,"late":0,"portions":0,"invalid":{"malformed":1}`},
		{"text behind a quote", "a.csv", "at,page\n2026-03-01 10:00:00,\"/a\"b\n2026-03-01 10:00:00,/a\n", "", 0, `"counted":1,"late":0,"portions":1,"invalid":{"malformed":1}`},
		{"another delimiter", "a.csv", "at;page\n2026-03-01 10:00:00;/a\n", "", 2, `there is no column "at" in the header: at;page; is it --delimiter=";"?`},
		{"a delimiter of two", "a.csv", "at;;page\n", "--delimiter=;;", 2, `--delimiter: ";;" is not one character of ASCII`},
		{"a quote for a delimiter", "a.csv", "at;page\n", "--delimiter=\"", 2, "other than a quote or a line end"},
		{"values of a topic", "a.json", jsonLines, "--format=avro", 2, "--format=avro is what values of a topic are written in; files are auto, json (lines or an array), csv or tsv"},
		{"values with a schema id", "a.bin", "\x00\x00\x00\x00\x07abc\n", "", 2, "count them from their topic, with --schema-registry"},
		{"Parquet", "a.parquet", "PAR1\x15\x04", "", 2, "this is a Parquet file; files are JSON lines, a JSON array, CSV or TSV in UTF-8"},
		{"not UTF-8", "a.csv", "at,page\n2026-03-01 10:00:00,/\xff\n", "", 0, `"malformed":1`},
		{"an empty field", "a.csv", "at,page\n2026-03-01 10:00:00,\n", "", 0, `"invalid_drink":1`},
		{"no time", "a.csv", "at,page\n,/a\n", "", 0, `"no_timestamp":1`},
		{"no such column", "a.csv", "time,page\n", "", 2, `there is no column "at" in the header: time, page`},
		{"column too far", "a.csv", "1,2\n", "--time-field=1 --name=3", 2, "there is no column 3: the first row has 2"},
		{"a column twice", "a.csv", "at,page,page\n", "", 2, `two columns "page"`},
		{"items in rows", "a.csv", "at,page\n", "--items=lines", 2, "a row is one item"},
		{"a quantity that is none", "a.csv", "at,page,n\n2026-03-01,/a,1.5\n", "--quantity=n", 0, `"invalid_quantity":1`},
		{"an array cut", "a.json", jsonArray[:100], "", 1, "element 2 of the JSON array"},
		{"an array and more", "a.json", jsonArray + "{}", "", 1, "is followed by more"},
		{"bad elements", "a.json", `[1,"x",null,{"at":"2026-03-01","page":"a","page":"b"},{"at":"2026-03-01","page":"c"}]`, "--no-sample", 0, `"malformed":4`},
		{"gzip cut", "a.gz", gzipped(jsonLines)[:40], "", 1, "unexpected EOF"},
		{"zstd cut", "a.zst", zstded(jsonLines)[:40], "", 1, "unexpected EOF"},
		{"an empty file", "a.csv", "", "", 0, `"records":0`},
		{"no file", "", "", "", 2, "no such file"},
	}
	for _, c := range cases {
		file := "nowhere.json"
		if c.name != "" {
			file = written(t, c.name, c.text)
		}
		args := []string{"replay", file}
		if !strings.Contains(c.flags, "--name") {
			args = append(args, "--time-field=at", "--name=page")
		}
		got := call(append(args, strings.Fields(c.flags)...)...)
		if got.code != c.code || !strings.Contains(got.err, c.want) {
			t.Errorf("%s: exit %d, want %d; %s, want %s", c.id, got.code, c.code, got.err, c.want)
		}
	}
}

// TestMappings counts records of many shapes.
func TestMappings(t *testing.T) {
	at := func(rest string) string { return `{"ts":"2026-03-01T10:00:00Z",` + rest + "}\n" }
	cases := []struct{ id, text, flags, want string }{
		{"items deep down", at(`"order":{"lines":[{"product":{"name":"x"},"n":2},{"product":{"name":"y"},"n":1}]}`), "--items=order.lines --name=product.name --quantity=n", "x=2 y=1"},
		{"arrays in arrays", at(`"baskets":[{"lines":[{"p":"x"}]},{"lines":[]},{"lines":[{"p":"y"},{"p":"x"}]}]`), "--items=baskets[].lines --name=p", "x=2 y=1"},
		{"texts in an array", at(`"tags":["b","a","b"]`), "--items=tags --name=.", "b=2 a=1"},
		{"the first of an array", at(`"tags":["b","a"]`), "--name=tags[0]", "b=1"},
		{"several parts", at(`"shop":7,"item":"tea"`), "--name=shop,item --name-separator=/", "7/tea=1"},
		{"a number, a boolean", at(`"code":404`) + at(`"code":true`) + at(`"code":4.0`), "--name=code", "4.0=1 404=1 true=1"},
		{"a list", at(`"genres":"a|b|c|a"`), "--name=genres --split=|", "a=2 b=1 c=1"},
		{"a list that ends in a separator", at(`"genres":"a; b;"`), "--name=genres --split=;", "a=1 b=1"},
		{"a name with a point", at(`"a.b":"x"`), `--name="a.b"`, "x=1"},
		{"a name with a comma", at(`"a,b":"x","c":"y"`), `--name=a\,b,c --name-separator=/`, "x/y=1"},
		{"a member called key", at(`"key":"x"`), "--name=.key", "x=1"},
		{"a quantity", at(`"p":"x","qty":3`), "--name=p --quantity=qty", "x=3"},
		{"the record is an array", `[{"p":"x"},{"p":"y"}]` + "\n", "--time-field= --items=[] --name=p", "refused no_timestamp"},
		{"connect", `{"schema":{"type":"struct"},"payload":` + strings.TrimSpace(at(`"p":"x"`)) + "}\n", "--name=p --envelope=connect", "x=1"},
		{"CloudEvents", `{"specversion":"1.0","id":"1","source":"s","type":"t","time":"2026-03-01T10:00:00Z","data":{"p":"x"}}` + "\n", "--name=p --time-field=when --envelope=cloudevents --no-sample", "x=1"},
		{"CloudEvents, the document's own time", `{"time":"2026-05-01T10:00:00Z","data":{"p":"x","when":"2026-03-01T10:00:00Z"}}` + "\n", "--name=p --time-field=when --envelope=cloudevents", "x=1"},
		{"Debezium", `{"before":null,"after":` + strings.TrimSpace(at(`"p":"x"`)) + `,"op":"c"}` + "\n" + `{"schema":{},"payload":{"before":null,"after":` + strings.TrimSpace(at(`"p":"x"`)) + `,"op":"r"}}` + "\n", "--name=p --envelope=debezium", "x=2"},
		{"Debezium, an update", `{"before":{},"after":` + strings.TrimSpace(at(`"p":"x"`)) + `,"op":"u"}` + "\n", "--name=p --envelope=debezium", "refused update"},
		{"Debezium, a removal", `{"before":{"p":"x"},"after":null,"op":"d"}` + "\n", "--name=p --envelope=debezium --no-sample", "refused update"},
		{"Debezium, no kind", `{"after":` + strings.TrimSpace(at(`"p":"x"`)) + "}\n", "--name=p --envelope=debezium", "refused malformed"},
		{"no key in a file", at(`"p":"x"`), "--name=key,p", "refused invalid_drink"},
		{"null", at(`"p":null`), "--name=p", "refused invalid_drink"},
		{"an object", at(`"p":{"q":1}`), "--name=p", "refused invalid_drink"},
		{"no object on the way", at(`"p":5`), "--name=p.q --no-sample", "refused invalid_drink"},
	}
	for _, c := range cases {
		args := []string{"replay", "--scope=all-time", written(t, "a.jsonl", c.text)}
		got := call(append(args, strings.Fields(c.flags)...)...)
		var have []string
		for _, line := range strings.Split(strings.TrimSpace(got.out), "\n") {
			if f := strings.Split(line, "\t"); len(f) == 4 {
				have = append(have, f[2]+"="+f[3])
			}
		}
		text := strings.Join(have, " ")
		if _, after, ok := strings.Cut(got.err, `"invalid":{"`); ok {
			reason, _, _ := strings.Cut(after, `"`)
			text = "refused " + reason
		}
		if got.code != 0 || text != c.want {
			t.Errorf("%s: exit %d, %q, want %q; %s", c.id, got.code, text, c.want, got.err)
		}
	}
}

// TestMappingRefused has flags that cannot be right.
func TestMappingRefused(t *testing.T) {
	file := written(t, "a.jsonl", jsonLines)
	for flags, want := range map[string]string{
		"--items= --time-field=at":               "--items is empty, so the record is one item: say with --name where its name is",
		"--name=a.":                              "ends in a point",
		"--name=a[":                              "has no closing bracket",
		"--name=a[x]":                            "no place from 0 to 9999",
		"--name=a[]":                             "the path to every item is --items",
		"--time-field=items":                     "configured as a value, and as something around others",
		"--name=a --quantity=a.b":                "configured as a value, and as something around others",
		"--name=a[0],a.b":                        "as an object and as an array",
		"--time-zone=Mars/Base":                  "is not one of the IANA database",
		"--time-layout=15:04":                    "does not tell the day",
		"--envelope=soap":                        "must be one of",
		"--time-field=at --name=pgae":            "no record of the first 3 has `pgae`; did you mean `page`? (windowed inspect shows what they have; --no-sample leaves this check out)",
		"--time-field=at --items=itmes --name=p": "no record of the first 3 has `itmes`",
		"--time-field=tz --name=page":            "no record of the first 3 has `tz`",
		"--time-field=at --name=page --quantity=quantity": "no record of the first 3 has `quantity`",
	} {
		got := call(append([]string{"replay", file}, strings.Fields(flags)...)...)
		if got.code != 2 || !strings.Contains(got.err, want) {
			t.Errorf("%s: exit %d: %s, want %s", flags, got.code, got.err, want)
		}
	}
}

// TestNoun has the words of a mapping in all that people read.
func TestNoun(t *testing.T) {
	file := written(t, "a.jsonl", jsonLines)
	args := []string{"replay", "--time-field=at", "--name=page", "--noun=page", file}
	call(append(args, "-o", "table")...).must(t, 0, "top of 2026-03-01T10:00:00Z: 3 records, 3 items\n")
	call(append(args, "-o", "csv")...).must(t, 0, "scope,rank,page,count\n")
	call(append(args, "-o", "tsv")...).must(t, 0, pages)
	call("replay", "--noun=<b>", file).must(t, 2, "is no noun")
}
